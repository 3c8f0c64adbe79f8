// The keystream of docs/device-randomness.md: ChaCha20 (RFC 8439), one 64-bit word a cycle.
//
//   block (k, b) = ChaCha20(key_i, counter = b, nonce = le32(k) | le64(run_i))
//
// for k = 0, 1, .. 2^PlaintextBits - 1 and b = 0 .. 2^LogN / 4 - 1 within each, eight little-endian
// words a block, in order; after the last plaintext the stream ends.
//
// The ring: eight half-round stages, five trips a block, up to eight blocks on their way. Every
// fifth step a finished block leaves the ring and the next one enters in its place; the phase of a
// counter modulo five is all the control there is. A block on its way out waits in the ring until
// the words of the block before it are taken: the ring then stands still as a whole, which costs a
// clock enable where a queue of blocks would cost 344 LUTs. The initial state is added back to each
// word as it leaves.
//
// Timing: `valid_o` rises FirstWordLatency cycles after a `start_i` that finds the ring idle, and
// RingFlushCycles later otherwise. Then a word every cycle in which `ready_i` is high (the ring
// alone would make eight words every five cycles). `word_o` holds still until it is taken.
// Nothing in the timing depends on key, counters or state.
//
// Secrets: `flush_i` (and reset) ends the stream and replaces every state bit with zero in
// RingFlushCycles; `busy_o` is high until then. `start_i` ends a stream in the same way, then
// begins the new one. `key_i` (byte 0 of the seed in bits 7:0) and `run_i` are not copied: they
// hold still from `start_i` until the stream has ended.
//
// Parameters: LogN (log2 of the degree, 2..20), PlaintextBits (1..32).
module chacha20_stream
  import random_pkg::*;
#(
  parameter int unsigned LogN = 10,
  parameter int unsigned PlaintextBits = 32
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         start_i,
  input  logic         flush_i,
  input  logic [255:0] key_i,
  input  logic [63:0]  run_i,
  output logic         busy_o,

  output word_t        word_o,
  output logic         valid_o,
  input  logic         ready_i
);

  localparam int unsigned BlockBits = LogN - 2;
  localparam int unsigned IndexBits = PlaintextBits + BlockBits;

  if (LogN < 2 || LogN > 20) begin : gen_bad_degree
    $error("chacha20_stream: LogN = %0d is outside [2, 20]", LogN);
  end
  if (PlaintextBits < 1 || PlaintextBits > 32) begin : gen_bad_plaintexts
    $error("chacha20_stream: PlaintextBits = %0d is outside [1, 32]", PlaintextBits);
  end

  // (k, b) of a block as one number.
  typedef logic [IndexBits-1:0] index_t;

  localparam index_t BlockMask = index_t'((64'd1 << BlockBits) - 64'd1);
  function automatic word_t counters_of(index_t index);
    return {32'(index >> BlockBits), 32'(index & BlockMask)};
  endfunction

  // ---- control ----

  typedef enum logic [1:0] { StIdle, StRun, StFlush } state_e;
  state_e state_q, state_d;
  logic restart_q, restart_d;  // begin again when the ring is empty
  logic [$clog2(RingFlushCycles)-1:0] flushed_q, flushed_d;

  logic flushing, step;
  assign flushing = state_q == StFlush;
  assign busy_o = flushing;

  always_comb begin
    state_d = state_q;
    restart_d = restart_q;
    flushed_d = '0;
    unique case (state_q)
      StIdle: begin
        if (start_i) state_d = StRun;
      end
      StRun: begin
        if (start_i) begin
          state_d = StFlush;
          restart_d = 1'b1;
        end
      end
      StFlush: begin
        if (start_i) restart_d = 1'b1;
        flushed_d = flushed_q + 1'b1;
        if (32'(flushed_q) == RingFlushCycles - 1) begin
          state_d = restart_d ? StRun : StIdle;
          restart_d = 1'b0;
          flushed_d = '0;
        end
      end
      default: state_d = StFlush;
    endcase
    if (flush_i) begin
      state_d = StFlush;
      restart_d = 1'b0;
      flushed_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StFlush;  // the ring has no reset: zeros go through it
      restart_q <= 1'b0;
      flushed_q <= '0;
    end else begin
      state_q <= state_d;
      restart_q <= restart_d;
      flushed_q <= flushed_d;
    end
  end

  // ---- the ring ----

  logic [2:0] phase_q;
  logic at_gate;               // the block behind the last stage has done all its trips
  logic [Stages-1:0] there_q;  // which of the last eight places at the gate were filled
  index_t enter_index_q;
  logic exhausted_q;
  logic enter;

  assign at_gate = phase_q == '0;
  assign enter = at_gate && !exhausted_q;

  logic block_valid_q, block_taken;
  assign step = flushing ||
      (state_q == StRun && !(at_gate && there_q[Stages-1] && block_valid_q && !block_taken));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q != StRun) begin
      phase_q <= '0;
      there_q <= '0;
      enter_index_q <= '0;
      exhausted_q <= 1'b0;
    end else if (step) begin
      phase_q <= (32'(phase_q) == Trips - 1) ? '0 : phase_q + 1'b1;
      if (at_gate) there_q <= {there_q[Stages-2:0], enter};
      if (enter) {exhausted_q, enter_index_q} <= {1'b0, enter_index_q} + 1'b1;
    end
  end

  chacha_state_t first, gate, stage[Stages], stage_q[Stages];

  assign first = {run_i, counters_of(enter_index_q), key_i, ChachaConstant};
  always_comb begin
    if (flushing) gate = '0;
    else if (at_gate) gate = first;
    else gate = stage_q[Stages-1];
  end

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    chacha_state_t source;
    assign source = (s == 0) ? gate : stage_q[(s+Stages-1)%Stages];
    chacha20_half_round #(
      .RotateD(s % 2 == 0 ? 16 : 8),
      .RotateB(s % 2 == 0 ? 12 : 7),
      .Diagonal(s % 4 >= 2)
    ) u_half_round (
      .state_i(source),
      .state_o(stage[s])
    );
    always_ff @(posedge clk_i) begin
      if (step) stage_q[s] <= stage[s];
    end
  end

  // ---- words of a finished block ----

  chacha_state_t block_q;
  logic [2:0] word_index_q;
  index_t leave_index_q;
  word_t sum, sum_q;
  logic sum_valid_q, sum_free;

  assign sum_free = !sum_valid_q || ready_i;
  assign block_taken = sum_free && 32'(word_index_q) == BlockWords - 1;

  logic block_load;
  assign block_load = step && at_gate && there_q[Stages-1];

  always_ff @(posedge clk_i) begin
    if (flushing || block_load) block_q <= stage_q[Stages-1];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q != StRun) begin
      block_valid_q <= 1'b0;
      word_index_q <= '0;
      leave_index_q <= '0;
      sum_valid_q <= 1'b0;
    end else begin
      if (block_load) block_valid_q <= 1'b1;
      else if (block_taken) block_valid_q <= 1'b0;
      if (block_valid_q && sum_free) begin
        word_index_q <= word_index_q + 1'b1;
        if (block_taken) leave_index_q <= leave_index_q + 1'b1;
      end
      if (sum_free) sum_valid_q <= block_valid_q;
    end
  end

  word_t mixed, initial_word;
  always_comb begin
    mixed = {block_q[{word_index_q, 1'b1}], block_q[{word_index_q, 1'b0}]};
    unique case (word_index_q)
      3'd0: initial_word = ChachaConstant[63:0];
      3'd1: initial_word = ChachaConstant[127:64];
      3'd2: initial_word = key_i[63:0];
      3'd3: initial_word = key_i[127:64];
      3'd4: initial_word = key_i[191:128];
      3'd5: initial_word = key_i[255:192];
      3'd6: initial_word = counters_of(leave_index_q);
      default: initial_word = run_i;
    endcase
  end
  assign sum = {mixed[63:32] + initial_word[63:32], mixed[31:0] + initial_word[31:0]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q != StRun) sum_q <= '0;
    else if (sum_free) sum_q <= sum;
  end

  assign word_o = sum_q;
  assign valid_o = sum_valid_q && state_q == StRun;  // no word of a stream that was given up

`ifndef SYNTHESIS
`ifndef FORMAL
  logic reset_seen_q;  // registers start with anything: nothing holds before the first reset
  initial reset_seen_q = 1'b0;
  always_ff @(posedge clk_i) if (!rst_ni) reset_seen_q <= 1'b1;
  default disable iff (!reset_seen_q || !rst_ni);

  word_stable: assert property (@(posedge clk_i)
      valid_o && !ready_i && !start_i && !flush_i
      |=> valid_o && $stable(word_o));
  key_stable: assert property (@(posedge clk_i)
      state_q == StRun && $past(state_q == StRun) && !start_i && !flush_i
      |-> $stable({key_i, run_i}) || $past(start_i || flush_i));
  flushed: assert property (@(posedge clk_i)
      $fell(flushing) |-> {stage_q[0], stage_q[Stages-1], block_q, sum_q} == '0);
  phase_range: assert property (@(posedge clk_i) 32'(phase_q) < Trips);
  state_known: assert property (@(posedge clk_i)
      state_q inside {StIdle, StRun, StFlush});
`endif
`endif

endmodule
