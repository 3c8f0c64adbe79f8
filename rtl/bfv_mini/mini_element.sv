// One element of the two-dimensional array: multiplier, adder, two registers (paper: image V).
//
//   sum_o <= sum_i + small_i * a_i  (mod 2^Width),   a_o <= a_i
//
// Operands: a_i, sum_i in [0, 2^Width). small_i by OperandBits:
//   1          0 or 1
//   2          ternary code: bit 0 nonzero, bit 1 negative; 10 acts as zero
//   3..Width   unsigned integer in [0, 2^OperandBits), by a true multiplier: the paper's element
// Latency 1, one operation a cycle, no stall. The two registers have no reset: zero operands behind
// the last valid wave wipe them.
//
// The ternary product costs no multiplier: -a = ~a + 1, so one XOR in front of the adder and its
// carry input do all three cases in one LUT a bit. Code 10 adds ~0 + 1 = 0: no gate is needed for
// it.
module mini_element #(
  parameter int unsigned Width = 32,
  parameter int unsigned OperandBits = 2
) (
  input  logic                   clk_i,
  input  logic [Width-1:0]       a_i,
  input  logic [OperandBits-1:0] small_i,
  input  logic [Width-1:0]       sum_i,
  output logic [Width-1:0]       a_o,
  output logic [Width-1:0]       sum_o
);

  logic [Width-1:0] a_q, sum_d, sum_q;

  if (OperandBits == 1) begin : gen_binary
    assign sum_d = sum_i + (a_i & {Width{small_i[0]}});
  end else if (OperandBits == 2) begin : gen_ternary
    logic negative;
    assign negative = small_i[1];
    assign sum_d = sum_i + ((a_i & {Width{small_i[0]}}) ^ {Width{negative}}) + Width'(negative);
  end else if (OperandBits <= Width && OperandBits > 2) begin : gen_integer
    assign sum_d = sum_i + Width'(a_i * Width'(small_i));
  end else begin : gen_bad_operand_bits
    $error("mini_element: OperandBits = %0d is not in 1..%0d", OperandBits, Width);
  end

  always_ff @(posedge clk_i) begin
    a_q   <= a_i;
    sum_q <= sum_d;
  end

  assign a_o   = a_q;
  assign sum_o = sum_q;

endmodule
