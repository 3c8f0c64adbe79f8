// The device: registers, data window, three memories, randomness and the array's core.
//
//   encrypt   c0 = p0 u + e1 + 2^24 m,  c1 = p1 u + e2        (16 plaintexts a run)
//   decrypt   m = floor((c0 + c1 s) / 2^24 + 1/2) mod 2^8     (32 ciphertexts a run)
// in Z_q[x]/(x^n + 1), q = 2^32, ternary u and s. See README.md and docs/device-randomness.md.
//
// Buses: AXI4-Lite for registers and the ternary multiplier (11-bit byte addresses), AXI4 for the
// memories (19-bit: [18:17] choose the memory, 32-bit words, 32 polynomials of n coefficients,
// lowest degree at the lowest address):
//   0  multiplicand (write only)   encrypt p0, p1; decrypt c1 of ciphertext k at polynomial k
//   1  addition (write only)       encrypt 2^24 m_k at polynomial 2k; decrypt c0 of ciphertext k
//   2  output (read only)          encrypt c0, c1 of plaintext k at 2k, 2k+1; decrypt message k,
//                                  one value in [0, 2^8) a word
// The memories belong to the core while it is busy (SLVERR and ErrBusyData). An access to the
// multiplicand memory or the multiplier undoes what was prepared ahead of a start.
//
// Latency and throughput of a run: overlap_cycles and paper_cycles of the package.
// Parameters: LogN = log2 of the ring degree, 4 to 10 (the address map has room for 32 x 1024).
module bfv_crypt
  import bfv_crypt_pkg::*;
#(
  parameter int unsigned LogN = 10
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [10:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [10:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [3:0]  s_axi_awid,
  input  logic [18:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
  input  logic        s_axi_wvalid,
  output logic        s_axi_wready,
  input  logic [31:0] s_axi_wdata,
  input  logic [3:0]  s_axi_wstrb,
  input  logic        s_axi_wlast,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  output logic [3:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  input  logic [3:0]  s_axi_arid,
  input  logic [18:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [3:0]  s_axi_rid,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,

  output logic irq_o
);

  if (LogN < 4 || LogN > 10) begin : gen_bad_log_n
    $error("bfv_crypt: LogN = %0d is not between 4 and 10", LogN);
  end

  localparam int unsigned MemAddrWidth = LogN + LogMaxPolys;
  localparam int unsigned Words = 1 << MemAddrWidth;
  localparam int unsigned CodeAddrWidth = LogN > 4 ? LogN - 4 : 1;

  // ---- buses -----------------------------------------------------------------------------------

  host_t host;
  core_t core;

  logic                     code_we;
  logic [CodeAddrWidth-1:0] code_waddr;
  logic [31:0]              code_wdata;
  logic                     err_busy, err_addr;

  bfv_crypt_csr #(
    .LogN (LogN)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_bresp,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid,
    .s_axil_rready,
    .s_axil_rdata,
    .s_axil_rresp,
    .host_o            (host),
    .core_i            (core),
    .mult_we_o         (code_we),
    .mult_addr_o       (code_waddr),
    .mult_data_o       (code_wdata),
    .window_err_busy_i (err_busy),
    .window_err_addr_i (err_addr),
    .irq_o
  );

  // Word addresses of the window: room for the largest ring.
  localparam int unsigned WindowAddrWidth = 15;

  logic                       wr_req, rd_req;
  logic [1:0]                 wr_region, rd_region;
  logic [WindowAddrWidth-1:0] wr_addr, rd_addr;
  logic [31:0]                wr_data, rd_data;

  axi_mem_window #(
    .AddrWidth   (19),
    .RegionBits  (2),
    .RegionWords (Words),
    .Writable    (4'b0011),
    .Readable    (4'b0100),
    .IdWidth     (4),
    .ReadLatency (1)
  ) u_window (
    .clk_i,
    .rst_ni,
    .s_axi_awvalid,
    .s_axi_awready,
    .s_axi_awid,
    .s_axi_awaddr,
    .s_axi_awlen,
    .s_axi_awsize,
    .s_axi_awburst,
    .s_axi_wvalid,
    .s_axi_wready,
    .s_axi_wdata,
    .s_axi_wstrb,
    .s_axi_wlast,
    .s_axi_bvalid,
    .s_axi_bready,
    .s_axi_bid,
    .s_axi_bresp,
    .s_axi_arvalid,
    .s_axi_arready,
    .s_axi_arid,
    .s_axi_araddr,
    .s_axi_arlen,
    .s_axi_arsize,
    .s_axi_arburst,
    .s_axi_rvalid,
    .s_axi_rready,
    .s_axi_rid,
    .s_axi_rdata,
    .s_axi_rresp,
    .s_axi_rlast,
    .wr_req_o    (wr_req),
    .wr_region_o (wr_region),
    .wr_addr_o   (wr_addr),
    .wr_data_o   (wr_data),
    .rd_req_o    (rd_req),
    .rd_region_o (rd_region),
    .rd_addr_o   (rd_addr),
    .rd_data_i   (rd_data),
    .busy_i      (core.busy || host.start || host.clear),
    .err_busy_o  (err_busy),
    .err_addr_o  (err_addr)
  );

  // The window has checked region, direction and range.
  logic unused_window;
  assign unused_window = ^{rd_region, wr_addr, rd_addr};

  // ---- memories --------------------------------------------------------------------------------

  logic                    mult_we, padd_we, out_we, padd_re, wipe;
  logic [MemAddrWidth-1:0] mult_raddr, padd_raddr, out_waddr, wipe_addr, host_waddr;
  coeff_t                  mult_rdata, padd_rdata, out_wdata, host_wdata;

  assign mult_we = wr_req && wr_region == 2'd0;
  assign padd_we = wr_req && wr_region == 2'd1;
  assign host_waddr = wipe ? wipe_addr : wr_addr[MemAddrWidth-1:0];
  assign host_wdata = wr_data & {LogQ{!wipe}};

  sdp_ram #(
    .Width (LogQ),
    .Depth (Words)
  ) u_multiplicand (
    .clk_i,
    .we_i    (mult_we || wipe),
    .waddr_i (host_waddr),
    .wdata_i (host_wdata),
    .re_i    (1'b1),
    .raddr_i (mult_raddr),
    .rdata_o (mult_rdata)
  );

  sdp_ram #(
    .Width (LogQ),
    .Depth (Words)
  ) u_addition (
    .clk_i,
    .we_i    (padd_we || wipe),
    .waddr_i (host_waddr),
    .wdata_i (host_wdata),
    .re_i    (padd_re),
    .raddr_i (padd_raddr),
    .rdata_o (padd_rdata)
  );

  sdp_ram #(
    .Width (LogQ),
    .Depth (Words)
  ) u_output (
    .clk_i,
    .we_i    (out_we || wipe),
    .waddr_i (wipe ? wipe_addr : out_waddr),
    .wdata_i (out_wdata & {LogQ{!wipe}}),
    .re_i    (rd_req),
    .raddr_i (rd_addr[MemAddrWidth-1:0]),
    .rdata_o (rd_data)
  );

  // ---- randomness ------------------------------------------------------------------------------

  logic                   spent_q, random_flush, random_busy, e_valid, e_pop, u_free;
  random_pkg::binomial_t  e;
  logic [LogN+1:0]        u_count;
  logic [LogN:0]          u_raddr_a, u_raddr_b;
  random_pkg::ternary_t   u_a, u_b;
  logic [1:0]             unused_ready;

  // A spent run is followed by the next counter's stream, or, at the end of the counters, by none.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) spent_q <= 1'b0;
    else spent_q <= core.run_spent;
  end
  assign random_flush = host.clear || (spent_q && !host.seed_load);

  device_random #(
    .LogN          (LogN),
    .PlaintextBits (LogMaxPolys)
  ) u_random (
    .clk_i,
    .rst_ni,
    .start_i            (host.seed_load),
    .flush_i            (random_flush),
    .seed_i             (host.seed),
    .run_i              (host.run_counter),
    .busy_o             (random_busy),
    .e_o                (e),
    .e_valid_o          (e_valid),
    .e_pop_i            (e_pop),
    .u_raddr_a_i        (u_raddr_a),
    .u_raddr_b_i        (u_raddr_b),
    .u_a_o              (u_a),
    .u_b_o              (u_b),
    .u_free_i           (u_free),
    .u_count_o          (u_count),
    .plaintexts_ready_o (unused_ready)
  );

  // ---- the core --------------------------------------------------------------------------------

  bfv_crypt_core #(
    .LogN (LogN)
  ) u_core (
    .clk_i,
    .rst_ni,
    .host_i         (host),
    .core_o         (core),
    .mult_raddr_o   (mult_raddr),
    .mult_rdata_i   (mult_rdata),
    .padd_re_o      (padd_re),
    .padd_raddr_o   (padd_raddr),
    .padd_rdata_i   (padd_rdata),
    .out_we_o       (out_we),
    .out_waddr_o    (out_waddr),
    .out_wdata_o    (out_wdata),
    .wipe_o         (wipe),
    .wipe_addr_o    (wipe_addr),
    .mult_written_i (mult_we),
    .code_we_i      (code_we),
    .code_waddr_i   (code_waddr),
    .code_wdata_i   (code_wdata),
    .sampler_busy_i (random_busy),
    .u_count_i      (u_count),
    .u_free_o       (u_free),
    .u_raddr_a_o    (u_raddr_a),
    .u_raddr_b_o    (u_raddr_b),
    .u_a_i          (u_a),
    .u_b_i          (u_b),
    .e_i            (e),
    .e_valid_i      (e_valid),
    .e_pop_o        (e_pop)
  );

endmodule
