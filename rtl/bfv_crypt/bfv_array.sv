// The systolic array: n elements in a chain, n/16 leaves of the fan-out tree.
//
// Element d holds coefficient a[d] (overlap mode) or ternary code d (paper mode) and is d places
// from the output; element n-1 takes in the sum 0. Coefficients are modulo 2^32, lowest degree
// first in time.
//   overlap  in step j of a period the bus carries a[n-1-j] of the product P that begins, u_i =
//            u[j] of product P-1 and v_i = -u[j] of product P; after it sum_o is coefficient j of
//            product P-1 modulo x^n + 1. `sel_clr_i` goes with the last step of a period and with
//            every cycle in which nothing is going on.
//   paper    the bus carries a[i] one cycle before the step i of the count phase (u_i = 2'b01);
//            after it sum_o = y_i, and y_(n+i) after step i of the hold phase (u_i = 2'b00).
//            `sum_clr_i` must come before the first product.
//
// Latency: from inputs to sum_o 2 cycles (3 from the bus in paper mode).
// Throughput: one coefficient a step; a cycle without `step_i` changes no sum.
// Parameters: LogN = log2 of the number of elements, 4 to 12.
module bfv_array
  import bfv_crypt_pkg::*;
#(
  parameter int unsigned LogN = 10,
  localparam int unsigned Groups = 1 << (LogN - 4)
) (
  input  logic               clk_i,

  input  logic               step_i,
  input  logic               paper_i,
  input  logic               sel_clr_i,
  input  logic               sum_clr_i,
  input  logic               wipe_i,
  input  code_t              u_i,
  input  code_t              v_i,
  input  coeff_t             bus_i,
  input  logic [Groups-1:0]  code_we_i,   // the bus carries the codes of these groups

  output coeff_t             sum_o
);

  if (LogN < 4 || LogN > 12) begin : gen_bad_log_n
    $error("bfv_array: LogN = %0d is not between 4 and 12", LogN);
  end

  logic [31:0] sum[Groups+1];
  logic        sel[Groups+1];

  assign sum[Groups] = '0;
  assign sel[Groups] = 1'b1;
  assign sum_o = sum[0];

  for (genvar g = 0; g < int'(Groups); g++) begin : gen_group
    bfv_pe_group u_group (
      .clk_i,
      .step_i,
      .paper_i,
      .sel_clr_i,
      .sum_clr_i,
      .wipe_i,
      .u_i,
      .v_i,
      .bus_i,
      .code_we_i (code_we_i[g]),
      .sel_i     (sel[g+1]),
      .sel_o     (sel[g]),
      .sum_i     (sum[g+1]),
      .sum_o     (sum[g])
    );
  end

endmodule
