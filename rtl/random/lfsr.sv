// Fibonacci shift register of the S-BFV paper (section III.F); for its noise generators only.
//
//   step: state <= {state[0] ^ state[Tap], state[Width-1:1]}
//
// Bit i is the paper's stage s_i. Connection polynomial 1 + x^(Width-Tap) + x^Width: for Width 20
// 1 + x^17 + x^20 (paper), for 60 1 + x^59 + x^60, for 11 1 + x^9 + x^11; the period from any
// state but zero is 2^Width - 1. `load_i` goes before `step_i`. No reset: load first.
module lfsr
  import random_pkg::*;
#(
  parameter int unsigned Width = 20
) (
  input  logic             clk_i,
  input  logic             load_i,
  input  logic [Width-1:0] seed_i,
  input  logic             step_i,
  output logic [Width-1:0] state_o
);

  localparam int unsigned Tap = lfsr_tap(Width);

  if (Tap == 0) begin : gen_bad_width
    $error("lfsr: no connection polynomial for Width = %0d; there are 11, 20 and 60", Width);
  end

  logic [Width-1:0] state_q;
  always_ff @(posedge clk_i) begin
    if (load_i) state_q <= seed_i;
    else if (step_i) state_q <= {state_q[0] ^ state_q[Tap], state_q[Width-1:1]};
  end
  assign state_o = state_q;

`ifndef SYNTHESIS
`ifndef FORMAL
  seed_not_zero: assert property (@(posedge clk_i) load_i |-> seed_i != '0);
`endif
`endif

endmodule
