// The arithmetic of one element: sum_o = sum_i + code * a modulo 2^32, code = (neg, nz).
//
//   sum + ((a & nz) ^ neg) + neg     one LUT and one carry position a bit, no multiplier
//
// nz = 0 adds nothing, also with neg = 1: all ones + 1 = 0.
// Combinational. A module of its own because synthesis, asked for speed, otherwise copies the
// choice of nz and neg into the lowest bits: 39 LUTs an element in place of 35.
(* keep_hierarchy *)
module bfv_term (
  input  logic        nz_i,
  input  logic        neg_i,
  input  logic [31:0] a_i,
  input  logic [31:0] sum_i,
  output logic [31:0] sum_o
);

  assign sum_o = sum_i + ((a_i & {32{nz_i}}) ^ {32{neg_i}}) + 32'(neg_i);

endmodule
