// One butterfly for both directions, one a cycle.
//
//   forward (Cooley-Tukey):     x = a + w b           y = a - w b
//   inverse (Gentleman-Sande):  x = (a + b) / 2       y = w (b - a) / 2       (mod Q)
//
// With Dif the forward direction multiplies last too, as the S-BGV paper's butterfly does:
//
//   forward (Gentleman-Sande):  x = a + b             y = w (a - b)
//
// The halves make n^-1 of the inverse transform; its twiddle is -w^-1 for the w of the forward one, hence
// b - a. Operands and results in [0, Q). Latency MulLatency + 3, throughput one a cycle, no stall, no
// reset.
module ntt_butterfly #(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter bit Dif = 1'b0
) (
  input  logic         clk_i,
  input  logic         inverse_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  input  logic [W-1:0] w_i,
  output logic [W-1:0] x_o,
  output logic [W-1:0] y_o
);

  localparam int unsigned MulLatency = modular_pkg::MulLatency;

  // First sum: only the inverse direction takes it, and with Dif both, with a difference each.
  logic [W-1:0] sum, from, less, difference;
  assign {from, less} = Dif && !inverse_i ? {a_i, b_i} : {b_i, a_i};
  mod_add #(.W(W), .Q(Q)) u_sum (.a_i(a_i), .b_i(b_i), .r_o(sum));
  mod_sub #(.W(W), .Q(Q)) u_difference (.a_i(from), .b_i(less), .r_o(difference));

  logic inverse_q;
  logic [W-1:0] left_q, right_q, w_q;
  always_ff @(posedge clk_i) begin
    inverse_q <= inverse_i;
    left_q <= Dif || inverse_i ? sum : a_i;
    right_q <= Dif || inverse_i ? difference : b_i;
    w_q <= w_i;
  end

  logic [W-1:0] half_left, half_right;
  mod_half #(.W(W), .Q(Q)) u_half_left (.a_i(left_q), .r_o(half_left));
  mod_half #(.W(W), .Q(Q)) u_half_right (.a_i(right_q), .r_o(half_right));

  // What goes past the multiplier.
  logic [MulLatency:0] past_inverse_q;
  logic [MulLatency:0][W-1:0] past_q;
  logic [W-1:0] factor_q, twiddle_q, product;
  always_ff @(posedge clk_i) begin
    past_inverse_q <= {past_inverse_q[MulLatency-1:0], inverse_q};
    past_q <= {past_q[MulLatency-1:0], inverse_q ? half_left : left_q};
    factor_q <= inverse_q ? half_right : right_q;
    twiddle_q <= w_q;
  end

  mod_mul #(.W(W), .Q(Q)) u_mul (.clk_i(clk_i), .a_i(factor_q), .b_i(twiddle_q), .r_o(product));

  logic [W-1:0] left;
  assign left = past_q[MulLatency];
  if (Dif) begin : gen_multiplied_last
    always_ff @(posedge clk_i) {x_o, y_o} <= {left, product};
    logic unused_direction;
    assign unused_direction = past_inverse_q[MulLatency];
  end else begin : gen_summed_last
    logic [W-1:0] plus, minus;
    mod_add #(.W(W), .Q(Q)) u_plus (.a_i(left), .b_i(product), .r_o(plus));
    mod_sub #(.W(W), .Q(Q)) u_minus (.a_i(left), .b_i(product), .r_o(minus));

    always_ff @(posedge clk_i) begin
      x_o <= past_inverse_q[MulLatency] ? left : plus;
      y_o <= past_inverse_q[MulLatency] ? product : minus;
    end
  end

endmodule
