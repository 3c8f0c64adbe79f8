// Registers of the small BFV device behind AXI4-Lite.
//
// The register file itself is generated from regs.rdl (generated/bfv_mini_regs.sv). Here are
//   * the write gate: while busy only CTRL, STATUS, IRQ_STATUS, IRQ_ENABLE and a CONTROL word with
//     its reset bit pass; a word of SECRET or PUBLIC_KEY must be whole, PUBLIC_KEY's index inside
//     the ring, SECRET's codes inside the alphabet and 0 from degree n upwards;
//   * done, error and interrupt flags. The first error is kept until STATUS.error is cleared.
//
// Latency: a write acts 2 cycles after its data was taken; `host_o.start` is a pulse in that cycle.
// Throughput: one write in 3 cycles, one read in 2.
// Parameters: LogN = log2 of the ring degree, 1 to 4; LogT = log2 of t; OperandBits 1 or 2.
module bfv_mini_csr
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 4,
  parameter int unsigned LogT = 16,
  parameter int unsigned OperandBits = 2,
  localparam int unsigned N = 1 << LogN
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic       s_axil_awvalid,
  output logic       s_axil_awready,
  input  logic [8:0] s_axil_awaddr,
  input  logic [2:0] s_axil_awprot,
  input  logic       s_axil_wvalid,
  output logic       s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0] s_axil_wstrb,
  output logic       s_axil_bvalid,
  input  logic       s_axil_bready,
  output logic [1:0] s_axil_bresp,
  input  logic       s_axil_arvalid,
  output logic       s_axil_arready,
  input  logic [8:0] s_axil_araddr,
  input  logic [2:0] s_axil_arprot,
  output logic       s_axil_rvalid,
  input  logic       s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,

  output host_t host_o,
  input  core_t core_i,

  // One accepted word of the public key.
  output logic       key_we_o,
  output logic [4:0] key_addr_o,
  output coeff_t     key_data_o,

  // Refusals of the data window (rtl/lib/axi_mem_window.sv): pulses.
  input  logic window_err_busy_i,
  input  logic window_err_addr_i,

  output logic irq_o
);

  // Software reads the codes of regs.rdl.
  if (4'(ErrNone) != 4'(bfv_mini_regs_pkg::bfv_mini_error__NONE) ||
      4'(ErrBusyRegister) != 4'(bfv_mini_regs_pkg::bfv_mini_error__BUSY_REGISTER) ||
      4'(ErrBusyData) != 4'(bfv_mini_regs_pkg::bfv_mini_error__BUSY_DATA) ||
      4'(ErrBadCode) != 4'(bfv_mini_regs_pkg::bfv_mini_error__BAD_CODE) ||
      4'(ErrDataAddress) != 4'(bfv_mini_regs_pkg::bfv_mini_error__DATA_ADDRESS) ||
      4'(ErrCountRange) != 4'(bfv_mini_regs_pkg::bfv_mini_error__COUNT_RANGE) ||
      4'(ErrMessageRange) != 4'(bfv_mini_regs_pkg::bfv_mini_error__MESSAGE_RANGE) ||
      4'(ErrNoKey) != 4'(bfv_mini_regs_pkg::bfv_mini_error__NO_KEY)) begin : gen_bad_codes
    $error("bfv_mini_csr: err_e of bfv_mini_pkg.sv and the codes of regs.rdl differ");
  end

  // Byte addresses that the gate knows (regs.rdl).
  localparam logic [8:0] AddrCtrl = 9'h014;
  localparam logic [8:0] AddrStatus = 9'h018;
  localparam logic [8:0] AddrIrqStatus = 9'h028;
  localparam logic [8:0] AddrIrqEnable = 9'h02c;
  localparam logic [8:0] AddrControl = 9'h040;
  localparam logic [8:0] AddrSecret = 9'h080;
  localparam int unsigned ControlResetBit = 7;

  // PUBLIC_KEY: 16 words for p0, 16 for p1, from 0x100.
  localparam int unsigned KeyIndexBits = 4;

  bfv_mini_regs_pkg::bfv_mini_regs__in_t  hwif_in;
  bfv_mini_regs_pkg::bfv_mini_regs__out_t hwif_out;

  // ---- the write gate --------------------------------------------------------------------------

  logic       busy;
  logic       refuse, accept;
  err_e       gate_code;
  logic       gate_awvalid, gate_wvalid, gate_awready, gate_wready;
  logic [8:0] gate_awaddr, write_word;
  logic       is_key, is_secret, outside, partial, secret_bad, passes_while_busy;

  assign write_word = {s_axil_awaddr[8:2], 2'b00};
  assign is_key = write_word[8] && write_word[7:2] < 6'(2 << KeyIndexBits);
  assign is_secret = write_word == AddrSecret;
  assign outside = 32'(write_word[2+:KeyIndexBits]) >= N;
  assign partial = s_axil_wstrb != 4'hf;

  always_comb begin
    secret_bad = 1'b0;
    for (int unsigned i = 0; i < MaxDegree; i++) begin
      if (i < N) secret_bad |= bad_code(s_axil_wdata[CodeBits*i+:CodeBits], OperandBits);
      else secret_bad |= s_axil_wdata[CodeBits*i+:CodeBits] != '0;
    end
  end

  assign passes_while_busy =
      write_word inside {AddrCtrl, AddrStatus, AddrIrqStatus, AddrIrqEnable} ||
      (write_word == AddrControl && s_axil_wstrb[0] && s_axil_wdata[ControlResetBit]);

  always_comb begin
    gate_code = ErrNone;
    if (busy) begin
      if (!passes_while_busy) gate_code = ErrBusyRegister;
    end else if (is_key) begin
      if (outside || partial) gate_code = ErrDataAddress;
    end else if (is_secret) begin
      if (partial) gate_code = ErrDataAddress;
      else if (secret_bad) gate_code = ErrBadCode;
    end
  end
  assign refuse = gate_code != ErrNone;

  axil_write_gate #(
    .AddrWidth (9)
  ) u_gate (
    .clk_i,
    .rst_ni,
    .awvalid_i (s_axil_awvalid),
    .awaddr_i  (s_axil_awaddr),
    .wvalid_i  (s_axil_wvalid),
    .awready_o (s_axil_awready),
    .wready_o  (s_axil_wready),
    .refuse_i  (refuse),
    .accept_o  (accept),
    .awvalid_o (gate_awvalid),
    .awaddr_o  (gate_awaddr),
    .wvalid_o  (gate_wvalid),
    .awready_i (gate_awready),
    .wready_i  (gate_wready),
    .bvalid_i  (s_axil_bvalid),
    .bready_i  (s_axil_bready)
  );

  bfv_mini_regs u_regs (
    .clk            (clk_i),
    .rst_n          (rst_ni),
    .s_axil_awready (gate_awready),
    .s_axil_awvalid (gate_awvalid),
    .s_axil_awaddr  (gate_awaddr),
    .s_axil_awprot  (s_axil_awprot),
    .s_axil_wready  (gate_wready),
    .s_axil_wvalid  (gate_wvalid),
    .s_axil_wdata   (s_axil_wdata),
    .s_axil_wstrb   (s_axil_wstrb),
    .s_axil_bready  (s_axil_bready),
    .s_axil_bvalid  (s_axil_bvalid),
    .s_axil_bresp   (s_axil_bresp),
    .s_axil_arready (s_axil_arready),
    .s_axil_arvalid (s_axil_arvalid),
    .s_axil_araddr  (s_axil_araddr),
    .s_axil_arprot  (s_axil_arprot),
    .s_axil_rready  (s_axil_rready),
    .s_axil_rvalid  (s_axil_rvalid),
    .s_axil_rdata   (s_axil_rdata),
    .s_axil_rresp   (s_axil_rresp),
    .hwif_in        (hwif_in),
    .hwif_out       (hwif_out)
  );

  // The gate has refused indices outside; the register block acknowledges at once.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) key_we_o <= 1'b0;
    else key_we_o <= hwif_out.PUBLIC_KEY.req && hwif_out.PUBLIC_KEY.req_is_wr;
  end
  always_ff @(posedge clk_i) begin
    key_addr_o <= hwif_out.PUBLIC_KEY.addr[6:2];
    key_data_o <= hwif_out.PUBLIC_KEY.wr_data;
  end

  // ---- start, reset, clear ---------------------------------------------------------------------

  logic start_level_q, start, soft_reset, clear;

  assign soft_reset = hwif_out.CONTROL.reset.value;
  assign clear = hwif_out.common.CTRL.clear.value;
  assign start = hwif_out.CONTROL.start.value && !start_level_q && !soft_reset;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) start_level_q <= 1'b0;
    else start_level_q <= hwif_out.CONTROL.start.value;
  end

  // The device's `busy` follows a start or a clear by one cycle.
  assign busy = core_i.busy || start || clear;

  // ---- done, errors, interrupts ----------------------------------------------------------------

  logic control_done_q;
  logic err;
  err_e err_code, err_code_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) control_done_q <= 1'b0;
    else if (start || soft_reset || clear) control_done_q <= 1'b0;
    else if (core_i.done) control_done_q <= 1'b1;
  end

  always_comb begin
    err = 1'b1;
    if (core_i.err) err_code = core_i.err_code;
    else if (accept && refuse) err_code = gate_code;
    else if (window_err_busy_i) err_code = ErrBusyData;
    else if (window_err_addr_i) err_code = ErrDataAddress;
    else begin
      err = 1'b0;
      err_code = ErrNone;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) err_code_q <= ErrNone;
    else if (err && !hwif_out.common.STATUS.error.value) err_code_q <= err_code;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      irq_o <= 1'b0;
    end else begin
      irq_o <=
          (hwif_out.common.IRQ_STATUS.done.value && hwif_out.common.IRQ_ENABLE.done.value) ||
          (hwif_out.common.IRQ_STATUS.error.value && hwif_out.common.IRQ_ENABLE.error.value);
    end
  end

  // ---- to the register file and the device -----------------------------------------------------

  always_comb begin
    hwif_in = '{default: '0};
    hwif_in.busy = busy;
    hwif_in.common.CONFIG0.log_n.next = 8'(LogN);
    hwif_in.common.CONFIG0.log_q.next = 8'(LogQ);
    hwif_in.common.CONFIG0.log_t.next = 8'(LogT);
    hwif_in.common.CONFIG0.max_polys.next = 8'(MaxItems);
    hwif_in.common.CONFIG1.units.next = 16'(3 * N * N);
    hwif_in.common.CONFIG1.overlap.next = 1'b1;
    hwif_in.common.CAPS.wipe.next = 1'b1;
    hwif_in.common.CAPS.data_address_bits.next = 8'(WindowAddrBits);
    hwif_in.common.CAPS.region_bits.next = 4'(RegionBits);
    hwif_in.common.STATUS.busy.next = busy;
    hwif_in.common.STATUS.done.hwset = core_i.done;
    hwif_in.common.STATUS.done.hwclr = start;
    hwif_in.common.STATUS.error.hwset = err;
    hwif_in.common.ERRCODE.code.next =
        hwif_out.common.STATUS.error.value ? err_code_q : ErrNone;
    hwif_in.common.CYCLES_LO.value.next = core_i.cycles[31:0];
    hwif_in.common.CYCLES_HI.value.next = core_i.cycles[63:32];
    hwif_in.common.IRQ_STATUS.done.hwset = core_i.done;
    hwif_in.common.IRQ_STATUS.error.hwset = err;
    hwif_in.CONTROL.start.hwclr = soft_reset;
    hwif_in.CONTROL.done.next = control_done_q;
    hwif_in.OPERAND.bits.next = 4'(OperandBits);
    hwif_in.KEYS.public_key.next = core_i.key;
    hwif_in.KEYS.secret.next = core_i.secret;
    hwif_in.SECRET.codes.hwclr = clear;
    hwif_in.PUBLIC_KEY.wr_ack = hwif_out.PUBLIC_KEY.req && hwif_out.PUBLIC_KEY.req_is_wr;
  end

  assign host_o = '{
    start: start,
    soft_reset: soft_reset,
    clear: clear,
    key_loaded: hwif_out.common.CTRL.key_loaded.value,
    secret_loaded: hwif_out.SECRET.codes.swmod && !busy,
    decrypt: hwif_out.CONTROL.mode.value,
    count: hwif_out.COUNT.count.value,
    secret: hwif_out.SECRET.codes.value
  };

endmodule
