// One element of the systolic array.
//
//   sum_o <= sum_i + code * a      code = +1, 0 or -1 by (nz, neg), modulo 2^32
//
// as one adder with a carry input (bfv_term). The code 2'b10 (negative, but not nonzero) acts as 0.
// The code is, by mode,
//   overlap  V while `sel` (the product that is being begun), else U (the product that emerges);
//   paper    the element's own code while U[0], the act bit of the count phase; without it the
//            sum passes, whatever the code.
// The operand `a` is taken from the bus: in overlap mode once a period, in the step before this
// element's `sel` rises (`sel_i` of the far neighbour is up, its own is not); in paper mode always.
//
// Latency: sum_i to sum_o one step. Throughput: one term a step (`step_i` is a clock enable).
// Resets are the synchronous ones that the flip-flop has anyway: sel_clr_i (a period ends),
// sum_clr_i (nothing may be left in the chain), wipe_i (operand and code, after a clear command).
// Ports are plain bits: this leaf is synthesised once, on its own.
module bfv_pe (
  input  logic        clk_i,

  input  logic        step_i,
  input  logic        paper_i,
  input  logic        sel_clr_i,
  input  logic        sum_clr_i,
  input  logic        wipe_i,
  input  logic [1:0]  u_i,
  input  logic [1:0]  v_i,
  input  logic [31:0] bus_i,
  input  logic        code_we_i,
  input  logic [1:0]  code_i,

  input  logic        sel_i,
  output logic        sel_o,
  input  logic [31:0] sum_i,
  output logic [31:0] sum_o
);

  logic [31:0] a_q, sum_d, sum_q;
  logic [1:0]  code_q;
  logic        sel_q;
  logic        nz, neg, load;

  assign load = paper_i || (step_i && sel_i && !sel_q);
  assign nz = paper_i ? code_q[0] && u_i[0] : (sel_q ? v_i[0] : u_i[0]);
  assign neg = paper_i ? code_q[1] : (sel_q ? v_i[1] : u_i[1]);

  always_ff @(posedge clk_i) begin
    if (wipe_i) a_q <= '0;
    else if (load) a_q <= bus_i;
  end

  always_ff @(posedge clk_i) begin
    if (wipe_i) code_q <= '0;
    else if (code_we_i) code_q <= code_i;
  end

  always_ff @(posedge clk_i) begin
    if (sel_clr_i) sel_q <= 1'b0;
    else if (step_i) sel_q <= sel_i;
  end

  always_ff @(posedge clk_i) begin
    if (sum_clr_i) sum_q <= '0;
    else if (step_i) sum_q <= sum_d;
  end

  bfv_term u_term (
    .nz_i  (nz),
    .neg_i (neg),
    .a_i   (a_q),
    .sum_i (sum_i),
    .sum_o (sum_d)
  );

`ifdef FORMAL
  // The table of codes, for every state, operand and sum.
  logic [1:0]  chosen;
  logic [31:0] wanted;
  always_comb begin
    if (paper_i) chosen = u_i[0] ? code_q : 2'b00;
    else chosen = sel_q ? v_i : u_i;
    case (chosen)
      2'b01: wanted = sum_i + a_q;
      2'b11: wanted = sum_i - a_q;
      default: wanted = sum_i;
    endcase
    assert (sum_d == wanted);
    // In overlap mode the operand is replaced only while the element does not use it with V.
    assert (paper_i || !load || !sel_q);
  end
`endif

  assign sel_o = sel_q;
  assign sum_o = sum_q;

endmodule
