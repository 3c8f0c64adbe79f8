// Reduction modulo 257^3 by shifts and additions, without multiplier and, but for the last step,
// without tables.
//
//   r_o = x mod 257^3,   x = x_i[XBits-1:0] any number of XBits bits, at most 54 (others not read)
//
// Result canonical, in [0, Q). Latency ReduceFoldLatency = 3, one a cycle, no stall, no reset. For
// comparison with mod_reduce_lut.
//
// With y = 2^8, Q = (y + 1)^3, hence modulo Q
//   y^3 = -3 y^2 - 3 y - 1,  y^4 = 6 y^2 + 8 y + 3,  y^5 = -10 y^2 - 15 y - 6,
//   y^6 = 15 y^2 + 24 y + 10:
// the bytes of x make a polynomial in y, and those from the fourth on fold onto the lower three.
// Stage 1: the three coefficients; stage 2: their sum, raised by 13 Q to be positive, which is then
// below 24 Q; stage 3: mod_settle.
module mod_reduce_fold
  import modular_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter int unsigned XBits = 50
) (
  input  logic           clk_i,
  input  logic [2*W-1:0] x_i,
  output logic [W-1:0]   r_o
);

  localparam logic [W-1:0] Q = W'(257 ** 3);
  localparam int unsigned MostBits = 54;
  localparam int unsigned CoeffBits = 14;
  localparam int unsigned SumBits = 25 + SettleBits;
  localparam logic [SumBits-1:0] Raise = SumBits'(13 * 257 ** 3);

  if (W < 25) begin : gen_bad_width
    $error("mod_reduce_fold: W = %0d is below 25, the bits of 257^3", W);
  end
  if (XBits > MostBits || XBits > 2 * W) begin : gen_bad_range
    $error("mod_reduce_fold: XBits = %0d is above %0d or 2 W = %0d", XBits, MostBits, 2 * W);
  end

  typedef logic signed [CoeffBits-1:0] coeff_t;
  coeff_t [6:0] c;
  logic [55:0] x;
  assign x = 56'(x_i[XBits-1:0]);
  for (genvar i = 0; i < 7; i++) begin : gen_byte
    assign c[i] = CoeffBits'(x[8*i+:8]);
  end

  coeff_t ones_q, ys_q, squares_q;
  logic [SumBits-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    ones_q    <= c[0] - c[3] + (c[4] <<< 1) + c[4] - (c[5] <<< 2) - (c[5] <<< 1) + (c[6] <<< 3)
                 + (c[6] <<< 1);
    ys_q      <= c[1] - (c[3] <<< 1) - c[3] + (c[4] <<< 3) - (c[5] <<< 4) + c[5] + (c[6] <<< 4)
                 + (c[6] <<< 3);
    squares_q <= c[2] - (c[3] <<< 1) - c[3] + (c[4] <<< 2) + (c[4] <<< 1) - (c[5] <<< 3)
                 - (c[5] <<< 1) + (c[6] <<< 4) - c[6];
    sum_q <= Raise + SumBits'(ones_q) + (SumBits'(ys_q) << 8) + (SumBits'(squares_q) << 16);
  end

  mod_settle #(.W(W), .Q(Q)) u_settle (.clk_i, .s_i(sum_q), .r_o);

  if (2 * W > XBits) begin : gen_unread
    logic unused_high;
    assign unused_high = ^x_i[2*W-1:XBits];
  end

endmodule
