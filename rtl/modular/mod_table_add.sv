// One step of the reduction by tables; combinational.
//
//   sum_o = sum_i + Table[index_i]  (mod 2^SumBits)
//
// With at most five index bits a bit of table and adder together is a function of six bits: one LUT
// in front of the carry chain can make sum ^ term, and the chain takes the sum itself beside it.
//
// The adder has a place of weight 1/2, of zeros: without it Yosys takes a chain of these steps for
// one sum of many terms, and builds carry-save adders that cost two LUTs a bit and keep table and
// adder apart.
module mod_table_add #(
  parameter int unsigned SumBits = 29,
  parameter int unsigned IndexBits = 5,
  parameter logic [(1<<IndexBits)-1:0][SumBits-1:0] Table = '0
) (
  input  logic [SumBits-1:0]   sum_i,
  input  logic [IndexBits-1:0] index_i,
  output logic [SumBits-1:0]   sum_o
);

  logic [SumBits:0] twice;
  assign twice = {sum_i, 1'b0} + {Table[index_i], 1'b0};
  assign sum_o = twice[SumBits:1];

  logic unused_half;
  assign unused_half = twice[0];

endmodule
