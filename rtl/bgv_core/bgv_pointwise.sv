// Products of evaluations, one word a cycle.
//
//   operation     x_i                 key_i                    out_o
//   OpMultiply    a0, a1, b0, b1                               a0 b0, a0 b1 + a1 b0, a1 b1
//   OpKeySwitch   digits D_i          b_0, a_0, b_1, a_1, ..   sum D_i b_i, sum D_i a_i
//   OpEncrypt     u                   p0, p1                   p0 u, p1 u
//   OpDecrypt     c1                  s                        c1 s
//   OpConvert     c0, c1, c2                                   c0, c1, c2
//
// with addend_i[j] added to out_o[j]. Words in [0, Q); outputs that an operation does not make are undefined. Latency
// bgv_core_pkg::PointwiseLatency = MulLatency + 3, no stall, no reset; the operation holds still for a
// polynomial.
module bgv_pointwise
  import bgv_core_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter int unsigned Digits = 2,
  localparam int unsigned Lanes = Digits > 4 ? Digits : 4,
  localparam int unsigned Products = 2 * Digits > 4 ? 2 * Digits : 4
) (
  input  logic                         clk_i,
  input  op_e                          op_i,
  input  logic [Lanes-1:0][W-1:0]      x_i,
  input  logic [2*Digits-1:0][W-1:0]   key_i,
  input  logic [1:0][W-1:0]            addend_i,
  output logic [2:0][W-1:0]            out_o
);

  localparam int unsigned MulLatency = modular_pkg::MulLatency;

  // Factors. Products 0 and 1 belong to out 0 and 1 in every operation; the tensor adds 2 to 1, and 3
  // is its out 2. Key switching adds the even ones and the odd ones.
  logic [Products-1:0][W-1:0] left_q, right_q, product;
  logic multiply_q;
  always_ff @(posedge clk_i) begin
    multiply_q <= op_i inside {OpMultiply, OpConvert};
    for (int unsigned j = 0; j < Products; j++) begin
      left_q[j] <= op_i == OpKeySwitch ? x_i[j/2] : x_i[0];
      right_q[j] <= j < 2 * Digits ? key_i[j] : '0;
    end
    if (op_i == OpMultiply) begin
      left_q[0] <= x_i[0];
      right_q[0] <= x_i[2];
      left_q[1] <= x_i[0];
      right_q[1] <= x_i[3];
      left_q[2] <= x_i[1];
      right_q[2] <= x_i[2];
      left_q[3] <= x_i[1];
      right_q[3] <= x_i[3];
    end
    if (op_i == OpConvert) begin
      left_q[1] <= x_i[1];
      left_q[3] <= x_i[2];
      {right_q[0], right_q[1], right_q[2], right_q[3]} <= {W'(1), W'(1), W'(0), W'(1)};
    end
  end

  // Addends wait for the sums.
  logic [MulLatency+1:0][1:0][W-1:0] addend_q;
  always_ff @(posedge clk_i) addend_q <= {addend_q[MulLatency:0], addend_i};

  for (genvar j = 0; j < Products; j++) begin : gen_product
    mod_mul #(.W(W), .Q(Q)) u_mul (
      .clk_i(clk_i),
      .a_i(left_q[j]),
      .b_i(right_q[j]),
      .r_o(product[j])
    );
  end

  logic [MulLatency-1:0] multiply_past_q;
  logic [MulLatency-1:0][1:0] single_past_q;
  logic single;
  assign single = op_i == OpEncrypt || op_i == OpDecrypt;
  logic single_q;
  always_ff @(posedge clk_i) begin
    single_q <= single;
    multiply_past_q <= {multiply_past_q[MulLatency-2:0], multiply_q};
    single_past_q <= {single_past_q[MulLatency-2:0], {1'b0, single_q}};
  end

  // Sums of the even and of the odd products; of two, in a register, then of all.
  logic multiply;
  assign multiply = multiply_past_q[MulLatency-1];
  logic [Digits-1:0][W-1:0] even, odd;
  for (genvar i = 0; i < Digits; i++) begin : gen_terms
    assign even[i] = (single_past_q[MulLatency-1][0] && i > 0) ? '0 : product[2*i];
    assign odd[i] = (single_past_q[MulLatency-1][0] && i > 0) ? '0 : product[2*i+1];
  end

  logic [W-1:0] mixed, even_sum, odd_sum;
  mod_add #(.W(W), .Q(Q)) u_cross (.a_i(product[1]), .b_i(product[2]), .r_o(mixed));
  mod_sum #(.W(W), .Q(Q), .Terms(Digits)) u_even (.terms_i(even), .sum_o(even_sum));
  mod_sum #(.W(W), .Q(Q), .Terms(Digits)) u_odd (.terms_i(odd), .sum_o(odd_sum));

  logic [2:0][W-1:0] sum_q, out_q;
  logic [1:0][W-1:0] total;
  for (genvar j = 0; j < 2; j++) begin : gen_addend
    mod_add #(.W(W), .Q(Q)) u_add (
      .a_i(sum_q[j]), .b_i(addend_q[MulLatency+1][j]), .r_o(total[j])
    );
  end
  always_ff @(posedge clk_i) begin
    sum_q[0] <= multiply ? product[0] : even_sum;
    sum_q[1] <= multiply ? mixed : odd_sum;
    sum_q[2] <= product[3];
    out_q <= {sum_q[2], total};
  end
  assign out_o = out_q;

endmodule
