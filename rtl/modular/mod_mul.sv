// Product modulo a constant.
//
//   r_o = a_i b_i mod Q;   operands and result canonical, in [0, Q)
//
// Latency MulLatency = 5 (product 2, reduction 3), one a cycle, no stall, no reset. Operands should
// come from registers: synthesis may then use those in the multiplier cells.
//
// Kind: 0 reduction by tables (mod_reduce_lut); there is no other yet.
module mod_mul
  import modular_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter int unsigned Kind = 0
) (
  input  logic         clk_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic [W-1:0] r_o
);

  localparam int unsigned B = bits_of(64'(Q));
  localparam int unsigned XBits = product_bits(64'(Q));

  if (Kind != 0) begin : gen_bad_kind
    $error("mod_mul: Kind = %0d, known: 0 (tables)", Kind);
  end

  logic [2*B-1:0] product;
  mod_product #(.W(B)) u_product (.clk_i, .a_i(a_i[B-1:0]), .b_i(b_i[B-1:0]), .p_o(product));
  mod_reduce_lut #(.W(W), .Q(Q), .XBits(XBits)) u_reduce (.clk_i, .x_i((2*W)'(product)), .r_o);

  if (W > B) begin : gen_unread
    logic unused_high;
    assign unused_high = ^{a_i[W-1:B], b_i[W-1:B]};
  end

endmodule
