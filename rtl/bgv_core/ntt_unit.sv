// Negacyclic transforms modulo Q and x^n + 1, in place, on B = 2^LogB butterflies, with two buffers: one is
// transformed while the other gives its result away and takes the next polynomial.
//
//   forward   out[j] = sum_i in[i] Psi^(i (2 reversed(j) + 1))        coefficients -> evaluations
//   inverse   the other way round, n^-1 included                      evaluations -> coefficients
//
// No passes for Psi^i, Psi^-i or n^-1, and none for reordering: coefficients come and go by their index,
// evaluations by theirs (j). A polynomial is a stream of T = n / 2B beats of 2B words in [0, Q), the
// operands of one step of its first stage or the results of one of its last:
//
//   beat c, 0 <= u < B       coefficients              evaluations
//   word u                   c + u T                   2B c + 2u
//   word B + u               c + (B + u) T             2B c + 2u + 1
//
//   load      T beats by `load_valid_i`, any gaps; `load_inverse_i` is taken with the first one. Begin only
//             when `can_load_o`. The first stage runs on the beats as they come when nothing is before
//             them; else they wait in their buffer.
//   unload    `unload_i` (one cycle, only when `can_unload_o`) makes T beats follow without a gap, the
//             first one in the third cycle after. The buffer can be loaded after T + 1 cycles.
//   take      `offer_o` says that the last stage of the oldest polynomial begins; `take_i` in the same
//             cycle has its results leave as they are made, the first beat ntt_pkg::offered_latency cycles
//             after (T beats without a gap). It needs no unloading then.
//
// Polynomials leave in the order of their loading. Cycles of one transform, first butterfly read to last
// write: ntt_pkg::transform_cycles, T log2 n + 11 for T >= 32 (paper: 1,153 for n = 128, B = 1; goal
// T log2 n + 18). A waiting polynomial's first step follows the last one of the polynomial before in the
// next cycle, so that no cycle is without a butterfly. Data paths have no reset.
//
// Dif (B = 1 only): the forward direction is the decimation in frequency of the S-BGV paper, natural order
// in, bit-reversed order out, butterflies that multiply last by the root of the place within the group. Such
// butterflies leave no room for the paper's factors Psi^i: two multipliers (ntt_twist) put them on the beats
// on their way in, which takes ntt_pkg::twist_latency cycles once, before the first read. Values, orders and
// the cycles above are the same. The inverse is the paper's already (its e^-i and n^-1 merged).
module ntt_unit #(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter logic [W-1:0] Psi = W'(3_259_673),
  parameter bit Dif = 1'b0,
  localparam int unsigned Banks = 2 << LogB
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  output logic                    can_load_o,
  input  logic                    load_valid_i,
  input  logic                    load_inverse_i,
  input  logic [Banks-1:0][W-1:0] load_i,

  output logic                    can_unload_o,
  input  logic                    unload_i,
  output logic                    offer_o,
  input  logic                    take_i,
  output logic                    oldest_inverse_o,  // of what can be unloaded, or is offered
  output logic                    unload_valid_o,
  output logic [Banks-1:0][W-1:0] unload_o,

  // A transform is in the pipeline.
  output logic                    busy_o
);

  localparam int unsigned Digit = LogB + 1;
  localparam int unsigned B = 1 << LogB;
  localparam int unsigned LogT = LogN - Digit;
  localparam int unsigned Steps = 1 << LogT;
  localparam int unsigned Latency = ntt_pkg::butterfly_latency(modular_pkg::MulLatency);
  localparam int unsigned Gap = ntt_pkg::stage_gap(Steps, Latency);
  localparam int unsigned GapWidth = $clog2(Latency + 2);
  localparam int unsigned PositionWidth = $clog2(LogN);

  if (LogN < LogB + 2) begin : gen_bad_size
    $error("ntt_unit: LogN = %0d is below LogB + 2 = %0d", LogN, LogB + 2);
  end

  if (Dif && LogB != 0) begin : gen_bad_schedule
    $error("ntt_unit: Dif with LogB = %0d: it is for LogB = 0", LogB);
  end

  typedef logic [PositionWidth-1:0] position_t;
  typedef logic [LogT-1:0] step_t;
  typedef logic [Banks-1:0][W-1:0] beat_t;
  typedef logic [Banks-1:0][Digit-1:0] route_t;
  typedef logic [Banks-1:0][LogT-1:0] addresses_t;

  localparam position_t Highest = position_t'(LogN - 1);

  // ---- who holds which buffer ---------------------------------------------------------------

  // A buffer is occupied from its first beat until its polynomial has been read.
  logic [1:0] occupied_q, loaded_q, done_q, inverse_q;
  logic load_buffer_q, run_buffer_q, unload_buffer_q, read_buffer_q;
  logic loading_q, coming_q, unloading_q;
  step_t load_step_q, unload_step_q;
  logic load_first, load_last, load_inverse, direct_start, start, taken;
  logic unload_accept, unload_last, finished, finished_buffer;
  logic run_q, last_step, direct_q, taken_q, issue_buffer_q, unload_inverse_q;

  assign can_load_o = loading_q || !occupied_q[load_buffer_q];
  assign load_first = load_valid_i && !loading_q;
  assign load_last = load_valid_i && load_step_q == '1;
  assign load_inverse = load_first ? load_inverse_i : inverse_q[load_buffer_q];
  assign unload_last = unload_step_q == '1;
  assign can_unload_o = done_q[unload_buffer_q] && (!unloading_q || unload_last);
  assign oldest_inverse_o = inverse_q[unload_buffer_q];
  assign unload_accept = unload_i && can_unload_o;

  // The beats as the transform takes them: as they are, or with their factors Psi^i.
  typedef struct packed {
    logic  first;
    logic  last;
    logic  inverse;
    logic  buffer;
    step_t step;
  } arrival_t;
  logic come_valid;
  arrival_t arrival, come;
  beat_t come_beat;
  assign arrival = '{
    first: load_first,
    last: load_last,
    inverse: load_inverse,
    buffer: load_buffer_q,
    step: load_step_q
  };
  if (Dif) begin : gen_twist
    localparam int unsigned Twist = ntt_pkg::twist_latency(modular_pkg::MulLatency);
    logic [Twist-1:0] valid_q;
    arrival_t [Twist-1:0] arrival_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= {valid_q[Twist-2:0], load_valid_i};
    end
    always_ff @(posedge clk_i) arrival_q <= {arrival_q[Twist-2:0], arrival};
    assign come_valid = valid_q[Twist-1];
    assign come = arrival_q[Twist-1];
    ntt_twist #(
      .LogN(LogN),
      .W(W),
      .Q(Q),
      .Psi(Psi)
    ) u_twist (
      .clk_i(clk_i),
      .inverse_i(load_inverse),
      .step_i(load_step_q),
      .beat_i(load_i),
      .beat_o(come_beat)
    );
  end else begin : gen_no_twist
    assign come_valid = load_valid_i;
    assign come = arrival;
    assign come_beat = load_i;
  end

  // A polynomial that nothing is before of runs as it comes.
  assign direct_start = come_valid && come.first && come.buffer == run_buffer_q &&
                        (!run_q || last_step);
  assign start = direct_start || (loaded_q[run_buffer_q] && (!run_q || last_step));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {occupied_q, loaded_q, done_q, inverse_q} <= '0;
      {load_buffer_q, run_buffer_q, unload_buffer_q, read_buffer_q} <= '0;
      {loading_q, coming_q, unloading_q, load_step_q, unload_step_q} <= '0;
    end else begin
      if (load_valid_i) load_step_q <= load_step_q + 1'b1;
      if (load_first) begin
        loading_q <= 1'b1;
        occupied_q[load_buffer_q] <= 1'b1;
        inverse_q[load_buffer_q] <= load_inverse_i;
      end
      if (load_last) begin
        loading_q <= 1'b0;
        load_buffer_q <= !load_buffer_q;
      end
      if (come_valid) coming_q <= !come.last;
      if (come_valid && come.last) loaded_q[come.buffer] <= !direct_q;
      if (start) begin
        loaded_q[run_buffer_q] <= 1'b0;
        run_buffer_q <= !run_buffer_q;
      end
      if (taken) unload_buffer_q <= !unload_buffer_q;
      if (last_step && taken_q) occupied_q[issue_buffer_q] <= 1'b0;
      if (finished) done_q[finished_buffer] <= 1'b1;
      if (unloading_q) unload_step_q <= unload_step_q + 1'b1;
      // Not before: results and the next operands lie in different orders.
      if (unloading_q && unload_last) occupied_q[read_buffer_q] <= 1'b0;
      if (unload_accept) begin
        done_q[unload_buffer_q] <= 1'b0;
        unload_buffer_q <= !unload_buffer_q;
        read_buffer_q <= unload_buffer_q;
        unloading_q <= 1'b1;
      end else if (unload_last) begin
        unloading_q <= 1'b0;
      end
    end
  end

  // ---- steps ----------------------------------------------------------------------------------

  // One step a cycle; between stages `Gap` idle cycles, which are none for large transforms.
  logic issue_inverse_q, issue, stage_end, come_valid_q;
  position_t stage_q, position;
  step_t step_q;
  logic [GapWidth-1:0] gap_q;

  assign issue = run_q && gap_q == '0 && (!direct_q || come_valid_q);
  assign stage_end = issue && step_q == '1;
  assign last_step = stage_end && stage_q == Highest;
  assign position = issue_inverse_q ? stage_q : Highest - stage_q;
  assign offer_o = stage_end && stage_q == Highest - 1'b1 && unload_buffer_q == issue_buffer_q &&
                   !unloading_q;
  assign taken = offer_o && take_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {run_q, issue_inverse_q, issue_buffer_q, stage_q, step_q, gap_q} <= '0;
      {direct_q, taken_q, come_valid_q} <= '0;
    end else begin
      come_valid_q <= come_valid;
      if (gap_q != '0) gap_q <= gap_q - 1'b1;
      if (issue) step_q <= step_q + 1'b1;
      if (stage_end) begin
        stage_q <= stage_q + 1'b1;
        gap_q <= GapWidth'(Gap);
        direct_q <= 1'b0;
      end
      if (taken) taken_q <= 1'b1;
      if (last_step) {run_q, taken_q} <= '0;
      if (start) begin
        run_q <= 1'b1;
        direct_q <= direct_start;
        issue_buffer_q <= run_buffer_q;
        issue_inverse_q <= direct_start ? come.inverse : inverse_q[run_buffer_q];
      end
      if (start || last_step) {stage_q, step_q, gap_q} <= '0;
    end
  end

  // What a step carries to its write.
  typedef struct packed {
    logic last;      // of its polynomial, which stays in the buffer
    logic direct;    // operands from the stream
    logic taken;     // results to the stream
    logic inverse;
    logic buffer;
    position_t position;
    step_t step;
  } control_t;
  control_t issued;
  control_t [Latency:0] control_q;  // [0]: the cycle of the read; [Latency]: of the write
  assign issued = '{
    last: last_step && !taken_q,
    direct: direct_q,
    taken: taken_q,
    inverse: issue_inverse_q,
    buffer: issue_buffer_q,
    position: position,
    step: step_q
  };
  logic [Latency:0] in_flight;  // those that are steps
  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_flight <= '0;
    else in_flight <= {in_flight[Latency-1:0], issue};
  end
  always_ff @(posedge clk_i) control_q <= {control_q[Latency-1:0], issued};
  assign finished = in_flight[Latency] && control_q[Latency].last;
  assign finished_buffer = control_q[Latency].buffer;
  assign busy_o = run_q || |in_flight;

  // ---- addresses and ways --------------------------------------------------------------------

  addresses_t read_address, write_address, load_address, unload_address;
  route_t read_ways, unload_ways;  // {second, first}: the banks of the words of a beat
  route_t write_from, load_from;   // the word of the beat that each bank takes
  route_t unused_read, unused_unload, unused_write, unused_load;

  ntt_schedule #(.LogN(LogN), .LogB(LogB)) u_read (
    .position_i(position), .step_i(step_q),
    .address_o(read_address), .ways_o(read_ways), .from_o(unused_read)
  );
  ntt_schedule #(.LogN(LogN), .LogB(LogB)) u_write (
    .position_i(control_q[Latency-1].position), .step_i(control_q[Latency-1].step),
    .address_o(write_address), .ways_o(unused_write), .from_o(write_from)
  );
  ntt_schedule #(.LogN(LogN), .LogB(LogB)) u_load (
    .position_i(come.inverse ? '0 : Highest), .step_i(come.step),
    .address_o(load_address), .ways_o(unused_load), .from_o(load_from)
  );
  // What leaves is of the other kind than what came.
  ntt_schedule #(.LogN(LogN), .LogB(LogB)) u_unload (
    .position_i(unload_inverse_q ? Highest : '0), .step_i(unload_step_q),
    .address_o(unload_address), .ways_o(unload_ways), .from_o(unused_unload)
  );

  logic [B-1:0][W-1:0] twiddle;
  ntt_twiddles #(
    .LogN(LogN),
    .LogB(LogB),
    .W(W),
    .Q(Q),
    .Psi(Psi),
    .Dif(Dif)
  ) u_twiddles (
    .clk_i(clk_i),
    .inverse_i(issue_inverse_q),
    .position_i(position),
    .step_i(step_q),
    .w_o(twiddle)
  );

  // ---- memory ---------------------------------------------------------------------------------

  beat_t write_q, load_q, results;
  addresses_t read_address_q, write_address_q, load_address_q;
  logic load_write_q, load_write_buffer_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) load_write_q <= 1'b0;
    else load_write_q <= come_valid && !(direct_start || (direct_q && coming_q));
  end
  always_ff @(posedge clk_i) begin
    load_write_buffer_q <= come.buffer;
    load_address_q <= load_address;
    for (int unsigned k = 0; k < Banks; k++) load_q[k] <= come_beat[load_from[k]];
    read_address_q <= read_address;
    write_address_q <= write_address;
    for (int unsigned k = 0; k < Banks; k++) write_q[k] <= results[write_from[k]];
  end

  logic [1:0][Banks-1:0][W-1:0] memory;
  for (genvar h = 0; h < 2; h++) begin : gen_buffer
    // The transform and the streams never want one buffer at the same time: `a_*_apart`.
    logic step_read, step_write, stream_write, stream_read;
    assign step_read = in_flight[0] && !control_q[0].direct && control_q[0].buffer == 1'(h);
    assign step_write = in_flight[Latency] && !control_q[Latency].taken &&
                        control_q[Latency].buffer == 1'(h);
    assign stream_write = load_write_q && load_write_buffer_q == 1'(h);
    assign stream_read = unloading_q && read_buffer_q == 1'(h);
    for (genvar k = 0; k < Banks; k++) begin : gen_bank
      sdp_ram #(
        .Width(W),
        .Depth(Steps)
      ) u_ram (
        .clk_i(clk_i),
        .we_i(step_write || stream_write),
        .waddr_i(step_write ? write_address_q[k] : load_address_q[k]),
        .wdata_i(step_write ? write_q[k] : load_q[k]),
        .re_i(step_read || stream_read),
        .raddr_i(step_read ? read_address_q[k] : unload_address[k]),
        .rdata_o(memory[h][k])
      );
    end
`ifndef SYNTHESIS
    a_writes_apart :
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(step_write && stream_write));
    a_reads_apart :
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(step_read && stream_read));
`endif
  end

  // ---- butterflies ----------------------------------------------------------------------------

  // Beats of a direct start keep step with the reads they stand for.
  beat_t beat_q, beat_read_q, beat_table_q, operands_q;
  route_t read_ways_q, read_ways_table_q;
  logic [B-1:0][W-1:0] w_q, x, y;
  always_ff @(posedge clk_i) begin
    {beat_q, beat_read_q, beat_table_q} <= {come_beat, beat_q, beat_read_q};
    {read_ways_q, read_ways_table_q} <= {read_ways, read_ways_q};
    for (int unsigned k = 0; k < Banks; k++) begin
      operands_q[k] <= control_q[1].direct ? beat_table_q[k]
                                           : memory[control_q[1].buffer][read_ways_table_q[k]];
    end
    w_q <= twiddle;
  end

  for (genvar u = 0; u < B; u++) begin : gen_butterfly
    ntt_butterfly #(
      .W(W),
      .Q(Q),
      .Dif(Dif)
    ) u_butterfly (
      .clk_i(clk_i),
      .inverse_i(control_q[2].inverse),
      .a_i(operands_q[u]),
      .b_i(operands_q[B+u]),
      .w_i(w_q[u]),
      .x_o(x[u]),
      .y_o(y[u])
    );
  end
  assign results = {y, x};

  // ---- way out ---------------------------------------------------------------------------------

  logic stream_q, stream_buffer_q;
  route_t unload_ways_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {unload_inverse_q, stream_q, stream_buffer_q, unload_valid_o} <= '0;
    else begin
      if (unload_accept) unload_inverse_q <= inverse_q[unload_buffer_q];
      stream_q <= unloading_q;
      stream_buffer_q <= read_buffer_q;
      unload_valid_o <= stream_q || (in_flight[Latency-1] && control_q[Latency-1].taken);
    end
  end
  always_ff @(posedge clk_i) begin
    unload_ways_q <= unload_ways;
    for (int unsigned k = 0; k < Banks; k++) begin
      unload_o[k] <= stream_q ? memory[stream_buffer_q][unload_ways_q[k]] : results[k];
    end
  end

`ifndef SYNTHESIS
  a_load_free :
  assert property (@(posedge clk_i) disable iff (!rst_ni) load_valid_i |-> can_load_o)
  else $error("ntt_unit: a beat without a free buffer");
  a_unload_done :
  assert property (@(posedge clk_i) disable iff (!rst_ni) unload_i |-> can_unload_o)
  else $error("ntt_unit: nothing to unload");
  a_one_way_out :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(stream_q && in_flight[Latency-1] && control_q[Latency-1].taken));
  a_read_occupied :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_flight[0] && !control_q[0].taken |-> occupied_q[control_q[0].buffer])
  else $error("ntt_unit: a step of a buffer that is given away");
  a_stay_occupied :
  assert property (@(posedge clk_i) disable iff (!rst_ni) finished |-> occupied_q[finished_buffer]);
  for (genvar k = 0; k < Banks; k++) begin : gen_range
    a_result_range :
    assert property (@(posedge clk_i) disable iff (!rst_ni) unload_valid_o |-> unload_o[k] < Q)
    else $error("ntt_unit: a result %0d is not below Q = %0d", unload_o[k], Q);
    a_load_range :
    assert property (@(posedge clk_i) disable iff (!rst_ni) load_valid_i |-> load_i[k] < Q)
    else $error("ntt_unit: %0d is not below Q = %0d", load_i[k], Q);
  end
`endif

endmodule
