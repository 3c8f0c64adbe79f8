// mini_array with ternary codes gives the polynomial product, for all operands of a small width,
// a new product every cycle. Larger widths and rings are the same structure; the benches run them.
module mini_array_props #(
  parameter int unsigned LogN = 1,
  parameter int unsigned Width = 4,
  localparam int unsigned N = 1 << LogN
) (
  input logic                    clk_i,
  input logic [N-1:0][Width-1:0] a_i,
  input logic [N-1:0][1:0]       small_i,
  input logic [N-1:0][Width-1:0] addend_i
);

  logic [2*N-2:0][Width-1:0] y_o, expected;

  mini_array #(.LogN(LogN), .Width(Width), .OperandBits(2)) u_dut (
    .clk_i, .a_i, .small_i, .addend_i, .y_o
  );

  // Operands of the last N cycles.
  logic [N:1][N-1:0][Width-1:0] a_q, addend_q;
  logic [N:1][N-1:0][1:0] small_q;
  logic [LogN+1:0] age_q = '0;

  always_ff @(posedge clk_i) begin
    a_q[1] <= a_i;
    small_q[1] <= small_i;
    addend_q[1] <= addend_i;
    for (int unsigned k = 2; k <= N; k++) begin
      a_q[k] <= a_q[k-1];
      small_q[k] <= small_q[k-1];
      addend_q[k] <= addend_q[k-1];
    end
    if (32'(age_q) < N) age_q <= age_q + 1'b1;
  end

  always_comb begin
    expected = '0;
    for (int unsigned i = 0; i < N; i++) expected[i] = addend_q[N][i];
    for (int unsigned i = 0; i < N; i++) begin
      for (int unsigned j = 0; j < N; j++) begin
        case (small_q[N][j])
          2'b01: expected[i+j] += a_q[N][i];
          2'b11: expected[i+j] -= a_q[N][i];
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (32'(age_q) == N) assert (y_o == expected);
  end

endmodule
