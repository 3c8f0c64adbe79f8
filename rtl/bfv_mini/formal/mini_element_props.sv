// Truth table of mini_element, for all operands: OperandBits 1 (binary) and 2 (ternary).
module mini_element_props #(
  parameter int unsigned Width = 32,
  parameter int unsigned OperandBits = 2
) (
  input logic                   clk_i,
  input logic [Width-1:0]       a_i,
  input logic [OperandBits-1:0] small_i,
  input logic [Width-1:0]       sum_i
);

  logic [Width-1:0] a_o, sum_o, a_q, sum_q;
  logic [OperandBits-1:0] small_q;
  logic started_q = 1'b0;

  mini_element #(.Width(Width), .OperandBits(OperandBits)) u_dut (
    .clk_i, .a_i, .small_i, .sum_i, .a_o, .sum_o
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    a_q <= a_i;
    sum_q <= sum_i;
    small_q <= small_i;
    if (started_q) begin
      assert (a_o == a_q);
      case (2'(small_q))
        2'b01: assert (sum_o == sum_q + a_q);
        2'b11: assert (sum_o == sum_q - a_q);
        default: assert (sum_o == sum_q);
      endcase
    end
  end

endmodule
