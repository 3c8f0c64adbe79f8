// Reduction modulo x^n + 1 and the addition, before the output register.
//
//   overlap  c = addend + y              (the array has reduced already)
//   paper    c = addend + y_i - y_(n+i)  (the first n outputs wait in a delay line of n words)
//
// All modulo 2^32, lowest degree first. One adder a stage:
//   R0  `addr_i` chooses the word of the delay line
//   R1  `addend_i`; addend + delayed word
//   R2  `y_i`; plus or minus y; the delay line takes y where `store_i` (paper, count phase)
// `c_o` is combinational in R2.
// Throughput: one coefficient a cycle. The delay line is walked with zeros by the wipe.
// Parameters: LogN = log2 of the ring degree, 4 to 12.
module poly_reduce
  import bfv_crypt_pkg::*;
#(
  parameter int unsigned LogN = 10
) (
  input  logic            clk_i,

  input  logic            paper_i,
  input  logic [LogN-1:0] addr_i,         // R0
  input  coeff_t          addend_i,       // R1
  input  coeff_t          y_i,            // R2
  input  logic            store_i,        // R2
  input  logic [LogN-1:0] store_addr_i,   // R2
  output coeff_t          c_o,            // R2

  input  logic            wipe_i,
  input  logic [LogN-1:0] wipe_addr_i
);

  if (LogN < 4 || LogN > 12) begin : gen_bad_log_n
    $error("poly_reduce: LogN = %0d is not between 4 and 12", LogN);
  end

  coeff_t delayed, base_q;

  sdp_ram #(
    .Width (LogQ),
    .Depth (1 << LogN)
  ) u_delay (
    .clk_i,
    .we_i    (store_i || wipe_i),
    .waddr_i (wipe_i ? wipe_addr_i : store_addr_i),
    .wdata_i (y_i & {LogQ{!wipe_i}}),
    .re_i    (1'b1),
    .raddr_i (addr_i),
    .rdata_o (delayed)
  );

  always_ff @(posedge clk_i) base_q <= addend_i + (delayed & {LogQ{paper_i}});

  // One adder with a carry input: base - y = base + ~y + 1.
  assign c_o = base_q + (y_i ^ {LogQ{paper_i}}) + LogQ'(paper_i);

endmodule
