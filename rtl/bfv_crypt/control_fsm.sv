// Control of a run: which cycle is a step, and what the host is told.
//
//   Idle        nothing to do. With the operand complete (key_loaded) and, for encryption, the
//               randomness armed, the first product is begun without a start: Fill.
//   Fill        period 0, ahead of a start; what invalidates it leads back to Idle
//   Primed      period 0 is done: the array stands still until the start
//   Run         overlap mode; period 0 (unless primed) and one period a polynomial
//   PaperCount, PaperHold   the published schedule: n steps each, a pair for each product
//   Drain       all steps are made; the last results are on their way to the output memory
//   PaperDone   left by reset or clear only, as published
//   Wipe        all memories are overwritten; it is the one thing that a reset does not interrupt
//
// A start is refused, with the reason, and changes nothing. A reset leads to Idle from every state
// but Wipe, with the memories kept. `run_spent_o` comes once for every run of default encryption
// that was started, however it ends: its run counter must not be used again.
//
// Steps are made in every cycle of Fill, Run and the paper's phases, except while `avail_i` is low
// (overlap mode: the sampler has not drawn the next coefficient of `u` yet). That depends on the
// sampler's pace, which is the same for all data.
//
// Latency: state registered; `step_o`, `restart_o` and `init_o` combinational from it.
// Cycles from start_i to done_o: see overlap_cycles and paper_cycles of the package.
module control_fsm
  import bfv_crypt_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // The host.
  input  logic       start_i,
  input  logic       soft_reset_i,
  input  logic       clear_i,
  input  logic       key_loaded_i,
  input  logic       seed_load_i,
  input  logic       armed_i,
  input  logic       paper_i,
  input  logic       decrypt_i,
  input  logic [LogMaxPolys-1:0] count_i,
  input  logic       lfsr_zero_i,       // the generator of the paper's mode would stay at zero
  input  logic       operand_written_i, // multiplicand memory or multiplier window

  // The datapath.
  input  logic       fresh_i,           // the sampler works for the armed run
  input  logic       avail_i,
  input  logic       index_last_i,
  input  logic [LogMaxPolys:0]   period_i,
  input  logic [LogMaxPolys-1:0] product_i,
  input  logic       last_written_i,    // the last result is in the output memory
  input  logic       sampler_busy_i,    // it is being wiped

  output logic       step_o,
  output logic       advance_o,         // the main address goes on: step or wipe
  output logic       restart_o,         // the next step is number 0
  output logic       init_o,            // the array starts anew
  output logic       last_step_o,
  output logic       kill_o,            // results under way are dropped
  output logic       lfsr_load_o,
  output logic       wipe_o,

  output logic       busy_o,
  output logic       primed_o,
  output logic       done_o,
  output logic       run_spent_o,
  output logic       err_o,
  output err_e       err_code_o,
  output logic [63:0] cycles_o
);

  typedef enum logic [3:0] {
    StIdle = 4'd0,
    StFill = 4'd1,
    StPrimed = 4'd2,
    StRun = 4'd3,
    StPaperCount = 4'd4,
    StPaperHold = 4'd5,
    StDrain = 4'd6,
    StPaperDone = 4'd7,
    StWipe = 4'd8
  } state_e;

  state_e state_q, state_d;

  // ---- what stands ready -----------------------------------------------------------------------

  logic       operand_ok_q;
  logic [1:0] mode_q;
  logic       mode_changed, ahead, warm, can_prime;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) operand_ok_q <= 1'b0;
    else if (operand_written_i || clear_i) operand_ok_q <= 1'b0;
    else if (key_loaded_i) operand_ok_q <= 1'b1;
  end

  always_ff @(posedge clk_i) mode_q <= {paper_i, decrypt_i};
  assign mode_changed = mode_q != {paper_i, decrypt_i};

  assign ahead = state_q == StFill || state_q == StPrimed;
  assign can_prime = operand_ok_q && !operand_written_i && !paper_i && !mode_changed &&
                     (decrypt_i || (armed_i && fresh_i && !seed_load_i));
  assign warm = ahead && can_prime;

  // ---- the start command -----------------------------------------------------------------------

  logic running, accept;

  assign running = state_q inside {StRun, StPaperCount, StPaperHold, StDrain};

  always_comb begin
    err_code_o = ErrNone;
    if (start_i) begin
      if (running || state_q == StWipe) err_code_o = ErrBusyRegister;
      else if (state_q == StPaperDone) err_code_o = ErrNeedsReset;
      else if (!decrypt_i && count_i[0]) err_code_o = ErrCountOdd;
      else if (!decrypt_i && paper_i && lfsr_zero_i) err_code_o = ErrSeedZero;
      else if (!decrypt_i && !paper_i && !armed_i) err_code_o = ErrNoSeed;
    end
  end
  assign err_o = err_code_o != ErrNone;
  assign accept = start_i && !err_o && !soft_reset_i && !clear_i;

  // ---- steps -----------------------------------------------------------------------------------

  logic [LogMaxPolys:0] polys;
  logic                 last_period, last_product, wiping;

  assign polys = {count_i == '0, count_i};   // 0 means 32
  assign last_period = period_i == polys;
  assign last_product = product_i == count_i - LogMaxPolys'(1);

  assign step_o = (state_q inside {StPaperCount, StPaperHold}) ||
                  ((state_q inside {StFill, StRun}) && avail_i);
  assign last_step_o = step_o && index_last_i &&
                       ((state_q == StRun && last_period) ||
                        (state_q == StPaperHold && last_product));

  // The walk over 32n words is over when the top bit of the main address rises.
  assign wiping = state_q == StWipe && !period_i[LogMaxPolys];
  assign wipe_o = wiping;
  assign advance_o = step_o || wiping;

  // ---- next state ------------------------------------------------------------------------------

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (can_prime) state_d = StFill;
      StFill: begin
        if (!can_prime) state_d = StIdle;
        else if (step_o && index_last_i) state_d = StPrimed;
      end
      StPrimed: if (!can_prime) state_d = StIdle;
      StRun: if (last_step_o) state_d = StDrain;
      StPaperCount: if (index_last_i) state_d = StPaperHold;
      StPaperHold: if (index_last_i) state_d = last_product ? StDrain : StPaperCount;
      StDrain: if (last_written_i) state_d = paper_i ? StPaperDone : StIdle;
      StPaperDone: ;
      StWipe: if (!wiping && !sampler_busy_i) state_d = StIdle;
      default: state_d = StIdle;
    endcase
    if (accept) state_d = paper_i ? StPaperCount : StRun;
    if (soft_reset_i && state_q != StWipe) state_d = StIdle;
    if (clear_i) state_d = StWipe;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  // Anew: whatever was ahead does not serve what comes next.
  logic anew;
  assign anew = clear_i || (ahead && !warm) || (soft_reset_i && state_q != StWipe);
  assign restart_o = anew || (state_q inside {StIdle, StDrain, StPaperDone});
  assign init_o = anew || (state_q inside {StIdle, StPaperDone, StWipe});
  assign kill_o = soft_reset_i || clear_i;

  assign lfsr_load_o = accept && paper_i;

  // ---- to the host -----------------------------------------------------------------------------

  logic spends;

  assign busy_o = running || state_q == StWipe;
  assign primed_o = state_q == StPrimed;
  assign done_o = state_q == StDrain && last_written_i && !kill_o;
  assign spends = !paper_i && !decrypt_i && (state_q inside {StRun, StDrain});
  assign run_spent_o = spends && (done_o || kill_o);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) cycles_o <= '0;
    else if (accept) cycles_o <= 64'd1;
    else if (running && !done_o) cycles_o <= cycles_o + 64'd1;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_q <= StWipe);
  // The levels of the host hold still during a run.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      running && $past(running) |-> $stable({paper_i, decrypt_i, count_i}));
  assert property (@(posedge clk_i) disable iff (!rst_ni) last_written_i |-> state_q == StDrain);
`endif

`ifdef FORMAL
  // A run or a wipe always ends. The main address and the pipeline behind the last step are played
  // here for a ring of two coefficients and at most three polynomials (the number of coefficients
  // only scales the bounds); `f_busy` counts cycles and is bounded by the address in every state.
  localparam int unsigned FMax = 3;
  localparam int unsigned FDelay = 4;
  logic        f_known = 1'b0;
  logic [7:0]  f_main, f_busy, f_drain;
  logic [FDelay-1:0] f_pipe;
  logic        f_overlap;

  always_ff @(posedge clk_i) begin
    f_known <= 1'b1;
    if (!rst_ni) begin
      f_main <= '0;
      f_busy <= '0;
      f_drain <= '0;
      f_pipe <= '0;
    end else begin
      if (restart_o) f_main <= '0;
      else if (advance_o) f_main <= f_main + 8'd1;
      f_pipe <= kill_o ? '0 : {f_pipe[FDelay-2:0], last_step_o};
      f_busy <= busy_o && !clear_i ? f_busy + 8'd1 : '0;
      f_drain <= state_q == StDrain ? f_drain + 8'd1 : '0;
    end
  end
  assign f_overlap = state_q inside {StFill, StPrimed, StRun};

  always_comb begin
    if (!f_known) assume (!rst_ni);
    assume (index_last_i == f_main[0]);
    assume (period_i == f_main[6:1]);
    assume (product_i == f_main[6:2]);
    assume (last_written_i == f_pipe[FDelay-1]);
    assume (avail_i);
    assume (!sampler_busy_i);
    assume (count_i >= 1 && count_i <= FMax);
  end
  logic f_paper, f_decrypt;
  logic [LogMaxPolys-1:0] f_count;
  always_ff @(posedge clk_i) begin
    {f_paper, f_decrypt, f_count} <= {paper_i, decrypt_i, count_i};
    if (f_known && rst_ni && running) assume ({f_paper, f_decrypt, f_count} ==
                                              {paper_i, decrypt_i, count_i});
  end

  always_ff @(posedge clk_i) begin
    if (f_known && rst_ni) begin
      assert (state_q <= StWipe);
      // Where the main address can be, and that the counted time never runs away from it.
      if (state_q == StFill) assert (f_main < 8'd2);
      if (state_q == StPrimed) assert (f_main == 8'd2);
      if (state_q == StRun) begin
        assert (!paper_i && f_main < 8'(2 * (32'(count_i) + 1)));
        assert (f_busy <= f_main);
      end
      if (state_q inside {StPaperCount, StPaperHold}) begin
        assert (paper_i && f_main < 8'(4 * 32'(count_i)) && f_busy == f_main);
        assert ((state_q == StPaperHold) == f_main[1]);
      end
      // Draining is waiting for exactly one bit of the pipeline.
      assert ((state_q == StDrain) == (f_pipe != '0));
      assert ($onehot0(f_pipe));
      if (state_q == StDrain) begin
        assert (f_pipe == FDelay'(1) << f_drain);
        assert (f_busy <= 8'(4 * FMax) + f_drain);
      end
      if (state_q == StWipe) assert (f_main <= 8'd64 && f_busy == f_main);
      // The bounds: a run, and a wipe of 64 words and the cycle that sees its end.
      if (running) assert (f_busy < 8'(4 * FMax + FDelay));
      if (busy_o) assert (f_busy <= 8'd64);
      if (done_o) assert (!start_i || err_o);
    end
  end
`endif

endmodule
