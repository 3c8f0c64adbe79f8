// Leveled BGV accelerator for one ciphertext modulus of at most 27 bits (S-BGV paper; docs/bgv-word.md).
//
//   encryption, decryption, addition, product, key switch, modulus switch   in Z_Q[x]/(x^n + 1)
//
// A stored program of up to 64 commands runs whole leveled circuits on 2^LogBuffers ciphertext buffers;
// commands overlap, results are those of a run in order. Data layout and registers: README.md.
//
// Bus: AXI4-Lite registers (s_axil_*), AXI4 data window (s_axi_*), interrupt.
// Cycles: README.md; they depend on the program only, not on any datum.
// Parameters: LogN; LogB (log2 of the butterflies of a unit); Q0, Q1, Q2 (factors of the modulus, 1 where
// there is none), all 1 modulo 2n or powers of one; Psi (Psi^n = -1 modulo Q0 Q1 Q2); DigitBits; Units.
module bgv_core
  import bgv_core_pkg::*;
#(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  parameter int unsigned Q0 = 257,
  parameter int unsigned Q1 = 257,
  parameter int unsigned Q2 = 257,
  parameter int unsigned Psi = 3_259_673,
  parameter int unsigned DigitBits = 13,
  parameter int unsigned Units = 7,
  parameter int unsigned LogBuffers = 4,
  localparam int unsigned IdWidth = 4,
  localparam int unsigned LogQ = modular_pkg::bits_of(modulus(2, Q0, Q1, Q2)),
  localparam int unsigned Digits = (LogQ + DigitBits - 1) / DigitBits,
  localparam int unsigned WindowAddrBits = window_bits(LogN, LogBuffers, Digits)
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

  localparam int unsigned W = 27;
  localparam int unsigned Digit = LogB + 1;
  localparam int unsigned LogT = LogN - Digit;
  localparam int unsigned WordBits = word_bits(LogN, LogBuffers, Digits);
  localparam int unsigned IndexWidth = WordBits - LogN;
  localparam int unsigned LaneWidth = $clog2(2 * Digits);
  localparam int unsigned UnitWidth = $clog2(Units + 1);
  localparam int unsigned FewestUnits = Digits + 2 > 7 ? Digits + 2 : 7;
  localparam logic [31:0] Q = 32'(modulus(2, Q0, Q1, Q2));

  // ---- registers and bus -----------------------------------------------------------------------

  host_t host;
  core_t core;
  logic program_we;
  logic [5:0] program_addr;
  logic [31:0] program_data;
  logic window_err_busy, window_err_addr, place_err, range_err;

  bgv_core_csr #(
    .LogN(LogN),
    .LogB(LogB),
    .Q0(Q0),
    .Q1(Q1),
    .Q2(Q2),
    .Psi(Psi),
    .DigitBits(DigitBits),
    .Digits(Digits),
    .Units(Units),
    .LogBuffers(LogBuffers)
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
    .program_we_o      (program_we),
    .program_addr_o    (program_addr),
    .program_data_o    (program_data),
    .window_err_busy_i (window_err_busy),
    .window_err_addr_i (window_err_addr || place_err),
    .window_err_range_i(range_err),
    .irq_o
  );

  logic win_we, win_re;
  logic [RegionBits-1:0] win_wr_region, win_rd_region;
  logic [WordBits-1:0] win_wr_addr, win_rd_addr;
  logic [31:0] win_wr_data, win_rd_data;

  axi_mem_window #(
    .AddrWidth  (WindowAddrBits),
    .RegionBits (RegionBits),
    .RegionWords(1 << WordBits),
    .Writable   (2'b11),
    .Readable   (2'b01),
    .IdWidth    (IdWidth),
    .ReadLatency(2)
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
  logic unused_window;
  assign unused_window = ^{win_re, win_rd_region};

  // Words of the window to places of the memories: index i of a polynomial of coefficients is word
  // i / T of beat i mod T; of evaluations, see ntt_unit.sv.
  logic [LogN-1:0] host_word;
  logic [IndexWidth-1:0] host_index;
  logic [Digit-1:0] host_bank, low;
  logic [LogT-1:0] host_beat;
  logic is_key, outside, beyond;
  assign {host_index, host_word} = win_we ? win_wr_addr : win_rd_addr;
  assign is_key = win_we && win_wr_region[0];
  assign low = host_word[Digit-1:0];
  function automatic logic [Digit-1:0] evaluation_bank(logic [Digit-1:0] place);
    for (int unsigned b = 0; b < Digit; b++) evaluation_bank[b] = place[(b+1)%Digit];
  endfunction
  always_comb begin
    host_beat = host_word[LogT-1:0];
    host_bank = host_word[LogN-1:LogT];
    if (is_key) begin
      host_beat = host_word[LogN-1:Digit];
      host_bank = evaluation_bank(low);
    end
  end

  // {buffer, part} with three parts, or {set, lane} with three sets.
  always_comb begin
    if (is_key) begin
      outside = 32'(host_index[LaneWidth+:2]) == 3 || 32'(host_index) >= (3 << LaneWidth) ||
                32'(host_index[LaneWidth-1:0]) >= 2 * Digits;
    end else begin
      outside = host_index[1:0] == 2'd3 || 32'(host_index) >= (4 << LogBuffers);
    end
  end
  assign beyond = win_wr_data >= Q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {place_err, range_err} <= '0;
    end else begin
      place_err <= win_we && outside;
      range_err <= win_we && !outside && beyond;
    end
  end

  // ---- program -----------------------------------------------------------------------------------

  logic command_valid, command_ready, datapath_busy, program_busy, unknown, wiping, options_ok;
  command_t command;
  logic [UnitWidth-1:0] ring;
  assign ring = host.ring == '0 ? UnitWidth'(Units) : UnitWidth'(host.ring);
  assign options_ok = host.log_p != '0 && 32'(host.log_p) <= MaxLogP &&
                      (host.ring == '0 || (32'(host.ring) >= 2 && 32'(host.ring) <= Units));

  bgv_program #(
    .Levels(levels(Q1, Q2)),
    .Digits(Digits)
  ) u_program (
    .clk_i,
    .rst_ni,
    .we_i(program_we),
    .addr_i(program_addr),
    .data_i(program_data),
    .start_i(host.start),
    .stop_i(host.soft_reset || host.clear),
    .count_i(host.count),
    .options_ok_i(options_ok),
    .ring_i(8'(ring)),
    .armed_i(host.armed),
    .command_valid_o(command_valid),
    .command_ready_i(command_ready),
    .command_o(command),
    .datapath_busy_i(datapath_busy),
    .busy_o(program_busy),
    .done_o(core.done),
    .spent_o(core.run_spent),
    .err_o(core.err),
    .err_code_o(core.err_code),
    .cycles_o(core.cycles)
  );
  assign core.busy = program_busy || wiping;

  // ---- randomness ----------------------------------------------------------------------------------

  random_pkg::word_t word;
  logic word_valid, word_ready, stream_busy, random_flush, spent_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) spent_q <= 1'b0;
    else spent_q <= core.run_spent;
  end
  // After the last run counter nothing follows: what was drawn goes.
  assign random_flush = host.clear || (spent_q && !host.seed_load);

  chacha20_stream #(
    .LogN(LogN)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .start_i(host.seed_load),
    .flush_i(random_flush),
    .key_i(host.seed),
    .run_i(host.run_counter),
    .busy_o(stream_busy),
    .word_o(word),
    .valid_o(word_valid),
    .ready_i(word_ready)
  );

  // ---- datapath --------------------------------------------------------------------------------------

  // A new seed empties the stream too, but that is no reason to refuse the host: encryptions wait.
  logic datapath_wiping, clearing_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || host.clear) clearing_q <= 1'b1;
    else if (!stream_busy) clearing_q <= 1'b0;
  end
  assign wiping = datapath_wiping || (stream_busy && clearing_q);
  bgv_datapath #(
    .LogN(LogN),
    .LogB(LogB),
    .Q0(Q0),
    .Q1(Q1),
    .Q2(Q2),
    .Psi(Psi),
    .DigitBits(DigitBits),
    .Units(Units),
    .LogBuffers(LogBuffers)
  ) u_datapath (
    .clk_i,
    .rst_ni,
    .command_valid_i(command_valid),
    .command_ready_o(command_ready),
    .command_i(command),
    .ring_i(ring),
    .signed_digits_i(host.signed_digits),
    .ternary_noise_i(host.ternary_noise),
    .log_p_i(host.log_p),
    .unknown_o(unknown),
    .busy_o(datapath_busy),
    .reset_i(host.soft_reset),
    .samples_restart_i(host.seed_load),
    .samples_ready_o(core.primed),
    .wipe_i(host.clear),
    .wiping_o(datapath_wiping),
    .word_i(word),
    .word_valid_i(word_valid),
    .word_ready_o(word_ready),
    .host_we_i(win_we && !outside),
    .host_space_i(is_key),
    .host_index_i(host_index),
    .host_bank_i(host_bank),
    .host_beat_i(host_beat),
    .host_wdata_i(beyond ? '0 : win_wr_data[W-1:0]),
    .host_rdata_o(win_rd_data[W-1:0])
  );
  assign win_rd_data[31:W] = '0;
  logic unused_unknown;  // the program refuses such commands before
  assign unused_unknown = unknown;

  if (Units < FewestUnits) begin : gen_bad_units
    $error("bgv_core: %0d units, a command takes %0d", Units, FewestUnits);
  end

endmodule
