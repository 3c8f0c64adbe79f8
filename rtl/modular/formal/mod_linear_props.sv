// Sum, difference and half, for all residues.
module mod_linear_props #(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3)
) (
  input logic         clk_i,
  input logic [W-1:0] a_i,
  input logic [W-1:0] b_i
);

  typedef logic [W+1:0] whole_t;

  logic [W-1:0] sum, difference, half;
  mod_add #(.W(W), .Q(Q)) u_add (.a_i, .b_i, .r_o(sum));
  mod_sub #(.W(W), .Q(Q)) u_sub (.a_i, .b_i, .r_o(difference));
  mod_half #(.W(W), .Q(Q)) u_half (.a_i, .r_o(half));

  whole_t a, b, less;
  assign a = whole_t'(a_i);
  assign b = whole_t'(b_i);
  assign less = whole_t'(difference) + b;  // a, or a + Q
  always_ff @(posedge clk_i) begin
    if (a_i < Q && b_i < Q) begin
      assert (sum < Q && (whole_t'(sum) == a + b || whole_t'(sum) + whole_t'(Q) == a + b));
      assert (difference < Q && (less == a || less == a + whole_t'(Q)));
      assert (half < Q && ({1'b0, half, 1'b0} == a || {1'b0, half, 1'b0} == a + whole_t'(Q)));
    end
  end

endmodule
