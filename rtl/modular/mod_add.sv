// Sum modulo a constant; combinational.
//
//   r_o = a_i + b_i mod Q;   operands and result canonical, in [0, Q)
module mod_add #(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3)
) (
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic [W-1:0] r_o
);

  localparam int unsigned B = modular_pkg::bits_of(64'(Q));

  logic [B:0] sum, less;
  assign sum  = (B+1)'(a_i[B-1:0]) + (B+1)'(b_i[B-1:0]);
  assign less = sum - (B+1)'(Q);  // its top bit: sum < Q, as sum - Q < 2^B
  assign r_o  = W'(less[B] ? sum[B-1:0] : less[B-1:0]);

  if (W > B) begin : gen_unread
    logic unused_high;
    assign unused_high = ^{a_i[W-1:B], b_i[W-1:B]};
  end

endmodule
