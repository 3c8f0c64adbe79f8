// Gate in the write path of an AXI4-Lite register block: decides on a write before it is taken.
//
// A write is shown to the register block only when its address and its data are both there and
// the write before it has been answered, so the decision `refuse_i` (combinational on the shown
// address, data and strobes) sees the effect of every earlier write. A refused write goes on to
// `BadAddress`, which the register block does not map: it answers SLVERR and changes nothing.
//
// Latency: none. Throughput: one write in 3 cycles (the register block needs 2).
// Parameters: AddrWidth (bits of a byte address), BadAddress (unmapped, word-aligned).
module axil_write_gate #(
  parameter int unsigned AddrWidth = 11,
  parameter int unsigned BadAddress = 'h3c
) (
  input  logic clk_i,
  input  logic rst_ni,

  // From the bus; data and strobes go to the register block directly.
  input  logic                 awvalid_i,
  input  logic [AddrWidth-1:0] awaddr_i,
  input  logic                 wvalid_i,
  output logic                 awready_o,
  output logic                 wready_o,

  // The decision on the write that is shown.
  input  logic refuse_i,
  output logic accept_o,     // pulse: the write is taken, refused or not

  // To the register block.
  output logic                 awvalid_o,
  output logic [AddrWidth-1:0] awaddr_o,
  output logic                 wvalid_o,
  input  logic                 awready_i,
  input  logic                 wready_i,

  // The answer, observed.
  input  logic bvalid_i,
  input  logic bready_i
);

  if (BadAddress % 4 != 0 || BadAddress >= (1 << AddrWidth)) begin : gen_bad_address
    $error("axil_write_gate: BadAddress %0d is not a word of %0d address bits", BadAddress,
           AddrWidth);
  end

  logic pending_q;
  logic show;

  // The register block has both slots free whenever no write is pending, but its readiness is
  // respected all the same.
  assign show = awvalid_i && wvalid_i && !pending_q && awready_i && wready_i;
  assign accept_o = show;
  assign awready_o = show;
  assign wready_o = show;
  assign awvalid_o = show;
  assign wvalid_o = show;
  assign awaddr_o = refuse_i ? AddrWidth'(BadAddress) : awaddr_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
    end else if (show) begin
      pending_q <= 1'b1;
    end else if (bvalid_i && bready_i) begin
      pending_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  // Before the first reset nothing is known (simulation only: the initial value is not relied on).
  logic reset_seen_q;
  initial reset_seen_q = 1'b0;
  always_ff @(posedge clk_i) if (!rst_ni) reset_seen_q <= 1'b1;

  // An answer without a write would free the gate too early.
  assert property (@(posedge clk_i) disable iff (!rst_ni || !reset_seen_q) bvalid_i |-> pending_q);
`endif

endmodule
