// The valid bit of a fixed-latency pipeline: valid_o is valid_i of Depth cycles ago, 0 after reset.
//
// Latency Depth >= 2, no stall.
module mini_valid #(
  parameter int unsigned Depth = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic valid_o
);

  if (Depth < 2) begin : gen_bad_depth
    $error("mini_valid: Depth = %0d is not at least 2", Depth);
  end

  logic [Depth-1:0] valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Depth-2:0], valid_i};
  end

  assign valid_o = valid_q[Depth-1];

endmodule
