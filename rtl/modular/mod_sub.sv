// Difference modulo a constant; combinational.
//
//   r_o = a_i - b_i mod Q;   operands and result canonical, in [0, Q)
module mod_sub #(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3)
) (
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic [W-1:0] r_o
);

  localparam int unsigned B = modular_pkg::bits_of(64'(Q));

  logic [B:0] difference;
  logic [B-1:0] result;
  assign difference = (B+1)'(a_i[B-1:0]) - (B+1)'(b_i[B-1:0]);
  assign result = difference[B-1:0] + (B'(Q) & {B{difference[B]}});
  assign r_o = W'(result);

  if (W > B) begin : gen_unread
    logic unused_high;
    assign unused_high = ^{a_i[W-1:B], b_i[W-1:B]};
  end

endmodule
