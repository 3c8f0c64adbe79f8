// BFV decryption of one ciphertext (paper: section III.A.4, top level decryptor).
//
//   m = floor((c0 + c1 s) / Delta + 1/2) mod t   in Z_q[x]/(x^n + 1), q = 2^32, Delta = 2^(32-LogT)
//
// Lowest degree first. Ranges: c0, c1 in [0, q); m in [0, t); s by OperandBits, 1: {0, 1},
// 2: ternary codes (see mini_element).
//
// c0 + Delta/2 is the start value of the anti-diagonals; the message is then the top LogT bits of
// the reduced product: rounding costs no adder behind the reduction.
//
// Latency core_latency(n) = n + 2: result in cycle n + 2 after operands in cycle 0. A decryption
// every cycle; the pipeline never stalls. Operands count only with valid_i; else zeros enter.
module mini_decryptor
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 4,
  parameter int unsigned LogT = 16,
  parameter int unsigned OperandBits = 2,
  localparam int unsigned N = 1 << LogN
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          valid_i,
  input  coeff_t [N-1:0]                c0_i,
  input  coeff_t [N-1:0]                c1_i,
  input  logic [N-1:0][OperandBits-1:0] s_i,
  output logic                          valid_o,
  output logic [N-1:0][MessageBits-1:0] message_o
);

  if (LogT < 1 || LogT > MessageBits) begin : gen_bad_log_t
    $error("mini_decryptor: LogT = %0d is not in 1..%0d", LogT, MessageBits);
  end
  if (OperandBits != 1 && OperandBits != 2) begin : gen_bad_operand_bits
    $error("mini_decryptor: OperandBits = %0d is not 1 or 2", OperandBits);
  end

  coeff_t [N-1:0] c1_q, addend_q;
  logic [N-1:0][OperandBits-1:0] s_q;

  always_ff @(posedge clk_i) begin
    c1_q <= c1_i;
    s_q  <= valid_i ? s_i : '0;
    for (int unsigned i = 0; i < N; i++) begin
      addend_q[i] <= valid_i ? biased(c0_i[i], LogT) : '0;
    end
  end

  logic [2*N-2:0][LogQ-1:0] y;
  coeff_t [N-1:0] scaled;

  mini_array #(.LogN(LogN), .Width(LogQ), .OperandBits(OperandBits)) u_array (
    .clk_i, .a_i(c1_q), .small_i(s_q), .addend_i(addend_q), .y_o(y)
  );
  mini_reduce #(.LogN(LogN), .Width(LogQ)) u_reduce (.clk_i, .y_i(y), .r_o(scaled));

  for (genvar i = 0; i < N; i++) begin : gen_message
    assign message_o[i] = quotient(scaled[i], LogT);
  end

  mini_valid #(.Depth(core_latency(N))) u_valid (.clk_i, .rst_ni, .valid_i, .valid_o);

endmodule
