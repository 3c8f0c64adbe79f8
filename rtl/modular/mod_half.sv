// Half modulo an odd constant; combinational.
//
//   r_o = a_i / 2 mod Q = (a_i + (a_i odd) Q) / 2;   operand and result canonical, in [0, Q)
module mod_half #(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3)
) (
  input  logic [W-1:0] a_i,
  output logic [W-1:0] r_o
);

  localparam int unsigned B = modular_pkg::bits_of(64'(Q));
  localparam logic [B-1:0] Half = B'((64'(Q) + 1) / 2);  // of 1

  if (!Q[0]) begin : gen_bad_modulus
    $error("mod_half: Q = %0d is even: 2 has no inverse", Q);
  end

  logic [B-1:0] half;
  assign half = B'(a_i[B-1:1]) + (Half & {B{a_i[0]}});
  assign r_o  = W'(half);

  if (W > B) begin : gen_unread
    logic unused_high;
    assign unused_high = ^a_i[W-1:B];
  end

endmodule
