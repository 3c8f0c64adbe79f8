// Runs commands: what the loader, the products and the finisher do, and when.
//
// A command goes through three engines, each with commands of its own behind one another:
//
//   loader     memory or samples -> forward transforms
//   products   forward transforms, memory, keys -> inverse transforms, finisher
//   finisher   inverse transforms, products, memory, noise -> memory
//
// Forms (bgv_core_pkg::command_t) say which transforms are left out. Operands kept as evaluations go
// from memory to the products; results that stay evaluations go from the products straight to the
// finisher, which then begins with them.
//
// Transform units are given out in a ring of `ring_i` units: to a command's forward transforms when it
// begins, to its inverse ones after the forward ones of the next command (or with its products, if
// those come first), which is about the order in which they work. A unit is promised to one polynomial
// at a time, until that polynomial has come, and no command's inverse transforms stand behind a later
// command's forward ones. So the engines, which work in the order of the commands, never wait in a
// circle. An engine takes results as they are made (`offer`) when it can begin then, and from the
// units' buffers otherwise.
//
// A command waits until nothing is on its way into its operands' buffers. The finisher's first beat
// counts as written: readers go through a buffer in the same order and do not overtake.
//
// Commands of unknown operation or form, or of more transforms than the ring has units, are dropped
// with `unknown_o`.
module bgv_sequencer
  import bgv_core_pkg::*;
#(
  parameter int unsigned LogT = 6,
  parameter int unsigned Units = 7,
  parameter int unsigned Lanes = 4,
  parameter int unsigned Digits = 2,
  parameter int unsigned LogBuffers = 3,
  parameter int unsigned LogSlots = 2,
  parameter int unsigned OfferedLatency = 13,
  localparam int unsigned UnitWidth = $clog2(Units + 1),
  localparam int unsigned LaneWidth = $clog2(Lanes),
  localparam int unsigned IndexWidth = $clog2(Units)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic                            command_valid_i,
  output logic                            command_ready_o,
  input  command_t                        command_i,
  input  logic [UnitWidth-1:0]            ring_i,
  output logic                            unknown_o,
  output logic                            busy_o,

  // Units.
  input  logic [Units-1:0]                can_load_i,
  input  logic [Units-1:0]                can_unload_i,
  input  logic [Units-1:0]                offer_i,
  input  logic [Units-1:0]                oldest_inverse_i,
  input  logic [Units-1:0]                valid_i,
  input  logic                            pool_busy_i,
  output logic [Units-1:0]                unload_o,
  output logic [Units-1:0]                take_o,
  output logic [Units-1:0]                forward_units_o,
  output logic [Units-1:0][LaneWidth-1:0] forward_lane_o,
  output logic [Units-1:0]                inverse_units_o,
  output logic [Units-1:0][1:0]           inverse_lane_o,

  // Samples.
  input  logic                            samples_ready_i,
  input  logic [LogSlots-1:0]             samples_slot_i,
  output logic                            samples_take_o,
  output logic                            samples_free_o,

  // Loader: reads of the cycle; the beats reach the units DigitsLatency + 1 later.
  output op_e                             load_op_o,
  output logic                            load_evaluations_o,  // form of the result
  output logic [1:0]                      load_level_o,
  output logic                            load_read_o,
  output logic [LogT-1:0]                 load_beat_o,
  output logic [LogBuffers-1:0]           load_a_o,
  output logic [LogBuffers-1:0]           load_b_o,
  output logic [LogSlots-1:0]             load_slot_o,
  output logic                            forward_valid_o,

  // Products: beats of units and of memory (`product_read_o`) come together.
  output op_e                             product_op_o,
  output logic                            product_evaluations_o,
  output logic                            product_a_evaluations_o,
  output logic                            product_b_evaluations_o,
  output logic                            product_read_o,
  output logic [LogBuffers-1:0]           product_a_o,
  output logic [LogBuffers-1:0]           product_b_o,
  output logic [Lanes-1:0][UnitWidth-1:0] product_unit_o,
  output logic [LogT-1:0]                 product_beat_o,
  output logic                            inverse_valid_o,

  // Finisher: reads of the cycle; the beats reach the memory FinishLatency + 1 later.
  output op_e                             finish_op_o,
  output logic                            finish_direct_o,    // from the products
  output logic                            finish_sum_done_o,  // the products added the operand
  output logic [1:0]                      finish_level_o,
  output logic                            finish_read_o,
  output logic [2:0][UnitWidth-1:0]       finish_unit_o,
  output logic [LogT-1:0]                 finish_beat_o,
  output logic [LogBuffers-1:0]           finish_a_o,
  output logic [LogBuffers-1:0]           finish_b_o,
  output logic [LogSlots-1:0]             finish_slot_o,
  output logic [2:0]                      write_parts_o,
  output logic [LogBuffers-1:0]           write_buffer_o,
  output logic [LogT-1:0]                 write_beat_o
);

  localparam int unsigned LoadLatency = DigitsLatency + 1;
  localparam int unsigned ProductLatency = PointwiseLatency + 1;
  localparam int unsigned WriteLatency = FinishLatency + 1;
  localparam int unsigned Buffers = 1 << LogBuffers;
  // As many commands as can be on their way: six products with twelve units.
  localparam int unsigned LogDepth = Units > 12 ? 4 : (Units > 7 ? 3 : 2);

  typedef logic [UnitWidth-1:0] unit_t;
  typedef logic [LogBuffers-1:0] buffer_t;
  typedef logic [LogT-1:0] beat_t;
  typedef logic [3:0] number_t;

  // Unit j of a group that begins at `base`.
  function automatic unit_t member(unit_t base, number_t j, unit_t ring);
    logic [UnitWidth:0] u;
    u = {1'b0, base} + (UnitWidth+1)'(j);
    return unit_t'(u >= {1'b0, ring} ? u - {1'b0, ring} : u);
  endfunction

  // The other way round: which of the group unit u is.
  function automatic unit_t place(unit_t base, unit_t u, unit_t ring);
    return u >= base ? u - base : u + ring - base;
  endfunction

  // Whether unit u is one of the `count` units from `base` on.
  function automatic logic is_member(unit_t base, unit_t u, number_t count, unit_t ring);
    return u < ring && 32'(place(base, u, ring)) < 32'(count);
  endfunction

  // ---- the command at the head ---------------------------------------------------------------

  op_e op;
  number_t forward, inverse;  // transforms
  logic two, runs;
  assign op = op_e'(command_i.op);
  assign forward = forward_transforms(op, command_i.form, 4'(Digits));
  assign inverse = inverse_transforms(op, command_i.form);
  assign two = op inside {OpMultiply, OpAdd};
  assign runs = known(op, command_i.form) && 32'(forward) + 32'(inverse) <= 32'(ring_i);

  // The inverse transforms that have no units yet: those of the last command that has any.
  number_t pending_q;
  unit_t ring_q, ring_next, pending_base;
  logic [Units-1:0] group_forward, group_pending, reserved_q;
  logic transforms, room;
  assign transforms = forward != '0 || inverse != '0;
  assign pending_base = member(ring_q, forward, ring_i);
  assign ring_next = member(pending_base, pending_q, ring_i);
  for (genvar u = 0; u < Units; u++) begin : gen_group
    assign group_forward[u] = is_member(ring_q, unit_t'(u), forward, ring_i);
    assign group_pending[u] = is_member(pending_base, unit_t'(u), pending_q, ring_i);
  end
  assign room = (reserved_q & (group_forward | group_pending)) == '0 &&
                32'(forward) + 32'(pending_q) <= 32'(ring_i);

  logic [Buffers-1:0][2:0] writes_q;  // commands on their way into each buffer
  buffer_t a, b, dst;
  assign a = buffer_t'(command_i.a);
  assign b = buffer_t'(command_i.b);
  assign dst = buffer_t'(command_i.dst);

  logic load_idle, product_room, finish_room, loads, multiplies, ready, accept, memory_free;
  logic finish_begins_reading, finish_holds_q, product_begins_reading, product_holds_q;
  logic product_late;  // products begin, and give units to their inverse transforms
  assign loads = forward != '0;
  assign multiplies = !(op inside {OpAdd, OpModSwitch});
  assign ready = runs && finish_room && writes_q[a] == '0 && (!two || writes_q[b] == '0) &&
                 writes_q[dst] != '1 && (!multiplies || product_room) &&
                 (!transforms || (room && !product_late)) &&
                 (!loads || (load_idle && memory_free && (group_forward & ~can_load_i) == '0)) &&
                 (op != OpEncrypt || samples_ready_i);
  assign command_ready_o = !runs || ready;
  assign accept = command_valid_i && ready;
  assign unknown_o = command_valid_i && !runs;
  assign samples_take_o = accept && op == OpEncrypt;

  logic unused_command;
  assign unused_command = ^{command_i.unused, command_i.level[3:2]};

  // ---- loader ----------------------------------------------------------------------------------

  logic load_read_q;
  beat_t load_beat_q;
  logic [LoadLatency-1:0] load_past_q, load_last_q;
  logic load_busy_q, load_end;
  op_e load_op_q;
  logic load_evaluations_q;
  logic [1:0] load_level_q;
  buffer_t load_a_q, load_b_q;
  logic [LogSlots-1:0] load_slot_q;
  assign load_idle = !load_busy_q;
  assign load_end = load_last_q[LoadLatency-1];
  assign memory_free = !finish_holds_q && !finish_begins_reading && !product_holds_q &&
                       !product_begins_reading;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {load_read_q, load_beat_q, load_past_q, load_last_q, load_busy_q} <= '0;
      forward_units_o <= '0;
    end else begin
      load_past_q <= {load_past_q[LoadLatency-2:0], load_read_q};
      load_last_q <= {load_last_q[LoadLatency-2:0], load_read_q && load_beat_q == '1};
      if (load_read_q) begin
        load_beat_q <= load_beat_q + 1'b1;
        if (load_beat_q == '1) load_read_q <= 1'b0;
      end
      if (load_end) begin
        load_busy_q <= 1'b0;
        forward_units_o <= '0;
      end
      if (accept && loads) begin
        load_busy_q <= 1'b1;
        load_read_q <= 1'b1;
        forward_units_o <= group_forward;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept && loads) begin
      load_op_q <= op;
      load_evaluations_q <= command_i.form.evaluations;
      load_level_q <= command_i.level[1:0];
      load_a_q <= a;
      load_b_q <= b;
      load_slot_q <= samples_slot_i;
      for (int unsigned u = 0; u < Units; u++) begin
        forward_lane_o[u] <= LaneWidth'(place(ring_q, unit_t'(u), ring_i));
      end
    end
  end
  assign load_op_o = load_op_q;
  assign load_evaluations_o = load_evaluations_q;
  assign load_level_o = load_level_q;
  assign load_read_o = load_read_q;
  assign load_beat_o = load_beat_q;
  assign load_a_o = load_a_q;
  assign load_b_o = load_b_q;
  assign load_slot_o = load_slot_q;
  assign forward_valid_o = load_past_q[LoadLatency-1];

  // ---- queues ----------------------------------------------------------------------------------

  typedef struct packed {
    logic [3:0] op;
    unit_t in_base;
    number_t inputs;
    number_t outputs;
    unit_t ring;
    logic evaluations;
    logic a_evaluations;
    logic b_evaluations;
    logic third;
    buffer_t a;
    buffer_t b;
  } product_t;

  typedef struct packed {
    logic [3:0] op;    // of bgv_finish
    logic direct;
    logic sum_done;
    logic third;
    logic encrypts;
    logic [2:0] parts;
    logic [1:0] level;
    number_t inputs;
    unit_t ring;
    buffer_t a;
    buffer_t b;
    buffer_t dst;
    logic [LogSlots-1:0] slot;
  } finish_t;

  product_t product_new, product;
  finish_t finish_new, finish;
  logic product_valid, product_begin, finish_valid, finish_begin, finish_starts;
  assign product_new = '{
    op: command_i.op, in_base: ring_q, inputs: forward, outputs: inverse,
    ring: ring_i, evaluations: command_i.form.evaluations,
    a_evaluations: command_i.form.a_evaluations, b_evaluations: command_i.form.b_evaluations,
    third: command_i.form.third, a: a, b: b
  };
  logic [2:0] parts;
  always_comb begin
    unique case (op)
      OpDecrypt: parts = 3'b001;
      OpKeySwitch, OpEncrypt: parts = 3'b011;
      OpConvert: parts = command_i.form.third ? 3'b100 : 3'b011;
      default: parts = 3'b111;
    endcase
  end
  assign finish_new = '{
    op: command_i.form.evaluations ? OpMultiply : op, direct: command_i.form.evaluations,
    sum_done: command_i.form.a_evaluations, third: command_i.form.third, encrypts: op == OpEncrypt,
    parts: parts, level: command_i.level[1:0], inputs: inverse,
    ring: ring_i, a: a, b: b, dst: dst, slot: samples_slot_i
  };

  bgv_queue #(.LogDepth(LogDepth), .Width($bits(product_t))) u_products (
    .clk_i, .rst_ni, .push_i(accept && multiplies), .data_i(product_new), .room_o(product_room),
    .valid_o(product_valid), .data_o(product), .pop_i(product_begin)
  );
  bgv_queue #(.LogDepth(LogDepth), .Width($bits(finish_t))) u_finishes (
    .clk_i, .rst_ni, .push_i(accept), .data_i(finish_new), .room_o(finish_room),
    .valid_o(finish_valid), .data_o(finish), .pop_i(finish_begin)
  );

  // First units of inverse transforms, in the order of the commands that have some.
  logic given, base_valid, finish_base_valid;
  // There is always room: a base has its command in the queue of commands beside.
  logic unused_base_room, unused_finish_base_room;
  unit_t base, product_base, finish_base;
  assign given = accept && transforms && pending_q != '0;
  bgv_queue #(.LogDepth(LogDepth), .Width(UnitWidth)) u_bases (
    .clk_i, .rst_ni, .push_i(given), .data_i(pending_base), .room_o(unused_base_room),
    .valid_o(base_valid), .data_o(base),
    .pop_i(product_begin && product.outputs != '0 && !product_late)
  );
  bgv_queue #(.LogDepth(LogDepth), .Width(UnitWidth)) u_finish_bases (
    .clk_i, .rst_ni, .push_i(given || product_late), .data_i(given ? pending_base : ring_q),
    .room_o(unused_finish_base_room), .valid_o(finish_base_valid), .data_o(finish_base),
    .pop_i(finish_starts && finish.inputs != '0)
  );

  // ---- products ----------------------------------------------------------------------------------

  logic [Units-1:0] product_in, product_out, product_take, product_unload;
  logic product_ready, product_busy_q, product_beat_valid, product_end;
  logic product_all_q;  // all beats have come
  logic product_alone_q;  // none comes from a unit
  logic product_reads, product_finishes, finish_takes_products;
  logic [ProductLatency-1:0] product_past_q, product_last_q;
  beat_t product_beat_q;
  product_t product_q;
  logic [Lanes-1:0][UnitWidth-1:0] product_unit_q;
  for (genvar u = 0; u < Units; u++) begin : gen_product_group
    assign product_in[u] = is_member(product.in_base, unit_t'(u), product.inputs, product.ring);
    assign product_out[u] = is_member(product_base, unit_t'(u), product.outputs, product.ring);
  end
  bgv_collect #(.Units(Units), .OfferedLatency(OfferedLatency)) u_collect_products (
    .clk_i, .rst_ni, .units_i(product_in), .done_i(can_unload_i & ~oldest_inverse_i),
    .offer_i(offer_i & ~oldest_inverse_i), .begin_i(product_begin), .ready_o(product_ready),
    .take_o(product_take), .unload_o(product_unload)
  );
  assign product_base = base_valid ? base : ring_q;
  assign product_late = product_begin && product.outputs != '0 && !base_valid;
  assign product_reads = product.a_evaluations || product.b_evaluations;
  assign product_begin = product_valid && !product_busy_q && product_ready &&
                         (product_out & ~can_load_i) == '0 &&
                         (base_valid || (product_out & reserved_q) == '0) &&
                         (!product_reads || !(load_read_q || finish_holds_q ||
                          finish_begins_reading)) &&
                         (!product.evaluations || finish_takes_products);
  assign product_begins_reading = product_begin && product_reads;
  assign product_finishes = product_begin && product.evaluations;
  assign product_beat_valid = product_busy_q && !product_all_q &&
                              (product_alone_q || valid_i[IndexWidth'(product_unit_q[0])]);
  assign product_end = product_last_q[ProductLatency-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {product_busy_q, product_all_q, product_past_q, product_last_q, product_beat_q} <= '0;
      product_holds_q <= 1'b0;
      inverse_units_o <= '0;
    end else begin
      product_past_q <= {product_past_q[ProductLatency-2:0], product_beat_valid};
      product_last_q <= {product_last_q[ProductLatency-2:0],
                         product_beat_valid && product_beat_q == '1};
      if (product_beat_valid) begin
        product_beat_q <= product_beat_q + 1'b1;
        if (product_beat_q == '1) {product_all_q, product_holds_q} <= 2'b10;
      end
      if (product_end) begin
        {product_busy_q, product_all_q} <= '0;
        inverse_units_o <= '0;
      end
      if (product_begin) begin
        product_busy_q <= 1'b1;
        product_holds_q <= product_reads;
        inverse_units_o <= product_out;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (product_begin) begin
      product_q <= product;
      product_alone_q <= product.inputs == '0;
      for (int unsigned u = 0; u < Units; u++) begin
        inverse_lane_o[u] <= product.third ? 2'd2 :
                             2'(place(product_base, unit_t'(u), product.ring));
      end
      for (int unsigned j = 0; j < Lanes; j++) begin
        product_unit_q[j] <= member(product.in_base, number_t'(j), product.ring);
      end
    end
  end
  logic unused_product;  // read at the beginning only
  assign unused_product = ^{product_q.in_base, product_q.inputs, product_q.outputs, product_q.ring,
                            product_q.third};
  assign product_op_o = op_e'(product_q.op);
  assign product_evaluations_o = product_q.evaluations;
  assign product_a_evaluations_o = product_q.a_evaluations;
  assign product_b_evaluations_o = product_q.b_evaluations;
  assign product_read_o = product_holds_q;
  assign product_a_o = product_q.a;
  assign product_b_o = product_q.b;
  assign product_unit_o = product_unit_q;
  assign product_beat_o = product_beat_q;
  assign inverse_valid_o = product_past_q[ProductLatency-1];

  // ---- finisher ----------------------------------------------------------------------------------

  logic [Units-1:0] finish_in, finish_take, finish_unload;
  logic finish_ready, finish_busy_q, finish_all_q, finish_memory_q;
  logic finish_comes, finish_beat_valid, finish_end;
  logic finish_needs_memory, finish_first_write, finish_alone;
  logic [WriteLatency-1:0] finish_past_q, finish_last_q;
  beat_t finish_beat_q, write_beat_q;
  finish_t finish_q;
  logic [2:0][UnitWidth-1:0] finish_unit_q;
  op_e finish_op;
  assign finish_op = op_e'(finish.op);
  for (genvar u = 0; u < Units; u++) begin : gen_finish_group
    assign finish_in[u] = is_member(finish_base, unit_t'(u), finish.inputs, finish.ring);
  end
  assign finish_alone = finish.inputs == '0 && !finish.direct;
  bgv_collect #(.Units(Units), .OfferedLatency(OfferedLatency)) u_collect_finish (
    .clk_i, .rst_ni, .units_i(finish_alone ? '0 : finish_in),
    .done_i(can_unload_i & oldest_inverse_i), .offer_i(offer_i & oldest_inverse_i),
    .begin_i(finish_starts), .ready_o(finish_ready),
    .take_o(finish_take), .unload_o(finish_unload)
  );
  assign finish_needs_memory = !(finish_op inside {OpMultiply, OpConvert}) && !finish.sum_done;
  // A queue holds the commands in order, so that direct ones at both heads are the same.
  assign finish_takes_products = finish_valid && !finish_busy_q && finish.direct;
  assign finish_starts = finish_valid && !finish_busy_q && !finish.direct &&
                         (finish_alone || (finish_base_valid && finish_ready)) &&
                         !(finish_needs_memory && (load_read_q || product_holds_q));
  assign finish_begin = finish_starts || product_finishes;
  assign finish_begins_reading = finish_starts && finish_needs_memory;
  assign finish_comes = finish_q.direct ? inverse_valid_o : valid_i[IndexWidth'(finish_unit_q[0])];
  assign finish_beat_valid = finish_busy_q && !finish_all_q && (finish_memory_q || finish_comes);
  assign finish_first_write = finish_past_q[WriteLatency-1] && write_beat_q == '0;
  assign finish_end = finish_last_q[WriteLatency-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {finish_busy_q, finish_holds_q, finish_all_q, finish_past_q, finish_last_q} <= '0;
      {finish_beat_q, write_beat_q} <= '0;
    end else begin
      finish_past_q <= {finish_past_q[WriteLatency-2:0], finish_beat_valid};
      finish_last_q <= {finish_last_q[WriteLatency-2:0], finish_beat_valid && finish_beat_q == '1};
      if (finish_beat_valid) begin
        finish_beat_q <= finish_beat_q + 1'b1;
        if (finish_beat_q == '1) {finish_all_q, finish_holds_q} <= 2'b10;
      end
      if (finish_past_q[WriteLatency-1]) write_beat_q <= write_beat_q + 1'b1;
      if (finish_end) {finish_busy_q, finish_all_q} <= '0;
      if (finish_begin) begin
        finish_busy_q <= 1'b1;
        finish_holds_q <= finish_begins_reading;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (finish_begin) begin
      finish_q <= finish;
      finish_memory_q <= finish_alone;
      for (int unsigned j = 0; j < 3; j++) begin
        finish_unit_q[j] <= finish.third ? finish_base :
                            member(finish_base, number_t'(j), finish.ring);
      end
    end
  end
  logic unused_finish;  // read at the beginning only
  assign unused_finish = ^{finish_q.inputs, finish_q.ring, finish_q.third};
  assign finish_op_o = op_e'(finish_q.op);
  assign finish_level_o = finish_q.level;
  assign finish_direct_o = finish_q.direct;
  assign finish_sum_done_o = finish_q.sum_done;
  assign finish_read_o = finish_beat_valid && finish_holds_q;
  assign finish_unit_o = finish_unit_q;
  assign finish_beat_o = finish_beat_q;
  assign finish_a_o = finish_q.a;
  assign finish_b_o = finish_q.b;
  assign finish_slot_o = finish_q.slot;
  assign samples_free_o = finish_end && finish_q.encrypts;
  assign write_parts_o = finish_past_q[WriteLatency-1] ? finish_q.parts : 3'b0;
  assign write_buffer_o = finish_q.dst;
  assign write_beat_o = write_beat_q;

  // ---- what is shared ----------------------------------------------------------------------------

  assign unload_o = product_unload | finish_unload;
  assign take_o = product_take | finish_take;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ring_q <= '0;
      pending_q <= '0;
      reserved_q <= '0;
      writes_q <= '0;
    end else begin
      if (accept && transforms) begin
        ring_q <= ring_next;
        pending_q <= inverse;
      end else if (product_late) begin
        ring_q <= member(ring_q, product.outputs, product.ring);
        pending_q <= '0;
      end else if (!busy_o) begin
        ring_q <= '0;  // the next ring may be smaller
      end
      reserved_q <= (reserved_q & ~(load_end ? forward_units_o : '0) &
                     ~(product_end ? inverse_units_o : '0)) |
                    (accept && transforms ? group_forward | group_pending : '0) |
                    (product_late ? product_out : '0);
      for (int unsigned i = 0; i < Buffers; i++) begin
        writes_q[i] <= writes_q[i] + 3'(accept && dst == buffer_t'(i)) -
                       3'(finish_first_write && finish_q.dst == buffer_t'(i));
      end
    end
  end

  assign busy_o = command_valid_i || load_busy_q || product_busy_q || finish_busy_q ||
                  product_valid || finish_valid || pool_busy_i;

endmodule
