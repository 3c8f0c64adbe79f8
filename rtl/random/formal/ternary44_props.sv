// The code is floor(3 x / 2^44) in thermometer form, for every x.
module ternary44_props
  import random_pkg::*;
(
  input logic        clk_i,
  input logic [43:0] x_i
);

  ternary_t code;
  ternary44 dut (
    .x_i,
    .code_o(code)
  );

  logic [45:0] product;
  assign product = 46'(x_i) + {1'b0, x_i, 1'b0};

  always_ff @(posedge clk_i) begin
    assert (code == {product[45:44] == 2'd2, product[45:44] != 2'd0});
    assert (product[45:44] != 2'd3);
  end

endmodule
