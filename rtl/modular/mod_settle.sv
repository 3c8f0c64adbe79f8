// Last step of the reducers: a small sum to its residue.
//
//   r_o = s_i mod Q,   s_i any number of B + 4 bits, B = bits(Q);   result canonical, in [0, Q)
//
// The five top bits choose a multiple of Q, k = floor of Q into the largest number with these top
// bits: s - k Q lies in (-2^(B-1), Q). When that is negative, Q is added. No comparison is needed.
// Latency 1, one a cycle, no stall, no reset.
module mod_settle
  import modular_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  localparam int unsigned B = bits_of(64'(Q)),
  localparam int unsigned SumBits = B + SettleBits
) (
  input  logic               clk_i,
  input  logic [SumBits-1:0] s_i,
  output logic [W-1:0]       r_o
);

  localparam int unsigned TopBits = SettleBits + 1;
  localparam int unsigned Rows = 1 << TopBits;
  typedef logic [Rows-1:0][B:0] table_t;

  // Minus k Q.
  function automatic table_t multiples();
    longint unsigned largest;
    for (int unsigned row = 0; row < Rows; row++) begin
      largest = ((64'(row) + 1) << (B - 1)) - 1;
      multiples[row] = (B + 1)'(-(largest / 64'(Q)) * 64'(Q));
    end
  endfunction

  // In two's complement of B + 1 bits.
  logic [B:0] centred;
  mod_table_add #(.SumBits(B + 1), .IndexBits(TopBits), .Table(multiples())) u_multiple (
    .sum_i  (s_i[B:0]),
    .index_i(s_i[SumBits-1-:TopBits]),
    .sum_o  (centred)
  );

  logic [B-1:0] r_q;
  always_ff @(posedge clk_i) r_q <= centred[B-1:0] + (B'(Q) & {B{centred[B]}});

  assign r_o = W'(r_q);

endmodule
