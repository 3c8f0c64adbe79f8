// Registers of the BGV accelerator behind AXI4-Lite, and the rules for its seed and run counter.
//
// The register file itself is generated from regs.rdl (generated/bgv_core_regs.sv). Here are
//   * the write gate: while busy only CTRL, STATUS, IRQ_STATUS, IRQ_ENABLE and a CONTROL word with
//     its reset bit pass; a word of PROGRAM must be whole;
//   * the seed rules of docs/device-randomness.md: writing the high word of the run counter commits
//     the staged seed and counter together, or refuses both;
//   * done, error and interrupt flags. The first error is kept until STATUS.error is cleared.
//
// Latency: a write acts 2 cycles after its data was taken; `host_o.start` is a pulse in that cycle.
// Throughput: one write in 3 cycles, one read in 2.
module bgv_core_csr
  import bgv_core_pkg::*;
#(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  parameter int unsigned Q0 = 257,
  parameter int unsigned Q1 = 257,
  parameter int unsigned Q2 = 257,
  parameter int unsigned Psi = 3_259_673,
  parameter int unsigned DigitBits = 13,
  parameter int unsigned Digits = 2,
  parameter int unsigned Units = 7,
  parameter int unsigned LogBuffers = 4
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

  // One accepted word of the program.
  output logic        program_we_o,
  output logic [5:0]  program_addr_o,
  output logic [31:0] program_data_o,

  // Refusals of the data window: pulses.
  input  logic window_err_busy_i,
  input  logic window_err_addr_i,
  input  logic window_err_range_i,

  output logic irq_o
);

  // Software reads the codes of regs.rdl.
  if (4'(ErrNone) != 4'(bgv_core_regs_pkg::bgv_core_error__NONE) ||
      4'(ErrNoSeed) != 4'(bgv_core_regs_pkg::bgv_core_error__NO_SEED) ||
      4'(ErrCounterReused) != 4'(bgv_core_regs_pkg::bgv_core_error__COUNTER_REUSED) ||
      4'(ErrCounterExhausted) != 4'(bgv_core_regs_pkg::bgv_core_error__COUNTER_EXHAUSTED) ||
      4'(ErrBusyRegister) != 4'(bgv_core_regs_pkg::bgv_core_error__BUSY_REGISTER) ||
      4'(ErrBusyData) != 4'(bgv_core_regs_pkg::bgv_core_error__BUSY_DATA) ||
      4'(ErrBadCommand) != 4'(bgv_core_regs_pkg::bgv_core_error__BAD_COMMAND) ||
      4'(ErrDataAddress) != 4'(bgv_core_regs_pkg::bgv_core_error__DATA_ADDRESS) ||
      4'(ErrCountRange) != 4'(bgv_core_regs_pkg::bgv_core_error__COUNT_RANGE) ||
      4'(ErrOptionRange) != 4'(bgv_core_regs_pkg::bgv_core_error__OPTION_RANGE) ||
      4'(ErrWordRange) != 4'(bgv_core_regs_pkg::bgv_core_error__WORD_RANGE) ||
      4'(ErrTooMany) != 4'(bgv_core_regs_pkg::bgv_core_error__TOO_MANY)) begin : gen_bad_codes
    $error("bgv_core_csr: err_e of bgv_core_pkg.sv and the codes of regs.rdl differ");
  end

  localparam logic [63:0] CounterEnd = '1;

  // Byte addresses that the gate knows (regs.rdl).
  localparam logic [8:0] AddrCtrl = 9'h014;
  localparam logic [8:0] AddrStatus = 9'h018;
  localparam logic [8:0] AddrIrqStatus = 9'h028;
  localparam logic [8:0] AddrIrqEnable = 9'h02c;
  localparam logic [8:0] AddrControl = 9'h040;
  localparam int unsigned ControlResetBit = 7;

  bgv_core_regs_pkg::bgv_core_regs__in_t  hwif_in;
  bgv_core_regs_pkg::bgv_core_regs__out_t hwif_out;

  // ---- the write gate --------------------------------------------------------------------------

  logic       busy;
  logic       refuse, accept;
  err_e       gate_code;
  logic       gate_awvalid, gate_wvalid, gate_awready, gate_wready;
  logic [8:0] gate_awaddr, write_word;
  logic       passes_while_busy;

  assign write_word = {s_axil_awaddr[8:2], 2'b00};
  assign passes_while_busy =
      write_word inside {AddrCtrl, AddrStatus, AddrIrqStatus, AddrIrqEnable} ||
      (write_word == AddrControl && s_axil_wstrb[0] && s_axil_wdata[ControlResetBit]);

  always_comb begin
    gate_code = ErrNone;
    if (busy) begin
      if (!passes_while_busy) gate_code = ErrBusyRegister;
    end else if (write_word[8] && s_axil_wstrb != 4'hf) begin
      gate_code = ErrDataAddress;
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

  bgv_core_regs u_regs (
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

  // The register block acknowledges at once.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) program_we_o <= 1'b0;
    else program_we_o <= hwif_out.PROGRAM.req && hwif_out.PROGRAM.req_is_wr;
  end
  always_ff @(posedge clk_i) begin
    program_addr_o <= hwif_out.PROGRAM.addr[7:2];
    program_data_o <= hwif_out.PROGRAM.wr_data;
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

  // ---- seed and run counter --------------------------------------------------------------------

  logic [255:0] staged_seed, seed_q;
  logic [63:0]  staged_counter, counter_q, counter_next;
  logic [7:0]   staged_words_q, seed_word_written;
  logic         commit_q, seed_valid_q, armed_q, seed_load_q;
  logic         commit_ok;
  err_e         commit_code;

  always_comb begin
    for (int unsigned i = 0; i < 8; i++) begin
      staged_seed[32*i+:32] = hwif_out.SEED[i].value.value;
      seed_word_written[i] = hwif_out.SEED[i].value.swmod && !busy;
    end
  end
  assign staged_counter = {hwif_out.RUN_COUNTER_HI.value.value,
                           hwif_out.RUN_COUNTER_LO.value.value};

  always_comb begin
    commit_code = ErrNone;
    if (!(&staged_words_q)) begin
      commit_code = ErrNoSeed;
    end else if (staged_counter == CounterEnd) begin
      commit_code = ErrCounterExhausted;
    end else if (seed_valid_q && staged_seed == seed_q && staged_counter < counter_q) begin
      commit_code = ErrCounterReused;
    end
  end
  assign commit_ok = commit_q && commit_code == ErrNone;
  assign counter_next = counter_q + 64'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      staged_words_q <= '0;
      commit_q <= 1'b0;
      seed_valid_q <= 1'b0;
      armed_q <= 1'b0;
      seed_load_q <= 1'b0;
      // Secrets are wiped, unlike other data.
      seed_q <= '0;
      counter_q <= '0;
    end else begin
      staged_words_q <= staged_words_q | seed_word_written;
      // One cycle later the high word stands in its register.
      commit_q <= hwif_out.RUN_COUNTER_HI.value.swmod && !busy;
      seed_load_q <= 1'b0;
      if (core_i.run_spent) begin
        // The counter's end is never used: there would be no next.
        counter_q <= counter_next;
        armed_q <= counter_next != CounterEnd;
        seed_load_q <= counter_next != CounterEnd;
      end else if (commit_ok) begin
        seed_q <= staged_seed;
        counter_q <= staged_counter;
        seed_valid_q <= 1'b1;
        armed_q <= 1'b1;
        seed_load_q <= 1'b1;
      end
    end
  end

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
    else if (commit_q && !commit_ok) err_code = commit_code;
    else if (accept && refuse) err_code = gate_code;
    else if (window_err_busy_i) err_code = ErrBusyData;
    else if (window_err_addr_i) err_code = ErrDataAddress;
    else if (window_err_range_i) err_code = ErrWordRange;
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

  localparam logic [2:0][31:0] Factors = {Q2, Q1, Q0};

  always_comb begin
    hwif_in = '{default: '0};
    hwif_in.busy = busy;
    hwif_in.common.CONFIG0.log_n.next = 8'(LogN);
    hwif_in.common.CONFIG0.log_q.next = 8'(modular_pkg::bits_of(modulus(2, Q0, Q1, Q2)));
    hwif_in.common.CONFIG0.log_t.next = 8'(MaxLogP);
    hwif_in.common.CONFIG0.max_polys.next = 8'(4 << LogBuffers);
    hwif_in.common.CONFIG1.units.next = 16'(Units);
    hwif_in.common.CONFIG1.overlap.next = 1'b1;
    hwif_in.common.CAPS.randomness.next = 1'b1;
    hwif_in.common.CAPS.wipe.next = 1'b1;
    hwif_in.common.CAPS.data_address_bits.next = 8'(window_bits(LogN, LogBuffers, Digits));
    hwif_in.common.CAPS.region_bits.next = 4'(RegionBits);
    hwif_in.common.STATUS.busy.next = busy;
    hwif_in.common.STATUS.done.hwset = core_i.done;
    hwif_in.common.STATUS.done.hwclr = start;
    hwif_in.common.STATUS.error.hwset = err;
    hwif_in.common.STATUS.primed.next = core_i.primed;
    hwif_in.common.STATUS.armed.next = armed_q;
    hwif_in.common.ERRCODE.code.next =
        hwif_out.common.STATUS.error.value ? err_code_q : ErrNone;
    hwif_in.common.CYCLES_LO.value.next = core_i.cycles[31:0];
    hwif_in.common.CYCLES_HI.value.next = core_i.cycles[63:32];
    hwif_in.common.IRQ_STATUS.done.hwset = core_i.done;
    hwif_in.common.IRQ_STATUS.error.hwset = err;
    hwif_in.CONTROL.start.hwclr = soft_reset;
    hwif_in.CONTROL.done.next = control_done_q;
    hwif_in.LEVELS.levels.next = 4'(levels(Q1, Q2));
    hwif_in.LEVELS.digits.next = 4'(Digits);
    hwif_in.LEVELS.digit_bits.next = 5'(DigitBits);
    hwif_in.LEVELS.log_b.next = 4'(LogB);
    hwif_in.LEVELS.log_buffers.next = 4'(LogBuffers);
    hwif_in.LEVELS.log_lanes.next = 4'($clog2(2 * Digits));
    for (int unsigned i = 0; i < 3; i++) begin
      hwif_in.FACTOR[i].value.next = Factors[i];
    end
    hwif_in.PSI.value.next = Psi;
    hwif_in.RUN_COUNTER_LO.value.hwclr = clear;
    hwif_in.RUN_COUNTER_HI.value.hwclr = clear;
    for (int unsigned i = 0; i < 8; i++) begin
      hwif_in.SEED[i].value.hwclr = clear;
    end
    hwif_in.PROGRAM.wr_ack = hwif_out.PROGRAM.req && hwif_out.PROGRAM.req_is_wr;
  end

  assign host_o = '{
    start: start,
    soft_reset: soft_reset,
    clear: clear,
    seed_load: seed_load_q,
    armed: armed_q,
    count: hwif_out.COUNT.count.value,
    log_p: hwif_out.OPTIONS.log_p.value,
    signed_digits: hwif_out.OPTIONS.signed_digits.value,
    ternary_noise: hwif_out.OPTIONS.ternary_noise.value,
    ring: hwif_out.OPTIONS.ring.value,
    seed: seed_q,
    run_counter: counter_q
  };

  // CTRL.key_loaded says nothing to this device: its keys need no preparation.
  logic unused_key_loaded;
  assign unused_key_loaded = hwif_out.common.CTRL.key_loaded.value;

endmodule
