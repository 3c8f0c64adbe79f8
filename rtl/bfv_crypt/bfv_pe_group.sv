// A leaf of the fan-out tree: 16 elements (one word of the ternary multiplier) with their own
// registered copies of the bus, U, V and the control bits.
//
// Element 15 is the far end: sums and `sel` enter there and leave at element 0.
// Latency: bus, U, V and control one cycle, then as bfv_pe. Control bits must be known one cycle
// after power-up; none has a reset, since the source of the tree has one.
// The 16 codes of the paper's mode ride on the bus: `code_we_i` marks such a word.
// The size is no parameter and the ports are plain bits: synthesis maps this module once and uses
// the result n/16 times. `keep` stops it from merging the copies, which would undo the tree.
module bfv_pe_group (
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

  input  logic        sel_i,
  output logic        sel_o,
  input  logic [31:0] sum_i,
  output logic [31:0] sum_o
);

  localparam int unsigned Elements = 16;

  (* keep *) logic        step_q, paper_q, sel_clr_q, sum_clr_q, wipe_q, code_we_q;
  (* keep *) logic [1:0]  u_q, v_q;
  (* keep *) logic [31:0] bus_q;

  always_ff @(posedge clk_i) begin
    step_q <= step_i;
    paper_q <= paper_i;
    sel_clr_q <= sel_clr_i;
    sum_clr_q <= sum_clr_i;
    wipe_q <= wipe_i;
    u_q <= u_i;
    v_q <= v_i;
    bus_q <= bus_i;
    code_we_q <= code_we_i;
  end

  logic [31:0] sum[Elements+1];
  logic        sel[Elements+1];

  assign sum[Elements] = sum_i;
  assign sel[Elements] = sel_i;
  assign sum_o = sum[0];
  assign sel_o = sel[0];

  for (genvar d = 0; d < int'(Elements); d++) begin : gen_pe
    bfv_pe u_pe (
      .clk_i,
      .step_i    (step_q),
      .paper_i   (paper_q),
      .sel_clr_i (sel_clr_q),
      .sum_clr_i (sum_clr_q),
      .wipe_i    (wipe_q),
      .u_i       (u_q),
      .v_i       (v_q),
      .bus_i     (bus_q),
      .code_we_i (code_we_q),
      .code_i    (bus_q[2*d+:2]),
      .sel_i     (sel[d+1]),
      .sel_o     (sel[d]),
      .sum_i     (sum[d+1]),
      .sum_o     (sum[d])
    );
  end

endmodule
