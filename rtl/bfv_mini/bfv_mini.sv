// BFV encryption and decryption device for n = 4, 8, 16 (S-MINI paper, sections III.A.4, III.A.5).
//
//   encrypt  c0 = p0 u + e1 + Delta m,  c1 = p1 u + e2
//   decrypt  m = floor((c0 + c1 s) / Delta + 1/2) mod t       in Z_q[x]/(x^n + 1), q = 2^32
//
// A run takes up to 64 items out of the input memories, one coefficient of each memory a cycle, so
// that an item enters the array and a result leaves it every n cycles. Lowest degree first; item k
// occupies words kn .. kn + n - 1 of each memory. Data layout and registers: README.md.
//
// Bus: AXI4-Lite registers (s_axil_*), AXI4 data window (s_axi_*), interrupt.
// Latency: device_cycles(n, count) = n count + 2n + 5 from the start command to done; it depends on
// nothing else. Throughput: an item every n cycles.
// Parameters: LogN 2 to 4; LogT 1 to 16; OperandBits 1 (u, s in {0, 1}) or 2 (ternary).
module bfv_mini
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 4,
  parameter int unsigned LogT = 16,
  parameter int unsigned OperandBits = 2,
  localparam int unsigned IdWidth = 4
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [8:0]  s_axil_awaddr,
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
  input  logic [8:0]  s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

  input  logic                      s_axi_awvalid,
  output logic                      s_axi_awready,
  input  logic [IdWidth-1:0]        s_axi_awid,
  input  logic [WindowAddrBits-1:0] s_axi_awaddr,
  input  logic [7:0]                s_axi_awlen,
  input  logic [2:0]                s_axi_awsize,
  input  logic [1:0]                s_axi_awburst,
  input  logic                      s_axi_wvalid,
  output logic                      s_axi_wready,
  input  logic [31:0]               s_axi_wdata,
  input  logic [3:0]                s_axi_wstrb,
  input  logic                      s_axi_wlast,
  output logic                      s_axi_bvalid,
  input  logic                      s_axi_bready,
  output logic [IdWidth-1:0]        s_axi_bid,
  output logic [1:0]                s_axi_bresp,
  input  logic                      s_axi_arvalid,
  output logic                      s_axi_arready,
  input  logic [IdWidth-1:0]        s_axi_arid,
  input  logic [WindowAddrBits-1:0] s_axi_araddr,
  input  logic [7:0]                s_axi_arlen,
  input  logic [2:0]                s_axi_arsize,
  input  logic [1:0]                s_axi_arburst,
  output logic                      s_axi_rvalid,
  input  logic                      s_axi_rready,
  output logic [IdWidth-1:0]        s_axi_rid,
  output logic [31:0]               s_axi_rdata,
  output logic [1:0]                s_axi_rresp,
  output logic                      s_axi_rlast,

  output logic irq_o
);

  localparam int unsigned N = 1 << LogN;
  localparam int unsigned AddrBits = LogN + LogMaxItems;
  localparam int unsigned Words = 1 << AddrBits;

  if (LogN < 2 || N > MaxDegree) begin : gen_bad_log_n
    $error("bfv_mini: LogN = %0d is not in 2..4", LogN);
  end

  // ---- registers and bus -----------------------------------------------------------------------

  host_t host;
  core_t core;
  logic  key_we;
  logic [4:0] key_addr;
  coeff_t key_data;
  logic  window_err_busy, window_err_addr;

  bfv_mini_csr #(.LogN(LogN), .LogT(LogT), .OperandBits(OperandBits)) u_csr (
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
    .host_o           (host),
    .core_i           (core),
    .key_we_o         (key_we),
    .key_addr_o       (key_addr),
    .key_data_o       (key_data),
    .window_err_busy_i(window_err_busy),
    .window_err_addr_i(window_err_addr),
    .irq_o
  );

  localparam int unsigned WordBits = WindowAddrBits - RegionBits - 2;
  logic win_we, win_re;
  logic [RegionBits-1:0] win_wr_region, win_rd_region, win_rd_region_q;
  logic [WordBits-1:0] win_wr_addr, win_rd_addr;
  logic [31:0] win_wr_data, win_rd_data;

  axi_mem_window #(
    .AddrWidth  (WindowAddrBits),
    .RegionBits (RegionBits),
    .RegionWords(Words),
    .Writable   (4'b0011),
    .Readable   (4'b1100),
    .IdWidth    (IdWidth),
    .ReadLatency(1)
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
    .wr_req_o   (win_we),
    .wr_region_o(win_wr_region),
    .wr_addr_o  (win_wr_addr),
    .wr_data_o  (win_wr_data),
    .rd_req_o   (win_re),
    .rd_region_o(win_rd_region),
    .rd_addr_o  (win_rd_addr),
    .rd_data_i  (win_rd_data),
    .busy_i     (core.busy || host.start || host.clear),
    .err_busy_o (window_err_busy),
    .err_addr_o (window_err_addr)
  );

  if (AddrBits < WordBits) begin : gen_unused_address
    logic unused_address;
    assign unused_address = ^{win_wr_addr[WordBits-1:AddrBits], win_rd_addr[WordBits-1:AddrBits]};
  end

  // ---- keys and sequence -----------------------------------------------------------------------

  logic public_ok, secret_ok;
  coeff_t [N-1:0] p0, p1;

  mini_keys #(.LogN(LogN)) u_keys (
    .clk_i,
    .rst_ni,
    .clear_i        (host.clear),
    .key_loaded_i   (host.key_loaded),
    .secret_loaded_i(host.secret_loaded),
    .we_i           (key_we),
    .addr_i         (key_addr),
    .data_i         (key_data),
    .public_o       (public_ok),
    .secret_o       (secret_ok),
    .p0_o           (p0),
    .p1_o           (p1)
  );

  // The mode of the run in progress: the register may not change while busy.
  logic decrypt;
  assign decrypt = host.decrypt;

  logic rd_en, rd_valid, result_valid, wipe, flush, seq_err;
  logic [AddrBits-1:0] rd_addr, result_addr;
  err_e seq_err_code;

  mini_sequencer #(.LogN(LogN)) u_sequencer (
    .clk_i,
    .rst_ni,
    .start_i     (host.start),
    .soft_reset_i(host.soft_reset),
    .clear_i     (host.clear),
    .count_i     (host.count),
    .key_i       (decrypt ? secret_ok : public_ok),
    .rd_en_o     (rd_en),
    .rd_addr_o   (rd_addr),
    .rd_valid_o  (rd_valid),
    .wr_valid_i  (result_valid),
    .wr_addr_o   (result_addr),
    .wipe_o      (wipe),
    .flush_o     (flush),
    .busy_o      (core.busy),
    .done_o      (core.done),
    .err_o       (seq_err),
    .err_code_o  (seq_err_code),
    .cycles_o    (core.cycles)
  );

  assign core.key = public_ok;
  assign core.secret = secret_ok;

  // ---- memories --------------------------------------------------------------------------------

  logic [1:0][31:0] in_data, out_data, result_word;

  for (genvar k = 0; k < 2; k++) begin : gen_memory
    localparam logic [RegionBits-1:0] InputRegion = RegionBits'(RegionInput0) + RegionBits'(k);
    localparam logic [RegionBits-1:0] OutputRegion = RegionBits'(RegionOutput0) + RegionBits'(k);

    sdp_ram #(.Width(32), .Depth(Words)) u_input (
      .clk_i,
      .we_i   (wipe || (win_we && win_wr_region == InputRegion)),
      .waddr_i(wipe ? result_addr : win_wr_addr[AddrBits-1:0]),
      .wdata_i(wipe ? '0 : win_wr_data),
      .re_i   (rd_en),
      .raddr_i(rd_addr),
      .rdata_o(in_data[k])
    );
    sdp_ram #(.Width(32), .Depth(Words)) u_output (
      .clk_i,
      .we_i   (wipe || result_valid),
      .waddr_i(result_addr),
      .wdata_i(wipe ? '0 : result_word[k]),
      .re_i   (win_re && win_rd_region == OutputRegion),
      .raddr_i(win_rd_addr[AddrBits-1:0]),
      .rdata_o(out_data[k])
    );
  end

  always_ff @(posedge clk_i) win_rd_region_q <= win_rd_region;
  assign win_rd_data = out_data[win_rd_region_q == RegionOutput1];

  // ---- from words to operands ------------------------------------------------------------------

  // A word outside its range is used as zero or modulo t; the error tells the host, not the cycles.
  logic encrypt_word, bad_u, bad_message;
  assign encrypt_word = rd_valid && !decrypt;
  assign bad_u =
      encrypt_word && bad_code(in_data[0][MessageBits+CodeBits-1:MessageBits], OperandBits);
  assign bad_message = encrypt_word && (in_data[0][MessageBits-1:0] >> LogT) != '0;

  assign core.err = seq_err || bad_u || bad_message;
  always_comb begin
    if (seq_err) core.err_code = seq_err_code;
    else if (bad_u) core.err_code = ErrBadCode;
    else core.err_code = ErrMessageRange;
  end

  logic item_valid;
  logic [N-1:0][63:0] item;

  mini_gather #(.LogN(LogN), .Width(64)) u_gather (
    .clk_i,
    .rst_ni,
    .flush_i(flush),
    .valid_i(rd_valid),
    .word_i (in_data),
    .valid_o(item_valid),
    .word_o (item)
  );

  encrypt_word_t [N-1:0] item_encrypt;
  coeff_t [N-1:0] item_c0, item_c1;
  noise_t [N-1:0] item_e1, item_e2;
  logic [N-1:0][OperandBits-1:0] item_u, secret;
  logic [N-1:0][MessageBits-1:0] item_message;

  for (genvar i = 0; i < N; i++) begin : gen_operand
    assign item_encrypt[i] = item[i][31:0];
    assign item_c1[i] = item[i][31:0];
    assign item_c0[i] = item[i][63:32];
    assign item_e1[i] = item_encrypt[i].e1;
    assign item_e2[i] = item_encrypt[i].e2;
    assign item_message[i] = item_encrypt[i].message;
    assign item_u[i] =
        bad_code(item_encrypt[i].u, OperandBits) ? '0 : item_encrypt[i].u[OperandBits-1:0];
    assign secret[i] = host.secret[CodeBits*i+:OperandBits];
  end

  // ---- encryptor and decryptor -----------------------------------------------------------------

  // A flush is a reset of their valid bits; zeros wash out the rest.
  logic rst_pipe_n;
  assign rst_pipe_n = rst_ni && !flush;

  logic encrypted, decrypted;
  coeff_t [N-1:0] c0, c1;
  logic [N-1:0][MessageBits-1:0] message;

  mini_encryptor #(.LogN(LogN), .LogT(LogT), .OperandBits(OperandBits)) u_encryptor (
    .clk_i,
    .rst_ni   (rst_pipe_n),
    .valid_i  (item_valid && !decrypt),
    .p0_i     (p0),
    .p1_i     (p1),
    .u_i      (item_u),
    .e1_i     (item_e1),
    .e2_i     (item_e2),
    .message_i(item_message),
    .valid_o  (encrypted),
    .c0_o     (c0),
    .c1_o     (c1)
  );

  mini_decryptor #(.LogN(LogN), .LogT(LogT), .OperandBits(OperandBits)) u_decryptor (
    .clk_i,
    .rst_ni   (rst_pipe_n),
    .valid_i  (item_valid && decrypt),
    .c0_i     (item_c0),
    .c1_i     (item_c1),
    .s_i      (secret),
    .valid_o  (decrypted),
    .message_o(message)
  );

  logic [N-1:0][63:0] result;
  for (genvar i = 0; i < N; i++) begin : gen_result
    assign result[i] = encrypted ? {c1[i], c0[i]} : {32'b0, 32'(message[i])};
  end

  mini_scatter #(.LogN(LogN), .Width(64)) u_scatter (
    .clk_i,
    .rst_ni,
    .flush_i(flush),
    .valid_i(encrypted || decrypted),
    .word_i (result),
    .valid_o(result_valid),
    .word_o (result_word)
  );

  if (N < MaxDegree) begin : gen_unused_secret
    logic unused_secret;
    assign unused_secret = ^host.secret[CodeBits*MaxDegree-1:CodeBits*N];
  end

endmodule
