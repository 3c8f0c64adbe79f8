// The device as a PYNQ-Z1 block design takes it: plain Verilog, interfaces named for Vivado.
//
// NOT RUN with Vivado or on a board here. It is linted, read as Verilog-2005 and simulated.
//
// Nothing but wires. The registers' address has 12 bits where the device has 11, because a segment
// of the Zynq's address map has at least 4 KiB: bit 11 is not decoded.
// Latency, throughput, parameters: those of bfv_crypt.
module bfv_crypt_pynq #(
  parameter integer LogN = 10
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk_i CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axil:s_axi, ASSOCIATED_RESET rst_ni" *)
  input  wire        clk_i,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rst_ni RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire        rst_ni,

  // AXI4-Lite and AXI4: Vivado knows the buses by the names of their ports.
  input  wire        s_axil_awvalid,
  output wire        s_axil_awready,
  input  wire [11:0] s_axil_awaddr,
  input  wire [2:0]  s_axil_awprot,
  input  wire        s_axil_wvalid,
  output wire        s_axil_wready,
  input  wire [31:0] s_axil_wdata,
  input  wire [3:0]  s_axil_wstrb,
  output wire        s_axil_bvalid,
  input  wire        s_axil_bready,
  output wire [1:0]  s_axil_bresp,
  input  wire        s_axil_arvalid,
  output wire        s_axil_arready,
  input  wire [11:0] s_axil_araddr,
  input  wire [2:0]  s_axil_arprot,
  output wire        s_axil_rvalid,
  input  wire        s_axil_rready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0]  s_axil_rresp,

  input  wire        s_axi_awvalid,
  output wire        s_axi_awready,
  input  wire [3:0]  s_axi_awid,
  input  wire [18:0] s_axi_awaddr,
  input  wire [7:0]  s_axi_awlen,
  input  wire [2:0]  s_axi_awsize,
  input  wire [1:0]  s_axi_awburst,
  input  wire        s_axi_wvalid,
  output wire        s_axi_wready,
  input  wire [31:0] s_axi_wdata,
  input  wire [3:0]  s_axi_wstrb,
  input  wire        s_axi_wlast,
  output wire        s_axi_bvalid,
  input  wire        s_axi_bready,
  output wire [3:0]  s_axi_bid,
  output wire [1:0]  s_axi_bresp,
  input  wire        s_axi_arvalid,
  output wire        s_axi_arready,
  input  wire [3:0]  s_axi_arid,
  input  wire [18:0] s_axi_araddr,
  input  wire [7:0]  s_axi_arlen,
  input  wire [2:0]  s_axi_arsize,
  input  wire [1:0]  s_axi_arburst,
  output wire        s_axi_rvalid,
  input  wire        s_axi_rready,
  output wire [3:0]  s_axi_rid,
  output wire [31:0] s_axi_rdata,
  output wire [1:0]  s_axi_rresp,
  output wire        s_axi_rlast,

  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq_o INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output wire        irq_o
);

  wire [1:0] unused_addr_bit;

  assign unused_addr_bit = {s_axil_awaddr[11], s_axil_araddr[11]};

  bfv_crypt #(
    .LogN (LogN)
  ) u_bfv_crypt (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .s_axil_awvalid (s_axil_awvalid),
    .s_axil_awready (s_axil_awready),
    .s_axil_awaddr  (s_axil_awaddr[10:0]),
    .s_axil_awprot  (s_axil_awprot),
    .s_axil_wvalid  (s_axil_wvalid),
    .s_axil_wready  (s_axil_wready),
    .s_axil_wdata   (s_axil_wdata),
    .s_axil_wstrb   (s_axil_wstrb),
    .s_axil_bvalid  (s_axil_bvalid),
    .s_axil_bready  (s_axil_bready),
    .s_axil_bresp   (s_axil_bresp),
    .s_axil_arvalid (s_axil_arvalid),
    .s_axil_arready (s_axil_arready),
    .s_axil_araddr  (s_axil_araddr[10:0]),
    .s_axil_arprot  (s_axil_arprot),
    .s_axil_rvalid  (s_axil_rvalid),
    .s_axil_rready  (s_axil_rready),
    .s_axil_rdata   (s_axil_rdata),
    .s_axil_rresp   (s_axil_rresp),
    .s_axi_awvalid  (s_axi_awvalid),
    .s_axi_awready  (s_axi_awready),
    .s_axi_awid     (s_axi_awid),
    .s_axi_awaddr   (s_axi_awaddr),
    .s_axi_awlen    (s_axi_awlen),
    .s_axi_awsize   (s_axi_awsize),
    .s_axi_awburst  (s_axi_awburst),
    .s_axi_wvalid   (s_axi_wvalid),
    .s_axi_wready   (s_axi_wready),
    .s_axi_wdata    (s_axi_wdata),
    .s_axi_wstrb    (s_axi_wstrb),
    .s_axi_wlast    (s_axi_wlast),
    .s_axi_bvalid   (s_axi_bvalid),
    .s_axi_bready   (s_axi_bready),
    .s_axi_bid      (s_axi_bid),
    .s_axi_bresp    (s_axi_bresp),
    .s_axi_arvalid  (s_axi_arvalid),
    .s_axi_arready  (s_axi_arready),
    .s_axi_arid     (s_axi_arid),
    .s_axi_araddr   (s_axi_araddr),
    .s_axi_arlen    (s_axi_arlen),
    .s_axi_arsize   (s_axi_arsize),
    .s_axi_arburst  (s_axi_arburst),
    .s_axi_rvalid   (s_axi_rvalid),
    .s_axi_rready   (s_axi_rready),
    .s_axi_rid      (s_axi_rid),
    .s_axi_rdata    (s_axi_rdata),
    .s_axi_rresp    (s_axi_rresp),
    .s_axi_rlast    (s_axi_rlast),
    .irq_o          (irq_o)
  );

endmodule
