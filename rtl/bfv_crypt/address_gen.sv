// One main address, counted once a step, and everything that is derived from it.
//
//   overlap  main = {period, j}: the array is fed with product `period` and gives coefficient j of
//            product period - 1. Period 0 is the fill.
//   paper    main = {product, hold, j}: the published count (hold = 0) and hold phases.
//   wipe     the low bits walk through all words of the memories.
//
// Read addresses are those of the *next* step (`restart_i`, `advance_i` already applied), so that a
// memory with a latency of one cycle shows the data of the present step, also while it waits:
//   operand     overlap {P, n-1-j}, paper {product, j}; in encryption poly 0 and 1 in turn (p0, p1)
//   u, for U    product P-1 belongs to plaintext (P-1)/2; two plaintexts fit in the memory
//   u, for V    product P belongs to plaintext P/2
//   s           j
//   addition    of the result step: overlap {P-1, j} next, paper {product, j} one step behind
// The result step follows the main step by 0 cycles (overlap) or 1 (paper: the operand takes one
// register more); its address is given for the write to the output memory.
//
// Latency: next addresses combinational, `_q` of the main step registered.
// Parameters: LogN = log2 of the ring degree, 4 to 12.
module address_gen
  import bfv_crypt_pkg::*;
#(
  parameter int unsigned LogN = 10,
  localparam int unsigned MemAddrWidth = LogN + LogMaxPolys
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic paper_i,
  input  logic decrypt_i,
  input  logic restart_i,      // the next step is number 0
  input  logic advance_i,      // this cycle is a step

  // Next step: read addresses.
  output logic [MemAddrWidth-1:0] mult_raddr_o,
  output logic [LogN:0]           u_raddr_a_o,
  output logic [LogN:0]           u_raddr_b_o,
  output logic [LogN-1:0]         s_raddr_o,
  output logic                    padd_re_o,
  output logic [MemAddrWidth-1:0] padd_raddr_o,
  output logic                    next_odd_o,     // overlap: the next step is in an odd period
  output logic [LogMaxPolys:0]    next_period_o,  // overlap

  // This step.
  output logic                    index_last_o,   // j = n-1
  output logic [LogMaxPolys:0]    period_o,       // overlap: P
  output logic [LogMaxPolys-1:0]  product_o,      // paper
  output logic [MemAddrWidth-1:0] wipe_addr_o,

  // The result step.
  output logic                    result_addend_o, // there is a polynomial to add
  output logic                    result_hold_o,   // paper
  output logic [MemAddrWidth-1:0] result_addr_o
);

  if (LogN < 4 || LogN > 12) begin : gen_bad_log_n
    $error("address_gen: LogN = %0d is not between 4 and 12", LogN);
  end

  localparam int unsigned MainWidth = MemAddrWidth + 1;

  logic [MainWidth-1:0] main_q, main_d;
  logic [MainWidth-1:0] behind_q;     // paper: the main address of the cycle before

  always_comb begin
    main_d = main_q;
    if (restart_i) main_d = '0;
    else if (advance_i) main_d = main_q + MainWidth'(1);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) main_q <= '0;
    else main_q <= main_d;
  end
  always_ff @(posedge clk_i) behind_q <= main_q;

  // Address of a result in overlap mode: one period behind.
  function automatic logic [MemAddrWidth-1:0] overlap_result(input logic [MainWidth-1:0] main);
    return MemAddrWidth'(main - (MainWidth'(1) << LogN));
  endfunction
  // In paper mode: the phase bit is left out.
  function automatic logic [MemAddrWidth-1:0] paper_result(input logic [MainWidth-1:0] main);
    return MemAddrWidth'((main >> (LogN + 1)) << LogN) | MemAddrWidth'(main[LogN-1:0]);
  endfunction

  // In encryption only the lowest bit of the product's number counts: p0 or p1.
  logic [LogMaxPolys-1:0] operand_poly;
  logic [LogN-1:0]        operand_index;
  always_comb begin
    operand_poly = paper_i ? main_d[LogN+1+:LogMaxPolys] : main_d[LogN+:LogMaxPolys];
    if (!decrypt_i) operand_poly[LogMaxPolys-1:1] = '0;
    // n-1-j is the complement of j.
    operand_index = main_d[LogN-1:0] ^ {LogN{!paper_i}};
  end
  assign mult_raddr_o = {operand_poly, operand_index};

  // (P-1)/2 and P/2, of which the lowest bit chooses the half of the memory. That of (P-1)/2 is
  // bit 1 of P unless bit 0 borrows from it.
  assign u_raddr_a_o = {main_d[LogN+1] ^ !main_d[LogN], main_d[LogN-1:0]};
  assign u_raddr_b_o = {main_d[LogN+1], main_d[LogN-1:0]};
  assign s_raddr_o = main_d[LogN-1:0];

  assign padd_raddr_o = paper_i ? paper_result(main_q) : overlap_result(main_d);
  // c1 = p1 u + e2: no polynomial is read for it. The paper's device adds one all the same.
  assign padd_re_o = paper_i || decrypt_i || !padd_raddr_o[LogN];

  assign next_odd_o = main_d[LogN];
  assign next_period_o = main_d[LogN+:LogMaxPolys+1];

  assign index_last_o = &main_q[LogN-1:0];
  assign period_o = main_q[LogN+:LogMaxPolys+1];
  assign product_o = main_q[LogN+1+:LogMaxPolys];
  assign wipe_addr_o = main_q[MemAddrWidth-1:0];

  assign result_addr_o = paper_i ? paper_result(behind_q) : overlap_result(main_q);
  assign result_hold_o = behind_q[LogN];
  assign result_addend_o = paper_i || decrypt_i || !result_addr_o[LogN];

endmodule
