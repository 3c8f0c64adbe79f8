// ntt_butterfly for a modulus given at run time: one butterfly for both directions, one a cycle.
//
//   forward (Cooley-Tukey):     x = a + w b           y = a - w b
//   inverse (Gentleman-Sande):  x = (a + b) / 2       y = w (b - a) / 2       (mod q)
//
// q_i and mu_i as mod_mul_barrett_rt wants them: q_i of W bits, a shorter odd modulus shifted up by k.
// a_i, b_i and the results are then residues shifted alike, canonical in [0, q_i); w_i is a residue
// modulo the unshifted modulus. q_i, mu_i and inverse_i hold still while operands are in the pipeline.
// Latency MulBarrettRtLatency + 3, throughput one a cycle, no stall, no reset.
module ntt_butterfly_rt #(
  parameter int unsigned W = 32
) (
  input  logic         clk_i,
  input  logic [W-1:0] q_i,
  input  logic [W-1:0] mu_i,
  input  logic         inverse_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  input  logic [W-1:0] w_i,
  output logic [W-1:0] x_o,
  output logic [W-1:0] y_o
);

  localparam int unsigned MulLatency = modular_pkg::MulBarrettRtLatency;

  // First sums, of the inverse direction alone: forward the second terms are zero.
  logic [W:0] sum, sum_less, difference;
  assign sum = {1'b0, a_i} + {1'b0, b_i & {W{inverse_i}}};
  assign sum_less = sum - {1'b0, q_i};  // its top bit: sum < q, as sum - q < 2^W
  assign difference = {1'b0, b_i} - {1'b0, a_i & {W{inverse_i}}};

  // The place of the shifted 1: the modulus is odd, so the lowest one of q_i.
  logic [W-1:0] one_q, left_q, right_q, w_q;
  always_ff @(posedge clk_i) begin
    one_q <= q_i & (~q_i + 1'b1);
    left_q <= sum_less[W] ? sum[W-1:0] : sum_less[W-1:0];
    right_q <= difference[W-1:0] + (q_i & {W{difference[W]}});
    w_q <= w_i;
  end

  // Half of a residue: an odd one gets q first. The lowest bits of both are 1 together, or k is not 0.
  function automatic logic [W-1:0] half(logic [W-1:0] v, logic [W-2:0] half_q, logic [W-1:0] one);
    return {1'b0, v[W-1:1]} + ({1'b0, half_q} & {W{|(v & one)}}) + W'(v[0]);
  endfunction

  // The left operand goes past the multiplier.
  logic [MulLatency:0][W-1:0] past_q;
  logic [W-1:0] factor_q, twiddle_q, product;
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[MulLatency-1:0], inverse_i ? half(left_q, q_i[W-1:1], one_q) : left_q};
    factor_q <= inverse_i ? half(right_q, q_i[W-1:1], one_q) : right_q;
    twiddle_q <= w_q;
  end

  mod_mul_barrett_rt #(.W(W)) u_mul (
    .clk_i(clk_i),
    .q_i  (q_i),
    .mu_i (mu_i),
    .a_i  (factor_q),
    .b_i  (twiddle_q),
    .r_o  (product)
  );

  // Last sums, of the forward direction alone.
  logic [W-1:0] left;
  logic [W:0] plus, plus_less, minus;
  assign left = past_q[MulLatency];
  assign plus = {1'b0, left} + {1'b0, product & {W{!inverse_i}}};
  assign plus_less = plus - {1'b0, q_i};
  assign minus = {1'b0, left} - {1'b0, product};
  always_ff @(posedge clk_i) begin
    x_o <= plus_less[W] ? plus[W-1:0] : plus_less[W-1:0];
    y_o <= inverse_i ? product : minus[W-1:0] + (q_i & {W{minus[W]}});
  end

endmodule
