// Words of a polynomial's beats times Psi^index, on their way into a decimation-in-frequency transform.
//
//   beat_o[0] = beat_i[0] Psi^step_i        beat_o[1] = beat_i[1] Psi^(step_i + n/2)        forward
//   beat_o = beat_i                                                                         inverse
//
// Beats of two words, as ntt_unit with one butterfly takes them; words in [0, Q). Latency
// ntt_pkg::twist_latency, one beat a cycle, no stall, no reset.
module ntt_twist #(
  parameter int unsigned LogN = 7,
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter logic [W-1:0] Psi = W'(3_259_673),
  localparam int unsigned LogT = LogN - 1
) (
  input  logic              clk_i,
  input  logic              inverse_i,
  input  logic [LogT-1:0]   step_i,
  input  logic [1:0][W-1:0] beat_i,
  output logic [1:0][W-1:0] beat_o
);

  localparam int unsigned T = 1 << LogT;

  logic inverse_q;
  always_ff @(posedge clk_i) inverse_q <= inverse_i;

  for (genvar k = 0; k < 2; k++) begin : gen_word
    logic [W-1:0] table_q[T];
    for (genvar c = 0; c < T; c++) begin : gen_power
      localparam logic [W-1:0] Power = W'(ntt_pkg::power(64'(Psi), c + k * T, 64'(Q)));
      initial table_q[c] = Power;
    end

    logic [W-1:0] power_q, word_q, factor_q, operand_q;
    always_ff @(posedge clk_i) begin
      power_q <= table_q[step_i];
      word_q <= beat_i[k];
      factor_q <= inverse_q ? W'(1) : power_q;
      operand_q <= word_q;
    end
    mod_mul #(.W(W), .Q(Q)) u_mul (
      .clk_i(clk_i),
      .a_i(operand_q),
      .b_i(factor_q),
      .r_o(beat_o[k])
    );
  end

endmodule
