// Two-dimensional systolic polynomial multiplier (Kung; paper: section III.A.1, image IV).
//
//   y_k = addend_k + sum over i + j = k of a_i * small_j  (mod 2^Width),   k = 0 .. 2n-2
//
// with addend_k = 0 for k >= n. All polynomials lowest degree first, ordinary (coefficient) domain.
//
// Element (i, j), row i and column j, multiplies a_i by small_j. Large coefficients move right,
// sums along the anti-diagonal (i, j) -> (i-1, j+1), and small_j is delayed by j cycles, so that
// column j works on a product j cycles after column 0: every element is busy with another product
// in every cycle. y_k for k < n begins at element (k, 0) and leaves at (0, k), earlier than the
// others; a triangle of delays brings all 2n-1 outputs out together. The sum of an anti-diagonal
// begins with the addend, not with zero, so a polynomial to be added to the low half costs nothing.
//
// Latency n cycles (result in cycle n after operands in cycle 0); a product every cycle; no stall,
// no control: the caller carries the valid bit. Parameters: LogN: n = 2^LogN, 1 to 6. Width: bits
// of a coefficient. OperandBits: see mini_element.
module mini_array #(
  parameter int unsigned LogN = 4,
  parameter int unsigned Width = 32,
  parameter int unsigned OperandBits = 2,
  localparam int unsigned N = 1 << LogN
) (
  input  logic                           clk_i,
  input  logic [N-1:0][Width-1:0]        a_i,
  input  logic [N-1:0][OperandBits-1:0]  small_i,
  input  logic [N-1:0][Width-1:0]        addend_i,
  output logic [2*N-2:0][Width-1:0]      y_o
);

  if (LogN < 1 || LogN > 6) begin : gen_bad_log_n
    $error("mini_array: LogN = %0d is not in 1..6", LogN);
  end

  // Column c is the input of the elements (., c); column c + 1 their output.
  logic [N:0][N-1:0][Width-1:0] a;
  logic [N:0][N:0][Width-1:0]   sum;
  logic [N-1:0][OperandBits-1:0] small_late;

  assign a[0] = a_i;
  assign sum[0][N-1:0] = addend_i;
  assign sum[0][N] = '0;

  for (genvar j = 0; j < N; j++) begin : gen_column
    mini_delay #(.Width(OperandBits), .Depth(j)) u_small (
      .clk_i, .data_i(small_i[j]), .data_o(small_late[j])
    );

    for (genvar i = 0; i < N; i++) begin : gen_row
      // What element (i, j) adds to: the addend in column 0; else the sum from the row below, which
      // has none for the last row, where the degrees from n upwards begin.
      logic [Width-1:0] sum_in;
      if (j == 0) begin : gen_first
        assign sum_in = sum[0][i];
      end else begin : gen_next
        assign sum_in = sum[j][i+1];
      end
      // Synthesis maps the element once, by itself, when no instance overrides its parameters.
      if (Width == 32 && OperandBits == 2) begin : gen_default
        mini_element u_element (
          .clk_i,
          .a_i    (a[j][i]),
          .small_i(small_late[j]),
          .sum_i  (sum_in),
          .a_o    (a[j+1][i]),
          .sum_o  (sum[j+1][i])
        );
      end else begin : gen_variant
        mini_element #(.Width(Width), .OperandBits(OperandBits)) u_element (
          .clk_i,
          .a_i    (a[j][i]),
          .small_i(small_late[j]),
          .sum_i  (sum_in),
          .a_o    (a[j+1][i]),
          .sum_o  (sum[j+1][i])
        );
      end
    end
    assign sum[j+1][N] = '0;

    // Degree j leaves at the top of column j.
    mini_delay #(.Width(Width), .Depth(N - 1 - j)) u_align (
      .clk_i, .data_i(sum[j+1][0]), .data_o(y_o[j])
    );
  end

  for (genvar i = 1; i < N; i++) begin : gen_high
    assign y_o[N-1+i] = sum[N][i];
  end

  logic unused_last;
  assign unused_last = ^{a[N], sum[N][N], sum[0][N]};

endmodule
