// Runs a batch: reads the input memories, one word of each a cycle, counts the results written.
//
//   idle -> run (n count reads) -> drain (until the last result is written) -> idle
//   any  -> wipe (64n cycles, zeros into all memories) -> idle
//
// A run is accepted when 1 <= count <= 64 and the key it needs is there; else err_o, no run.
// soft_reset_i returns to idle from run and drain (flush_o empties the pipelines); a wipe goes on.
// clear_i starts a wipe from every state.
//
// cycles_o counts from the start command to done_o: device_cycles(n, count) of the package. Nothing
// here depends on data, so neither do the cycles.
module mini_sequencer
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 4,
  localparam int unsigned AddrBits = LogN + LogMaxItems
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,
  input  logic                 soft_reset_i,
  input  logic                 clear_i,
  input  logic [CountBits-1:0] count_i,
  input  logic                 key_i,       // the key that the mode needs is there

  output logic                 rd_en_o,
  output logic [AddrBits-1:0]  rd_addr_o,
  output logic                 rd_valid_o,  // the memories' data are those of a read (one later)
  input  logic                 wr_valid_i,  // a result word is written in this cycle ...
  output logic [AddrBits-1:0]  wr_addr_o,   // ... here
  output logic                 wipe_o,      // zeros are written to wr_addr_o of all memories
  output logic                 flush_o,

  output logic                 busy_o,
  output logic                 done_o,
  output logic                 err_o,
  output err_e                 err_code_o,
  output logic [63:0]          cycles_o
);

  typedef enum logic [1:0] {
    StIdle  = 2'd0,
    StRun   = 2'd1,
    StDrain = 2'd2,
    StWipe  = 2'd3
  } state_e;

  state_e state_q, state_d;
  logic [AddrBits-1:0] rd_addr_q, wr_addr_q, last_q;
  logic rd_valid_q;
  logic [63:0] cycles_q;
  logic start_ok, count_ok, last_read, last_write, wipe_end;

  assign count_ok = count_i != '0 && count_i <= CountBits'(MaxItems);
  assign start_ok = state_q == StIdle && start_i && count_ok && key_i;
  assign last_read = rd_addr_q == last_q;
  assign last_write = wr_valid_i && wr_addr_q == last_q;
  assign wipe_end = &wr_addr_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:  if (start_ok) state_d = StRun;
      StRun:   if (last_read) state_d = StDrain;
      StDrain: if (last_write) state_d = StIdle;
      StWipe:  if (wipe_end) state_d = StIdle;
      default: state_d = StIdle;
    endcase
    if (soft_reset_i && state_q != StWipe) state_d = StIdle;
    if (clear_i) state_d = StWipe;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      rd_valid_q <= 1'b0;
      cycles_q   <= '0;
      rd_addr_q  <= '0;
      wr_addr_q  <= '0;
    end else begin
      state_q    <= state_d;
      rd_valid_q <= rd_en_o && !flush_o;
      if (start_ok) cycles_q <= 64'd1;
      else if (state_q == StRun || state_q == StDrain) cycles_q <= cycles_q + 64'd1;
      rd_addr_q <= state_q == StRun ? rd_addr_q + 1'b1 : '0;
      if (flush_o || start_ok) wr_addr_q <= '0;
      else if (wr_valid_i || state_q == StWipe) wr_addr_q <= wr_addr_q + 1'b1;
    end
  end

  // The last word of the batch: n count - 1. A full batch of 64 wraps to all ones.
  always_ff @(posedge clk_i) begin
    if (start_ok) last_q <= {count_i[LogMaxItems-1:0], {LogN{1'b0}}} - 1'b1;
  end

  assign rd_en_o = state_q == StRun;
  assign rd_addr_o = rd_addr_q;
  assign rd_valid_o = rd_valid_q;
  assign wr_addr_o = wr_addr_q;
  assign wipe_o = state_q == StWipe;
  // Behind a flush zeros go down the pipelines: no secret stays in them after n + 2 cycles.
  assign flush_o = clear_i || (soft_reset_i && state_q != StWipe);
  assign busy_o = state_q != StIdle;
  assign done_o = state_q == StDrain && last_write && !flush_o;
  assign cycles_o = cycles_q;

  always_comb begin
    err_o = 1'b0;
    err_code_o = ErrNone;
    if (start_i && state_q == StIdle && !clear_i) begin
      if (!count_ok) begin
        err_o = 1'b1;
        err_code_o = ErrCountRange;
      end else if (!key_i) begin
        err_o = 1'b1;
        err_code_o = ErrNoKey;
      end
    end
  end

`ifndef SYNTHESIS
  // Results never outnumber reads.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   wr_valid_i |-> state_q == StRun || state_q == StDrain);
`endif

endmodule
