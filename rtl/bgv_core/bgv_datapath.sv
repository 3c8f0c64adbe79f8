// The accelerator without its bus: memories, transform units, products, finisher, sequencer.
//
// Commands come by `command_*` (bgv_core_pkg::command_t) and run in order, overlapped. Words of the
// keystream come by `word_*`. The host's way to memories is used while not `busy_o`:
//
//   host_space_i   0: ciphertext buffers; host_index_i = {buffer, part}
//                  1: keys (written only); host_index_i = {set, lane} (bgv_keys.sv)
//   host_bank_i, host_beat_i   the word's place, in coefficient order (0) or evaluation order (1)
//
// Reads: host_rdata_o two cycles after the address. Secrets cannot be read.
module bgv_datapath
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
  localparam int unsigned W = 27,
  localparam int unsigned Banks = 2 << LogB,
  localparam int unsigned BankWidth = LogB + 1,
  localparam int unsigned LogT = LogN - LogB - 1,
  localparam int unsigned UnitWidth = $clog2(Units + 1),
  localparam logic [W-1:0] Q = W'(modulus(2, Q0, Q1, Q2)),
  localparam int unsigned Digits = (modular_pkg::bits_of(64'(Q)) + DigitBits - 1) / DigitBits,
  localparam int unsigned IndexWidth = word_bits(LogN, LogBuffers, Digits) - LogN
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  command_valid_i,
  output logic                  command_ready_o,
  input  command_t              command_i,
  input  logic [UnitWidth-1:0]  ring_i,
  input  logic                  signed_digits_i,
  input  logic                  ternary_noise_i,
  input  logic [3:0]            log_p_i,
  output logic                  unknown_o,
  output logic                  busy_o,

  input  logic                  reset_i,            // gives up what runs; memories and keys stay
  input  logic                  samples_restart_i,
  output logic                  samples_ready_o,
  input  logic                  wipe_i,
  output logic                  wiping_o,
  input  random_pkg::word_t     word_i,
  input  logic                  word_valid_i,
  output logic                  word_ready_o,

  input  logic                  host_we_i,
  input  logic                  host_space_i,
  input  logic [IndexWidth-1:0] host_index_i,
  input  logic [BankWidth-1:0]  host_bank_i,
  input  logic [LogT-1:0]       host_beat_i,
  input  logic [W-1:0]          host_wdata_i,
  output logic [W-1:0]          host_rdata_o
);

  localparam int unsigned Lanes = Digits > 4 ? Digits : 4;
  localparam int unsigned LaneWidth = $clog2(Lanes);
  localparam int unsigned KeyLaneWidth = $clog2(2 * Digits);
  localparam int unsigned LogSlots = 2;

  if (64'(Q) != modulus(2, Q0, Q1, Q2)) begin : gen_bad_modulus
    $error("bgv_datapath: Q = %0d does not fit %0d bits", modulus(2, Q0, Q1, Q2), W);
  end
  if (Units < 7 || Units < Digits + 2) begin : gen_bad_units
    $error("bgv_datapath: %0d units: a product takes 7, a key switch %0d", Units, Digits + 2);
  end

  typedef logic [Banks-1:0][W-1:0] beat_t;

  logic run_ni;
  assign run_ni = rst_ni && !reset_i && !wipe_i;

  // ---- control ---------------------------------------------------------------------------------

  logic [Units-1:0] can_load, can_unload, offer, oldest_inverse, valid, unload, take;
  logic [Units-1:0] forward_units, inverse_units;
  logic [Units-1:0][LaneWidth-1:0] forward_lane;
  logic [Units-1:0][1:0] inverse_lane;
  logic pool_busy, sequencer_busy;
  logic samples_ready, samples_take, samples_free, samples_busy, keys_busy;
  logic [LogSlots-1:0] samples_slot, load_slot, finish_slot;
  op_e load_op, product_op, finish_op;
  logic load_evaluations, product_evaluations, product_a_evaluations, product_b_evaluations;
  logic product_read, finish_direct, finish_sum_done;
  logic [1:0] load_level, finish_level;
  logic load_read, forward_valid, inverse_valid, finish_read;
  logic [LogT-1:0] load_beat, product_beat, finish_beat, write_beat;
  logic [LogBuffers-1:0] load_a, load_b, product_a, product_b, finish_a, finish_b, write_buffer;
  logic [Lanes-1:0][UnitWidth-1:0] product_unit;
  logic [2:0][UnitWidth-1:0] finish_unit;
  logic [2:0] write_parts;

  bgv_sequencer #(
    .LogT(LogT),
    .Units(Units),
    .Lanes(Lanes),
    .Digits(Digits),
    .LogBuffers(LogBuffers),
    .LogSlots(LogSlots),
    .OfferedLatency(ntt_pkg::offered_latency(LogN, LogB, modular_pkg::MulLatency))
  ) u_sequencer (
    .clk_i,
    .rst_ni(run_ni),
    .command_valid_i,
    .command_ready_o,
    .command_i,
    .ring_i,
    .unknown_o,
    .busy_o(sequencer_busy),
    .can_load_i(can_load),
    .can_unload_i(can_unload),
    .offer_i(offer),
    .oldest_inverse_i(oldest_inverse),
    .valid_i(valid),
    .pool_busy_i(pool_busy),
    .unload_o(unload),
    .take_o(take),
    .forward_units_o(forward_units),
    .forward_lane_o(forward_lane),
    .inverse_units_o(inverse_units),
    .inverse_lane_o(inverse_lane),
    .samples_ready_i(samples_ready),
    .samples_slot_i(samples_slot),
    .samples_take_o(samples_take),
    .samples_free_o(samples_free),
    .load_op_o(load_op),
    .load_evaluations_o(load_evaluations),
    .load_level_o(load_level),
    .load_read_o(load_read),
    .load_beat_o(load_beat),
    .load_a_o(load_a),
    .load_b_o(load_b),
    .load_slot_o(load_slot),
    .forward_valid_o(forward_valid),
    .product_op_o(product_op),
    .product_evaluations_o(product_evaluations),
    .product_a_evaluations_o(product_a_evaluations),
    .product_b_evaluations_o(product_b_evaluations),
    .product_read_o(product_read),
    .product_a_o(product_a),
    .product_b_o(product_b),
    .product_unit_o(product_unit),
    .product_beat_o(product_beat),
    .inverse_valid_o(inverse_valid),
    .finish_op_o(finish_op),
    .finish_direct_o(finish_direct),
    .finish_sum_done_o(finish_sum_done),
    .finish_level_o(finish_level),
    .finish_read_o(finish_read),
    .finish_unit_o(finish_unit),
    .finish_beat_o(finish_beat),
    .finish_a_o(finish_a),
    .finish_b_o(finish_b),
    .finish_slot_o(finish_slot),
    .write_parts_o(write_parts),
    .write_buffer_o(write_buffer),
    .write_beat_o(write_beat)
  );

  assign samples_ready_o = samples_ready;

  // The buffers' wipe, a beat of all parts a cycle.
  logic wiping_q;
  assign wiping_o = samples_busy || keys_busy || wiping_q;
  logic [LogBuffers+LogT-1:0] wipe_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {wiping_q, wipe_q} <= '0;
    end else if (wipe_i) begin
      wiping_q <= 1'b1;
      wipe_q <= '0;
    end else if (wiping_q) begin
      wipe_q <= wipe_q + 1'b1;
      if (wipe_q == '1) wiping_q <= 1'b0;
    end
  end

  assign busy_o = sequencer_busy || wiping_o;

  // ---- memories ----------------------------------------------------------------------------------

  logic [1:0][LogBuffers+LogT-1:0] read_address;
  logic [1:0][2:0][Banks-1:0][W-1:0] read;
  logic [2:0][Banks-1:0][W-1:0] finished;
  logic [LogBuffers-1:0] host_buffer;
  logic [1:0] host_part;
  logic [2:0] host_parts;
  assign {host_buffer, host_part} = host_index_i[LogBuffers+1:0];
  assign host_parts = host_we_i && !host_space_i ? 3'(4'd1 << host_part) : 3'b0;

  always_comb begin
    read_address[0] = {host_buffer, host_beat_i};
    read_address[1] = {finish_b, finish_beat};
    if (finish_read) read_address[0] = {finish_a, finish_beat};
    if (product_read) begin
      read_address[0] = {product_a, product_beat};
      read_address[1] = {product_b, product_beat};
    end
    if (load_read) begin
      read_address[0] = {load_a, load_beat};
      read_address[1] = {load_b, load_beat};
    end
  end

  bgv_memory #(
    .W(W),
    .LogT(LogT),
    .LogBuffers(LogBuffers),
    .Banks(Banks)
  ) u_memory (
    .clk_i,
    .read_address_i(read_address),
    .read_o(read),
    .write_i(wiping_q ? 3'b111 : write_parts),
    .write_address_i(wiping_q ? wipe_q : {write_buffer, write_beat}),
    .write_data_i(wiping_q ? '0 : finished),
    .word_we_i(host_parts),
    .word_bank_i(host_bank_i),
    .word_address_i({host_buffer, host_beat_i}),
    .word_i(host_wdata_i)
  );

  logic [1:0] host_part_q;
  logic [BankWidth-1:0] host_bank_q;
  always_ff @(posedge clk_i) begin
    {host_part_q, host_bank_q} <= {host_part, host_bank_i};
    host_rdata_o <= host_part_q == 2'd3 ? '0 : read[0][host_part_q][host_bank_q];
  end

  logic [2*Digits-1:0][Banks-1:0][W-1:0] keys;
  logic [1:0] key_set;
  assign key_set = product_op == OpEncrypt ? 2'd1 : (product_op == OpDecrypt ? 2'd2 : 2'd0);
  bgv_keys #(
    .W(W),
    .LogT(LogT),
    .Banks(Banks),
    .Digits(Digits)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .busy_o(keys_busy),
    .set_i(key_set),
    .beat_i(product_beat),
    .key_o(keys),
    .we_i(host_we_i && host_space_i),
    .word_set_i(host_index_i[KeyLaneWidth+:2]),
    .word_lane_i(host_index_i[KeyLaneWidth-1:0]),
    .word_bank_i(host_bank_i),
    .word_beat_i(host_beat_i),
    .word_i(host_wdata_i)
  );

  random_pkg::ternary_t [Banks-1:0] u_codes;
  random_pkg::binomial_t [1:0][Banks-1:0] noise;
  bgv_samples #(
    .LogN(LogN),
    .LogB(LogB),
    .LogSlots(LogSlots)
  ) u_samples (
    .clk_i,
    .rst_ni,
    .restart_i(samples_restart_i),
    .flush_i(wipe_i),
    .ternary_noise_i,
    .busy_o(samples_busy),
    .word_i,
    .word_valid_i,
    .word_ready_o,
    .ready_o(samples_ready),
    .u_take_i(samples_take),
    .u_slot_o(samples_slot),
    .free_i(samples_free),
    .u_read_slot_i(load_slot),
    .u_beat_i(load_beat),
    .u_o(u_codes),
    .e_read_slot_i(load_read ? load_slot : finish_slot),
    .e_beat_i(load_read ? load_beat : finish_beat),
    .e_o(noise)
  );

  // ---- loader ------------------------------------------------------------------------------------

  logic [Lanes-1:0][Banks-1:0][W-1:0] forward_beats;
  for (genvar k = 0; k < Banks; k++) begin : gen_digits
    logic [3:0][W-1:0] x;
    logic [Lanes-1:0][W-1:0] lanes;
    logic [W-1:0] u_residue;
    assign u_residue = u_codes[k][1] ? Q - 1'b1 : W'(u_codes[k][0]);
    // What an encryption adds, to be transformed too.
    logic [1:0][W-1:0] added;
    for (genvar j = 0; j < 2; j++) begin : gen_added
      assign added[j] = W'(embed(noise[j][k], j == 0 ? read[0][0][k][8:0] : '0, log_p_i, 32'(Q)));
    end
    always_comb begin
      x = {read[1][1][k], read[1][0][k], read[0][1][k], read[0][0][k]};
      if (load_op == OpKeySwitch) x[2] = read[0][2][k];
      if (load_op == OpDecrypt) x[0] = read[0][1][k];
      if (load_op == OpEncrypt) x[0] = u_residue;
      if (load_op == OpEncrypt && load_evaluations) {x[2], x[1]} = added;
    end
    bgv_digits #(
      .W(W),
      .Q0(Q0),
      .Q1(Q1),
      .Q2(Q2),
      .DigitBits(DigitBits),
      .Digits(Digits),
      .Lanes(Lanes)
    ) u_digits (
      .clk_i,
      .level_i(load_level),
      .digits_i(load_op == OpKeySwitch),
      .signed_i(signed_digits_i),
      .x_i(x),
      .lane_o(lanes)
    );
    for (genvar j = 0; j < Lanes; j++) begin : gen_lane
      assign forward_beats[j][k] = lanes[j];
    end
  end

  // ---- transforms, products -------------------------------------------------------------------------

  beat_t [Units-1:0] beats;
  logic [2:0][Banks-1:0][W-1:0] inverse_beats;
  bgv_pool #(
    .LogN(LogN),
    .LogB(LogB),
    .W(W),
    .Q(Q),
    .Psi(W'(Psi)),
    .Units(Units),
    .Lanes(Lanes)
  ) u_pool (
    .clk_i,
    .rst_ni(run_ni),
    .forward_units_i(forward_units),
    .forward_lane_i(forward_lane),
    .forward_valid_i(forward_valid),
    .forward_i(forward_beats),
    .inverse_units_i(inverse_units),
    .inverse_lane_i(inverse_lane),
    .inverse_valid_i(inverse_valid),
    .inverse_i(inverse_beats),
    .can_load_o(can_load),
    .can_unload_o(can_unload),
    .offer_o(offer),
    .oldest_inverse_o(oldest_inverse),
    .unload_i(unload),
    .take_i(take),
    .valid_o(valid),
    .beat_o(beats),
    .busy_o(pool_busy)
  );

  for (genvar k = 0; k < Banks; k++) begin : gen_product
    logic [Lanes-1:0][W-1:0] x_q, x;
    logic [1:0][W-1:0] addend;
    logic [2*Digits-1:0][W-1:0] key;
    logic [2:0][W-1:0] out;
    always_ff @(posedge clk_i) begin
      for (int unsigned j = 0; j < Lanes; j++) x_q[j] <= beats[product_unit[j]][k];
    end
    always_comb begin
      x = x_q;
      addend = '0;
      if (product_a_evaluations) begin
        unique case (product_op)
          OpMultiply: {x[1], x[0]} = {read[0][1][k], read[0][0][k]};
          OpConvert: {x[2], x[1], x[0]} = {read[0][2][k], read[0][1][k], read[0][0][k]};
          OpDecrypt: {x[0], addend[0]} = {read[0][1][k], read[0][0][k]};
          default: addend = {read[0][1][k], read[0][0][k]};  // OpKeySwitch
        endcase
      end
      if (product_b_evaluations) {x[3], x[2]} = {read[1][1][k], read[1][0][k]};
      if (product_op == OpEncrypt && product_evaluations) addend = {x_q[2], x_q[1]};
    end
    for (genvar j = 0; j < 2 * Digits; j++) begin : gen_key
      assign key[j] = keys[j][k];
    end
    bgv_pointwise #(
      .W(W),
      .Q(Q),
      .Digits(Digits)
    ) u_pointwise (
      .clk_i,
      .op_i(product_op),
      .x_i(x),
      .key_i(key),
      .addend_i(addend),
      .out_o(out)
    );
    for (genvar j = 0; j < 3; j++) begin : gen_out
      assign inverse_beats[j][k] = out[j];
    end
  end

  // ---- finisher --------------------------------------------------------------------------------------

  for (genvar k = 0; k < Banks; k++) begin : gen_finish
    logic [2:0][W-1:0] z_q, a, b, out;
    always_ff @(posedge clk_i) begin
      for (int unsigned j = 0; j < 3; j++) begin
        z_q[j] <= finish_direct ? inverse_beats[j][k] : beats[finish_unit[j]][k];
      end
    end
    for (genvar j = 0; j < 3; j++) begin : gen_part
      assign a[j] = finish_sum_done ? '0 : read[0][j][k];
      assign b[j] = read[1][j][k];
      assign finished[j][k] = out[j];
    end
    bgv_finish #(
      .W(W),
      .Q0(Q0),
      .Q1(Q1),
      .Q2(Q2)
    ) u_finish (
      .clk_i,
      .op_i(finish_op),
      .level_i(finish_level),
      .log_p_i,
      .z_i(z_q),
      .a_i(a),
      .b_i(b),
      .noise_i({noise[1][k], noise[0][k]}),
      .out_o(out)
    );
  end

endmodule
