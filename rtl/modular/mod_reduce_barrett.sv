// Reduction modulo a constant after Barrett: two multiplications by constants.
//
//   r_o = x mod Q,   x = x_i[XBits-1:0] any number of XBits bits (bits above are not read)
//
// XBits is 2 bits(Q) unless given. Result canonical, in [0, Q). Latency ReduceBarrettLatency = 5,
// one a cycle, no stall, no reset. For comparison with mod_reduce_lut.
//
// With B = bits(Q), m = XBits - B + 1 and Mu = floor(2^XBits / Q) the quotient
// e = floor(floor(x / 2^(B-1)) Mu / 2^m) is at most 2 too small: x - e Q is in [0, 3Q).
module mod_reduce_barrett
  import modular_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter int unsigned XBits = 2 * $clog2(64'(Q) + 1)
) (
  input  logic           clk_i,
  input  logic [2*W-1:0] x_i,
  output logic [W-1:0]   r_o
);

  localparam longint unsigned Modulus = 64'(Q);
  localparam int unsigned B = bits_of(Modulus);
  localparam int unsigned M = XBits - B + 1;  // bits of quotient, of Mu and of what makes them
  localparam int unsigned LowBits = B + 2;
  localparam logic [M-1:0] Mu = M'((64'd1 << XBits) / Modulus);

  if (XBits > 2 * W || XBits <= B || XBits > 63) begin : gen_bad_range
    $error("mod_reduce_barrett: XBits = %0d is not in %0d..%0d, or above 63", XBits, B + 1, 2 * W);
  end

  // Both multiplications have a register behind the multiplier and one behind the adders.
  logic [2*M-1:0] estimate_q, estimate2_q;
  logic [M-1:0] quotient;
  logic [LowBits-1:0] multiple_q;
  logic [2:0][LowBits-1:0] x_q;
  always_ff @(posedge clk_i) begin
    estimate_q <= (2 * M)'(x_i[XBits-1:B-1]) * (2 * M)'(Mu);
    estimate2_q <= estimate_q;
    multiple_q <= LowBits'(quotient) * LowBits'(Q);
    x_q <= {x_q[1:0], x_i[LowBits-1:0]};
  end
  assign quotient = estimate2_q[2*M-1:M];

  logic [LowBits-1:0] rest_q, below_2q, below_q;
  logic [B-1:0] r_q;
  assign below_2q = (rest_q >= LowBits'(2 * Modulus)) ? rest_q - LowBits'(2 * Modulus) : rest_q;
  assign below_q  = (below_2q >= LowBits'(Q)) ? below_2q - LowBits'(Q) : below_2q;
  always_ff @(posedge clk_i) begin
    rest_q <= x_q[2] - multiple_q;
    r_q    <= below_q[B-1:0];
  end

  assign r_o = W'(r_q);

  logic unused_bits;
  assign unused_bits = ^{estimate2_q[M-1:0], quotient, below_q[LowBits-1:B]};
  if (2 * W > XBits) begin : gen_unread
    logic unused_high;
    assign unused_high = ^x_i[2*W-1:XBits];
  end

endmodule
