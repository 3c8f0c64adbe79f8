// Delay line: data_o is data_i of Depth cycles ago; Depth = 0 is a wire.
//
// No reset, so that synthesis may use shift-register LUTs. Latency Depth, one word a cycle.
module mini_delay #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Width < 1) begin : gen_bad_width
    $error("mini_delay: Width = %0d is not at least 1", Width);
  end

  if (Depth == 0) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk_i;
    assign data_o = data_i;
  end else begin : gen_line
    logic [Depth-1:0][Width-1:0] line_q;
    always_ff @(posedge clk_i) begin
      line_q[0] <= data_i;
      for (int unsigned k = 1; k < Depth; k++) line_q[k] <= line_q[k-1];
    end
    assign data_o = line_q[Depth-1];
  end

endmodule
