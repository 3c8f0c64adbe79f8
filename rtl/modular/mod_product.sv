// Product of two numbers.
//
//   p_o = a_i * b_i;   operands any numbers of W bits
//
// Latency ProductLatency = 2, one a cycle, no stall, no reset. Operands should come from registers:
// synthesis may then use those in the multiplier cells.
//
// The multiplier cells of the Xilinx 7 series take signed numbers of 25 and 18 bits. For W from 18
// to 25 the product is made of two of them: a - 2^(W-1), which is signed, times the 17 low bits of
// b and times the rest; what the shift of a leaves out, b 2^(W-1), is added. Other widths are left
// to synthesis.
module mod_product #(
  parameter int unsigned W = 25
) (
  input  logic           clk_i,
  input  logic [W-1:0]   a_i,
  input  logic [W-1:0]   b_i,
  output logic [2*W-1:0] p_o
);

  logic [2*W-1:0] p_q;

  if (W >= 18 && W <= 25) begin : gen_two_cells
    localparam int unsigned CutBits = 17;
    localparam int unsigned HighBits = W - CutBits;

    logic signed [W-1:0] a;
    assign a = {~a_i[W-1], a_i[W-2:0]};

    logic signed [W+CutBits:0] low_q;
    logic signed [W+HighBits:0] high_q;
    logic [W-1:0] b_q;
    always_ff @(posedge clk_i) begin
      low_q  <= a * $signed({1'b0, b_i[CutBits-1:0]});
      high_q <= a * $signed({1'b0, b_i[W-1:CutBits]});
      b_q    <= b_i;
      p_q    <= ((2 * W)'(high_q) << CutBits) + (2 * W)'(low_q) + ((2 * W)'(b_q) << (W - 1));
    end
  end else begin : gen_plain
    logic [2*W-1:0] product_q;
    always_ff @(posedge clk_i) begin
      product_q <= (2 * W)'(a_i) * (2 * W)'(b_i);
      p_q       <= product_q;
    end
  end

  assign p_o = p_q;

endmodule
