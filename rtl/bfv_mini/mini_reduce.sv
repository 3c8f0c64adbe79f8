// Reduction modulo x^n + 1 by one parallel subtraction (paper: section III.A.2).
//
//   r_i = y_i - y_{n+i}  (mod 2^Width),   0 <= i < n,   y_{2n-1} = 0
//
// Lowest degree first. Latency 1, a polynomial every cycle, no stall. Register without reset.
module mini_reduce #(
  parameter int unsigned LogN = 4,
  parameter int unsigned Width = 32,
  localparam int unsigned N = 1 << LogN
) (
  input  logic                      clk_i,
  input  logic [2*N-2:0][Width-1:0] y_i,
  output logic [N-1:0][Width-1:0]   r_o
);

  logic [N-1:0][Width-1:0] r_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < N - 1; i++) r_q[i] <= y_i[i] - y_i[N+i];
    r_q[N-1] <= y_i[N-1];
  end

  assign r_o = r_q;

endmodule
