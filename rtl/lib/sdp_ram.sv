// Simple dual-port memory: one write port, one read port, one clock; maps to block RAM.
//
//   rdata_o(t+1) = mem[raddr_i(t)] when re_i(t), else rdata_o(t)
//
// A read of the word that is written in the same cycle returns the old word. Contents are undefined
// until written (nothing relies on initial values); `rdata_o` has no reset for the same reason.
// Latency: 1 cycle. Throughput: one read and one write a cycle.
// Parameters: Width (bits of a word), Depth (words, a power of two, at least 2).
module sdp_ram #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 1024,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                 clk_i,

  input  logic                 we_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,

  input  logic                 re_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $error("sdp_ram: Depth = %0d is not a power of two of at least 2", Depth);
  end
  if (Width < 1) begin : gen_bad_width
    $error("sdp_ram: Width = %0d is below 1", Width);
  end

  logic [Width-1:0] mem[Depth];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= mem[raddr_i];
  end

endmodule
