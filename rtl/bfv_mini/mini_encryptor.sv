// BFV encryption of one polynomial (paper: section III.A.5, top level block encryptor).
//
//   c0 = p0 u + e1 + Delta m,   c1 = p1 u + e2   in Z_q[x]/(x^n + 1), q = 2^32, Delta = 2^(32-LogT)
//
// Two arrays share u and work in parallel. All polynomials lowest degree first.
// Ranges: p0, p1, c0, c1 in [0, q); m in [0, t) (higher bits are dropped); e1, e2 in [-64, 63];
// u by OperandBits, 1: {0, 1}, 2: ternary codes (see mini_element).
//
// The paper adds e1 + Delta m after the reduction; here that sum is formed first and enters the
// array as the start value of its anti-diagonals, which is the same polynomial, one cycle sooner
// and without the n-deep delay lines for m, e1 and e2.
//
// Latency core_latency(n) = n + 2: result in cycle n + 2 after operands in cycle 0. An encryption
// every cycle; the pipeline never stalls. Operands count only with valid_i; else zeros enter, so
// that secrets leave the pipeline behind the last valid wave. p0 and p1 are taken with their wave.
module mini_encryptor
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 4,
  parameter int unsigned LogT = 16,
  parameter int unsigned OperandBits = 2,
  localparam int unsigned N = 1 << LogN
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            valid_i,
  input  coeff_t [N-1:0]                  p0_i,
  input  coeff_t [N-1:0]                  p1_i,
  input  logic [N-1:0][OperandBits-1:0]   u_i,
  input  noise_t [N-1:0]                  e1_i,
  input  noise_t [N-1:0]                  e2_i,
  input  logic [N-1:0][MessageBits-1:0]   message_i,
  output logic                            valid_o,
  output coeff_t [N-1:0]                  c0_o,
  output coeff_t [N-1:0]                  c1_o
);

  if (LogT < 1 || LogT > MessageBits) begin : gen_bad_log_t
    $error("mini_encryptor: LogT = %0d is not in 1..%0d", LogT, MessageBits);
  end
  if (OperandBits != 1 && OperandBits != 2) begin : gen_bad_operand_bits
    $error("mini_encryptor: OperandBits = %0d is not 1 or 2", OperandBits);
  end

  coeff_t [N-1:0] p0_q, p1_q, addend0_q, addend1_q;
  logic [N-1:0][OperandBits-1:0] u_q;

  always_ff @(posedge clk_i) begin
    p0_q <= p0_i;
    p1_q <= p1_i;
    u_q  <= valid_i ? u_i : '0;
    for (int unsigned i = 0; i < N; i++) begin
      addend0_q[i] <= valid_i ? encode(message_i[i], e1_i[i], LogT) : '0;
      addend1_q[i] <= valid_i ? coeff_t'(e2_i[i]) : '0;
    end
  end

  logic [2*N-2:0][LogQ-1:0] y0, y1;

  mini_array #(.LogN(LogN), .Width(LogQ), .OperandBits(OperandBits)) u_array0 (
    .clk_i, .a_i(p0_q), .small_i(u_q), .addend_i(addend0_q), .y_o(y0)
  );
  mini_array #(.LogN(LogN), .Width(LogQ), .OperandBits(OperandBits)) u_array1 (
    .clk_i, .a_i(p1_q), .small_i(u_q), .addend_i(addend1_q), .y_o(y1)
  );
  mini_reduce #(.LogN(LogN), .Width(LogQ)) u_reduce0 (.clk_i, .y_i(y0), .r_o(c0_o));
  mini_reduce #(.LogN(LogN), .Width(LogQ)) u_reduce1 (.clk_i, .y_i(y1), .r_o(c1_o));

  mini_valid #(.Depth(core_latency(N))) u_valid (.clk_i, .rst_ni, .valid_i, .valid_o);

endmodule
