// The device without its memories, bus and sampler: array, reduction, noise and rounding.
//
//   encrypt   out_2k = p0 u_k + e1_k + padd_2k,  out_2k+1 = p1 u_k + e2_k (+ padd_2k+1 in paper mode)
//   decrypt   out_k = floor((padd_k + c1_k s) / 2^24 + 1/2) mod 2^8
//
// Coefficients are modulo 2^32, lowest degree at the lowest address; ternary ones are code_t.
// Memories answer one cycle after the address and hold their data while `re` is low.
//
// The main pipeline (one coefficient a cycle; nothing in it ever waits once a step is made):
//   B    step: operand, u and s are there (read with the next address) and enter the fan-out tree
//   C    the leaves' copies; the elements add                    (paper mode: the operand is taken,
//        and everything from here on is one cycle later)
//   R0   = B (paper: C): the addition memory's word is there, noise is popped
//   R1   padd + e; R2: sum_0 of the array, reduction, rounding; R3: written to the output memory
// `done` comes one cycle after the last write.
//
// Latency and throughput: see overlap_cycles and paper_cycles in the package.
// Parameters: LogN = log2 of the ring degree, 4 to 12.
module bfv_crypt_core
  import bfv_crypt_pkg::*;
#(
  parameter int unsigned LogN = 10,
  localparam int unsigned MemAddrWidth = LogN + LogMaxPolys,
  localparam int unsigned CodeAddrWidth = LogN > 4 ? LogN - 4 : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  host_t host_i,
  output core_t core_o,

  // Multiplicand and addition memories (read), output memory (write).
  output logic [MemAddrWidth-1:0] mult_raddr_o,
  input  coeff_t                  mult_rdata_i,
  output logic                    padd_re_o,
  output logic [MemAddrWidth-1:0] padd_raddr_o,
  input  coeff_t                  padd_rdata_i,
  output logic                    out_we_o,
  output logic [MemAddrWidth-1:0] out_waddr_o,
  output coeff_t                  out_wdata_o,

  // While `wipe_o`, word `wipe_addr_o` of every memory is to be zeroed.
  output logic                    wipe_o,
  output logic [MemAddrWidth-1:0] wipe_addr_o,

  // The host has written: a word of the multiplicand memory; 16 ternary codes.
  input  logic                     mult_written_i,
  input  logic                     code_we_i,
  input  logic [CodeAddrWidth-1:0] code_waddr_i,
  input  logic [31:0]              code_wdata_i,

  // The sampler (device_random): u by address, the noise stream in order.
  input  logic              sampler_busy_i,   // it is being wiped or restarted
  input  logic [LogN+1:0]   u_count_i,        // coefficients of u written and not freed
  output logic              u_free_o,
  output logic [LogN:0]     u_raddr_a_o,
  output logic [LogN:0]     u_raddr_b_o,
  input  code_t             u_a_i,
  input  code_t             u_b_i,
  input  logic signed [5:0] e_i,
  input  logic              e_valid_i,
  output logic              e_pop_o
);

  if (LogN < 4 || LogN > 12) begin : gen_bad_log_n
    $error("bfv_crypt_core: LogN = %0d is not between 4 and 12", LogN);
  end

  localparam int unsigned Groups = 1 << (LogN - 4);

  logic paper, decrypt;
  assign paper = host_i.paper;
  assign decrypt = host_i.decrypt;

  logic unused_host;
  assign unused_host = ^{host_i.seed, host_i.run_counter};

  // ---- control ---------------------------------------------------------------------------------

  logic step, advance, restart, init, last_step, kill, lfsr_load, wipe;
  logic fresh_q, avail, last_written;
  logic index_last, next_odd;
  logic [LogMaxPolys:0]   period, next_period, polys;
  logic [LogMaxPolys-1:0] product;

  control_fsm u_fsm (
    .clk_i,
    .rst_ni,
    .start_i           (host_i.start),
    .soft_reset_i      (host_i.soft_reset),
    .clear_i           (host_i.clear),
    .key_loaded_i      (host_i.key_loaded),
    .seed_load_i       (host_i.seed_load),
    .armed_i           (host_i.armed),
    .paper_i           (paper),
    .decrypt_i         (decrypt),
    .count_i           (host_i.count),
    .lfsr_zero_i       (host_i.lfsr_seed == '0),
    .operand_written_i (mult_written_i || code_we_i),
    .fresh_i           (fresh_q),
    .avail_i           (avail),
    .index_last_i      (index_last),
    .period_i          (period),
    .product_i         (product),
    .last_written_i    (last_written),
    .sampler_busy_i    (sampler_busy_i),
    .step_o            (step),
    .advance_o         (advance),
    .restart_o         (restart),
    .init_o            (init),
    .last_step_o       (last_step),
    .kill_o            (kill),
    .lfsr_load_o       (lfsr_load),
    .wipe_o            (wipe),
    .busy_o            (core_o.busy),
    .primed_o          (core_o.primed),
    .done_o            (core_o.done),
    .run_spent_o       (core_o.run_spent),
    .err_o             (core_o.err),
    .err_code_o        (core_o.err_code),
    .cycles_o          (core_o.cycles)
  );

  // ---- addresses -------------------------------------------------------------------------------

  logic [LogN-1:0]         s_raddr;
  logic                    result_addend, result_hold;
  logic [MemAddrWidth-1:0] result_addr;

  address_gen #(
    .LogN (LogN)
  ) u_addresses (
    .clk_i,
    .rst_ni,
    .paper_i         (paper),
    .decrypt_i       (decrypt),
    .restart_i       (restart),
    .advance_i       (advance),
    .mult_raddr_o,
    .u_raddr_a_o,
    .u_raddr_b_o,
    .s_raddr_o       (s_raddr),
    .padd_re_o,
    .padd_raddr_o,
    .next_odd_o      (next_odd),
    .next_period_o   (next_period),
    .index_last_o    (index_last),
    .period_o        (period),
    .product_o       (product),
    .wipe_addr_o,
    .result_addend_o (result_addend),
    .result_hold_o   (result_hold),
    .result_addr_o   (result_addr)
  );
  assign wipe_o = wipe;

  // ---- randomness: u ---------------------------------------------------------------------------

  logic draws, take, free, need;

  // From seed_load the sampler works for the armed run, until that run is spent.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) fresh_q <= 1'b0;
    else if (core_o.run_spent || host_i.clear) fresh_q <= 1'b0;
    else if (host_i.seed_load) fresh_q <= 1'b1;
  end

  assign polys = {host_i.count == '0, host_i.count};
  assign draws = !paper && !decrypt;
  // Even periods begin a plaintext; the one after the last product begins nothing.
  assign take = step && draws && !period[0];
  assign free = step && draws && !period[0] && period != '0;
  assign need = draws && !next_odd && (next_period == '0 || next_period != polys);

  u_credit #(
    .LogN (LogN)
  ) u_window (
    .clk_i,
    .rst_ni,
    .restart_i (restart),
    .take_i    (take),
    .free_i    (free),
    .need_i    (need),
    .fresh_i   (fresh_q && !host_i.seed_load && !sampler_busy_i),
    .u_count_i (u_count_i),
    .avail_o   (avail),
    .u_free_o  (u_free_o)
  );

  // ---- the array -------------------------------------------------------------------------------

  code_t  s_code, ternary_u, ternary_v, u_bus, v_bus;
  coeff_t bus, sum;
  logic   behind_q;
  logic [Groups-1:0] code_we;

  code_mem #(
    .LogN (LogN)
  ) u_codes (
    .clk_i,
    .we_i        (code_we_i),
    .waddr_i     (code_waddr_i),
    .wdata_i     (code_wdata_i),
    .wipe_i      (wipe),
    .wipe_addr_i (wipe_addr_o[CodeAddrWidth-1:0]),
    .raddr_i     (s_raddr),
    .code_o      (s_code)
  );

  // Paper mode: steps of the array follow the operand by one cycle.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || kill) behind_q <= 1'b0;
    else behind_q <= step && paper;
  end

  assign ternary_u = decrypt ? s_code : u_a_i;
  assign ternary_v = decrypt ? s_code : u_b_i;
  assign u_bus = paper ? {1'b0, !result_hold} : ternary_u;
  assign v_bus = {ternary_v[1] ^ ternary_v[0], ternary_v[0]};   // -u
  assign bus = code_we_i ? code_wdata_i : mult_rdata_i;

  always_comb begin
    code_we = '0;
    if (LogN > 4) code_we[code_waddr_i] = code_we_i;
    else code_we[0] = code_we_i;
  end

  bfv_array #(
    .LogN (LogN)
  ) u_array (
    .clk_i,
    .step_i    (paper ? behind_q : step),
    .paper_i   (paper),
    .sel_clr_i (init || (step && index_last)),
    .sum_clr_i (init),
    .wipe_i    (wipe),
    .u_i       (u_bus),
    .v_i       (v_bus),
    .bus_i     (bus),
    .code_we_i (code_we),
    .sum_o     (sum)
  );

  // ---- results ---------------------------------------------------------------------------------

  typedef struct packed {
    logic                    emit;    // a result
    logic                    store;   // paper, count phase: into the delay line
    logic                    last;
    logic [MemAddrWidth-1:0] addr;
  } result_t;

  result_t r0, r1_q, r2_q;
  logic    r3_emit_q, r3_last_q, r4_last_q, last_step_q;
  logic [MemAddrWidth-1:0] r3_addr_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || kill) last_step_q <= 1'b0;
    else last_step_q <= last_step && paper;
  end

  always_comb begin
    r0.addr = result_addr;
    if (paper) begin
      r0.emit = behind_q && result_hold;
      r0.store = behind_q && !result_hold;
      r0.last = last_step_q;
    end else begin
      r0.emit = step && period != '0;
      r0.store = 1'b0;
      r0.last = last_step;
    end
  end

  always_ff @(posedge clk_i) begin
    r1_q.addr <= r0.addr;
    r2_q.addr <= r1_q.addr;
    r3_addr_q <= r2_q.addr;
    if (!rst_ni || kill) begin
      {r1_q.emit, r1_q.store, r1_q.last} <= '0;
      {r2_q.emit, r2_q.store, r2_q.last} <= '0;
      r3_emit_q <= 1'b0;
      r3_last_q <= 1'b0;
      r4_last_q <= 1'b0;
    end else begin
      {r1_q.emit, r1_q.store, r1_q.last} <= {r0.emit, r0.store, r0.last};
      {r2_q.emit, r2_q.store, r2_q.last} <= {r1_q.emit, r1_q.store, r1_q.last};
      r3_emit_q <= r2_q.emit;
      r3_last_q <= r2_q.last;
      r4_last_q <= r3_last_q;
    end
  end
  assign last_written = r4_last_q;

  // ---- R0: noise; R1: padd + e -----------------------------------------------------------------

  logic signed [7:0] noise;
  coeff_t            addend_q;

  noise_source u_noise (
    .clk_i,
    .rst_ni,
    .paper_i     (paper),
    .load_i      (lfsr_load && !decrypt),
    .wipe_i      (wipe),
    .seed_i      (host_i.lfsr_seed),
    .pop_i       (r0.emit && !decrypt),
    .e_o         (noise),
    .cbd_i       (e_i),
    .cbd_valid_i (e_valid_i),
    .cbd_pop_o   (e_pop_o)
  );

  always_ff @(posedge clk_i) begin
    addend_q <= (padd_rdata_i & {LogQ{result_addend}}) +
                (LogQ'(noise) & {LogQ{!decrypt}});
  end

  // ---- R2: reduction and rounding; R3: output --------------------------------------------------

  coeff_t          c, out_q;
  logic [LogT-1:0] message;

  poly_reduce #(
    .LogN (LogN)
  ) u_reduce (
    .clk_i,
    .paper_i      (paper),
    .addr_i       (result_addr[LogN-1:0]),
    .addend_i     (addend_q),
    .y_i          (sum),
    .store_i      (r2_q.store),
    .store_addr_i (r2_q.addr[LogN-1:0]),
    .c_o          (c),
    .wipe_i       (wipe),
    .wipe_addr_i  (wipe_addr_o[LogN-1:0])
  );

  scale_round u_round (
    .c_i (c),
    .m_o (message)
  );

  always_ff @(posedge clk_i) out_q <= decrypt ? LogQ'(message) : c;

  assign out_we_o = r3_emit_q;
  assign out_waddr_o = r3_addr_q;
  assign out_wdata_o = out_q;

`ifndef SYNTHESIS
  // Element 0 takes its operand in a period's last step and never uses V.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      $past(step) && !paper && !$past(kill) |-> !u_array.sel[0]);
  // Codes ride on the operand bus: never during a run.
  assert property (@(posedge clk_i) disable iff (!rst_ni) code_we_i |-> !core_o.busy);
`endif

endmodule
