// The sample is the difference of the two counts, two cycles later, for every input.
module binomial21_props
  import random_pkg::*;
(
  input logic        clk_i,
  input logic [41:0] bits_i
);

  binomial_t e;
  binomial21 dut (
    .clk_i,
    .clear_i(1'b0),
    .bits_i,
    .e_o(e)
  );

  logic [41:0] bits_q[2];
  logic [1:0] known_q = '0;
  always_ff @(posedge clk_i) begin
    bits_q[0] <= bits_i;
    bits_q[1] <= bits_q[0];
    known_q <= {known_q[0], 1'b1};
  end

  logic signed [6:0] difference;
  always_comb begin
    difference = '0;
    for (int i = 0; i < 21; i++) begin
      difference = difference + 7'(bits_q[1][i]) - 7'(bits_q[1][21+i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (known_q[1]) begin
      assert (7'(e) == difference);
      assert (e >= -21 && e <= 21);
    end
  end

endmodule
