// Product modulo a number given at run time, after Barrett.
//
//   r_o = a_i b_i mod q_i;   2^(W-1) < q_i < 2^W,   mu_i = floor(2^(2W) / q_i) - 2^W
//
// Operands: a_i any number of W bits, b_i in [0, q). Result canonical, in [0, q). Latency
// MulBarrettRtLatency = 8, one a cycle, no stall, no reset. q_i and mu_i hold still while products
// are in the pipeline.
//
// A modulus q of fewer bits: give q 2^k of W bits, and one of the two operands shifted left by k;
// the result is (a b mod q) 2^k. In a transform the data stay shifted and the roots do not.
//
// The quotient e = floor(floor(x / 2^W) (2^W + mu) / 2^W) of x = a b is less than 4 below x / q:
// less than 2 for the digits of x dropped, as 2^W / q < 2, less than 1 for those of mu, less than 1
// for the last floor. So x - e q is in [0, 4q).
module mod_mul_barrett_rt #(
  parameter int unsigned W = 32
) (
  input  logic         clk_i,
  input  logic [W-1:0] q_i,
  input  logic [W-1:0] mu_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic [W-1:0] r_o
);

  localparam int unsigned LowBits = W + 2;

  logic [2*W-1:0] x, part;
  mod_product #(.W(W)) u_x (.clk_i, .a_i, .b_i, .p_o(x));
  mod_product #(.W(W)) u_part (.clk_i, .a_i(x[2*W-1:W]), .b_i(mu_i), .p_o(part));

  // What goes past the second and the third product.
  logic [1:0][W-1:0] high_q;
  logic [3:0][LowBits-1:0] low_q;
  logic [W-1:0] quotient_q;
  logic [LowBits-1:0] multiple_q, rest_q;
  always_ff @(posedge clk_i) begin
    high_q     <= {high_q[0], x[2*W-1:W]};
    low_q      <= {low_q[2:0], x[LowBits-1:0]};
    quotient_q <= high_q[1] + part[2*W-1:W];
    multiple_q <= LowBits'(quotient_q) * LowBits'(q_i);
    rest_q     <= low_q[3] - multiple_q;
  end

  logic [LowBits-1:0] less_2q, below_2q, less_q;
  logic [W-1:0] r_q;
  assign less_2q  = rest_q - {1'b0, q_i, 1'b0};
  assign below_2q = (rest_q >= {1'b0, q_i, 1'b0}) ? less_2q : rest_q;
  assign less_q   = below_2q - LowBits'(q_i);
  always_ff @(posedge clk_i) r_q <= (below_2q >= LowBits'(q_i)) ? less_q[W-1:0] : below_2q[W-1:0];

  assign r_o = r_q;

  logic unused_bits;
  assign unused_bits = ^{part[W-1:0], less_q[LowBits-1:W]};

endmodule
