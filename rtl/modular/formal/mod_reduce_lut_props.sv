// The reducer by tables as one equation, for moduli so small that a solver takes it whole.
module mod_reduce_lut_props #(
  parameter int unsigned W = 8,
  parameter logic [W-1:0] Q = W'(61),
  parameter int unsigned XBits = 16
) (
  input logic           clk_i,
  input logic [2*W-1:0] x_i
);

  logic [W-1:0] r;
  mod_reduce_lut #(.W(W), .Q(Q), .XBits(XBits)) dut (.clk_i, .x_i, .r_o(r));

  logic [2:0] known_q = '0;
  logic [2:0][XBits-1:0] x_q;
  always_ff @(posedge clk_i) begin
    known_q <= {known_q[1:0], 1'b1};
    x_q <= {x_q[1:0], x_i[XBits-1:0]};
  end

  always_comb if (known_q[2]) assert (XBits'(r) == x_q[2] % XBits'(Q));

endmodule
