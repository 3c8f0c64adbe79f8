// A uniform number of 44 bits to a ternary code; combinational.
//
//   v = floor(3 x_i / 2^44); code_o = 00, 01, 11 (0, +1, -1) for v = 0, 1, 2
//
// v >= 1 when x > (2^44 - 1) / 3 = 0101..01, and v = 2 when x > 1010..10: two comparisons with
// constants in place of the product, and their results are the code. They are made from the last
// pair of bits up: a pair above its constant decides for greater, below it against.
module ternary44
  import random_pkg::*;
(
  input  logic [2*HalfBits-1:0] x_i,
  output ternary_t              code_o
);

  localparam logic [2*HalfBits-1:0] Third = {HalfBits{2'b01}};
  localparam logic [2*HalfBits-1:0] TwoThirds = {HalfBits{2'b10}};

  assign code_o = {x_i > TwoThirds, x_i > Third};

endmodule
