// The last step of every operation on one word of each part.
//
//   operation     out_o[j]
//   OpMultiply    z_i[j] mod Q_l (and OpConvert)                  j = 0, 1, 2
//   OpKeySwitch   z_i[j] + a_i[j] mod Q_l                         j = 0, 1
//   OpAdd         a_i[j] + b_i[j] mod Q_l                         j = 0, 1, 2
//   OpEncrypt     z_i[j] + p noise_i[j] + (j = 0: message) mod Q  j = 0, 1
//   OpDecrypt     (z_i[0] + a_i[0] mod Q_l, centred) mod p        j = 0
//   OpModSwitch   (a_i[j] - delta) / q_l mod Q_(l-1)              j = 0, 1, 2
//
// with p = 2^log_p_i, the message a_i[0] in [0, p) embedded in [-p/2, p/2), and delta the number that is
// a_i[j] modulo q_l (centred) and 0 modulo p: as q_l = 1 mod p, (a - delta) / q_l = (a - r) / q_l - k with
// r = a mod q_l in (-q_l/2, q_l/2) and k = -r mod p in (-p/2, p/2].
//
// Words in [0, Q_l). Latency bgv_core_pkg::FinishLatency = 8, one a cycle, no stall, no reset; operation,
// level and log_p_i hold still for a polynomial.
module bgv_finish
  import bgv_core_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter int unsigned Q0 = 257,
  parameter int unsigned Q1 = 257,
  parameter int unsigned Q2 = 257
) (
  input  logic                   clk_i,
  input  op_e                    op_i,
  input  logic [1:0]             level_i,
  input  logic [3:0]             log_p_i,   // 1..8
  input  logic [2:0][W-1:0]      z_i,
  input  logic [2:0][W-1:0]      a_i,
  input  logic [2:0][W-1:0]      b_i,
  input  logic signed [1:0][5:0] noise_i,
  output logic [2:0][W-1:0]      out_o
);

  localparam int unsigned Levels = levels(Q1, Q2);
  localparam logic [W-1:0] Q = W'(modulus(2, Q0, Q1, Q2));
  typedef logic [W:0] reciprocal_t;

  // By divisor: Q_0, Q_1, Q_2 (reduction to a level), then the factors (modulus switching).
  function automatic logic [5:0][W-1:0] divisors();
    for (int unsigned l = 0; l < 3; l++) begin
      divisors[l] = W'(modulus(l < Levels ? l : Levels - 1, Q0, Q1, Q2));
    end
    divisors[3] = W'(Q0);
    divisors[4] = W'(Q1);
    divisors[5] = W'(Q2);
  endfunction
  localparam logic [5:0][W-1:0] Divisors = divisors();

  logic [2:0] choice;
  assign choice = op_i == OpModSwitch ? 3'd3 + 3'(level_i) : 3'(level_i);
  logic [W-1:0] divisor, below;
  reciprocal_t inverse;
  logic [4:0] shift;  // beyond W
  always_comb begin
    divisor = Divisors[0];
    inverse = reciprocal_t'(reciprocal(64'(Divisors[0]), W));
    shift = 5'(modular_pkg::bits_of(64'(Divisors[0])));
    for (int unsigned d = 1; d < 6; d++) begin
      if (choice == 3'(d)) begin
        divisor = Divisors[d];
        inverse = reciprocal_t'(reciprocal(64'(Divisors[d]), W));
        shift = 5'(modular_pkg::bits_of(64'(Divisors[d])));
      end
    end
    below = level_i == 2'd2 ? Divisors[1] : Divisors[0];  // Q_(l-1)
  end

  // These hold still for a polynomial; one register each keeps the path short.
  logic [W-1:0] divisor_q, below_q;
  reciprocal_t inverse_q;
  logic [4:0] shift_q;
  op_e op_q;
  logic [3:0] log_p_q;
  logic [7:0] p_mask_q;
  always_ff @(posedge clk_i) begin
    {divisor_q, below_q, inverse_q, shift_q} <= {divisor, below, inverse, shift};
    op_q <= op_i;
    log_p_q <= log_p_i;
    p_mask_q <= 8'((9'd1 << log_p_i) - 9'd1);
  end

  for (genvar j = 0; j < 3; j++) begin : gen_part
    // Stages 1 and 2: the sum modulo Q.
    logic [W-1:0] left_q, right_q, sum, x_q;
    logic [W-1:0] added;
    if (j < 2) begin : gen_small
      assign added = W'(embed(noise_i[j], j == 0 ? a_i[0][8:0] : '0, log_p_q, 32'(Q)));
    end else begin : gen_no_small
      assign added = '0;
    end
    always_ff @(posedge clk_i) begin
      left_q <= (op_q == OpAdd || op_q == OpModSwitch) ? a_i[j] : z_i[j];
      unique case (op_q)
        OpAdd: right_q <= b_i[j];
        OpKeySwitch, OpDecrypt: right_q <= j < 2 ? a_i[j] : '0;
        OpEncrypt: right_q <= added;
        default: right_q <= '0;
      endcase
    end
    mod_add #(.W(W), .Q(Q)) u_add (.a_i(left_q), .b_i(right_q), .r_o(sum));
    always_ff @(posedge clk_i) x_q <= sum;

    // Stages 3 to 6: quotient and rest.
    logic [2*W:0] scaled_q, scaled2_q;
    logic [W-1:0] x3_q, x4_q, x5_q, quotient, quotient5_q, quotient6_q, multiple5_q, rest6_q;
    assign quotient = W'(scaled2_q >> W >> shift_q);
    always_ff @(posedge clk_i) begin
      scaled_q <= (2*W+1)'(x_q) * (2*W+1)'(inverse_q);
      scaled2_q <= scaled_q;
      {x3_q, x4_q, x5_q} <= {x_q, x3_q, x4_q};
      multiple5_q <= quotient * divisor_q;
      quotient5_q <= quotient;
      rest6_q <= x5_q - multiple5_q;
      quotient6_q <= quotient5_q;
    end

    // Stage 7: the rest centred; what it adds.
    logic upper;
    logic signed [W:0] centred;
    logic [7:0] negative;        // -r mod p
    logic signed [8:0] k;
    assign upper = rest6_q > divisor_q >> 1;
    assign centred = $signed({1'b0, rest6_q}) - (upper ? $signed({1'b0, divisor_q}) : (W+1)'(0));
    assign negative = 8'(-centred) & p_mask_q;
    logic signed [8:0] positive;
    assign positive = $signed({1'b0, negative});
    assign k = {1'b0, negative} > 9'(p_mask_q >> 1) + 9'd1 ?
               positive - $signed(9'(p_mask_q) + 9'd1) : positive;
    logic signed [W+1:0] down7_q;
    logic [W-1:0] rest7_q;
    logic [7:0] message7_q;
    always_ff @(posedge clk_i) begin
      down7_q <= $signed({2'b0, quotient6_q}) + (W+2)'(upper) - (W+2)'(k);
      rest7_q <= rest6_q;
      message7_q <= 8'(centred) & p_mask_q;
    end

    // Stage 8: the result.
    logic signed [W+1:0] raised, lowered;
    assign raised = down7_q + $signed({2'b0, below_q});
    assign lowered = down7_q - $signed({2'b0, below_q});
    always_ff @(posedge clk_i) begin
      unique case (op_q)
        OpModSwitch: out_o[j] <= W'(down7_q < 0 ? raised : (lowered >= 0 ? lowered : down7_q));
        OpDecrypt: out_o[j] <= W'(message7_q);
        default: out_o[j] <= rest7_q;
      endcase
    end
  end

endmodule
