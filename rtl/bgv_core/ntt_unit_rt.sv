// Negacyclic transforms modulo a number given at run time and x^n + 1, in place, with one butterfly.
//
//   forward   out[j] = sum_i in[i] psi^(i (2 reversed(j) + 1))        coefficients -> evaluations
//   inverse   the other way round, n^-1 included                      evaluations -> coefficients
//
// psi^n = -1 modulo q. No passes for psi^i, psi^-i or n^-1, and none for reordering: the schedule and the
// memory are those of ntt_unit with B = 1, without its streams and second buffer.
//
// Modulus: odd, below 2^W, given as `q_i` = q 2^k of W bits and mu_i = floor(2^(2W) / q_i) - 2^W (see
// mod_mul_barrett_rt). Words of the polynomial are residues shifted left by k, in [0, q_i); roots are
// residues as they are. `q_i` and `mu_i` hold still from `start_i` until `busy_o` falls.
//
// Host, only while not busy: one word a cycle of the polynomial (`host_root_i` = 0), by its index, or of
// the table of roots (1; written only). Word a of the table, 1 <= a < n, p the number of its lowest one:
//
//   psi^(2^p (2 reversed(a >> (p + 1)) + 1))      reversed: of LogN - 1 - p bits
//
// `host_word_o` is the word of the polynomial at `host_index_i` two cycles ago. A write reaches the memory
// in the cycle after it; a start may follow it at once.
//
// Cycles, first butterfly read to last write, both directions: ntt_pkg::transform_cycles,
// n/2 log2 n + 14 for n >= 64. `busy_o` rises in the cycle after `start_i` and falls after the last write:
// two cycles more. No count depends on data or on the modulus. Data paths have no reset.
module ntt_unit_rt #(
  parameter int unsigned LogN = 10,
  parameter int unsigned W = 32
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic [W-1:0]    q_i,
  input  logic [W-1:0]    mu_i,

  input  logic            host_we_i,
  input  logic            host_root_i,
  input  logic [LogN-1:0] host_index_i,
  input  logic [W-1:0]    host_word_i,
  output logic [W-1:0]    host_word_o,

  input  logic            start_i,
  input  logic            inverse_i,  // taken with start_i
  output logic            busy_o
);

  localparam int unsigned LogT = LogN - 1;
  localparam int unsigned Steps = 1 << LogT;
  localparam int unsigned Latency =
      ntt_pkg::butterfly_latency(modular_pkg::MulBarrettRtLatency);
  localparam int unsigned Gap = ntt_pkg::stage_gap(Steps, Latency);
  localparam int unsigned GapWidth = $clog2(Latency + 2);
  localparam int unsigned PositionWidth = $clog2(LogN);

  if (LogN < 2) begin : gen_bad_size
    $error("ntt_unit_rt: LogN = %0d is below 2", LogN);
  end

  typedef logic [PositionWidth-1:0] position_t;
  typedef logic [LogT-1:0] address_t;
  localparam position_t Highest = position_t'(LogN - 1);

  // ---- steps ----------------------------------------------------------------------------------

  logic run_q, inverse_q, issue, stage_end, last_step;
  position_t stage_q, position;
  address_t step_q;
  logic [GapWidth-1:0] gap_q;

  assign issue = run_q && gap_q == '0;
  assign stage_end = issue && step_q == '1;
  assign last_step = stage_end && stage_q == Highest;
  assign position = inverse_q ? stage_q : Highest - stage_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {run_q, inverse_q, stage_q, step_q, gap_q} <= '0;
    end else begin
      if (gap_q != '0) gap_q <= gap_q - 1'b1;
      if (issue) step_q <= step_q + 1'b1;
      if (stage_end) begin
        stage_q <= last_step ? '0 : stage_q + 1'b1;
        gap_q <= last_step ? '0 : GapWidth'(Gap);
      end
      if (last_step) run_q <= 1'b0;
      if (start_i && !busy_o) begin
        run_q <= 1'b1;
        inverse_q <= inverse_i;
      end
    end
  end

  // Steps on their way: [0] the cycle of the read, [Latency] that of the write.
  logic [Latency:0] in_flight;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_flight <= '0;
    else in_flight <= {in_flight[Latency-1:0], issue};
  end
  assign busy_o = run_q || |in_flight;

  // ---- addresses ------------------------------------------------------------------------------

  // One operand of a step is in each bank; the first one in bank 1 when `ways` says so.
  address_t [1:0] address;
  logic [1:0][0:0] ways;
  logic [1:0][0:0] unused_from;
  ntt_schedule #(.LogN(LogN), .LogB(0)) u_schedule (
    .position_i(position), .step_i(step_q),
    .address_o(address), .ways_o(ways), .from_o(unused_from)
  );

  address_t [Latency:0][1:0] address_q;
  logic [Latency:0] swap_q;
  always_ff @(posedge clk_i) begin
    address_q <= {address_q[Latency-1:0], address};
    swap_q <= {swap_q[Latency-1:0], ways[0]};
  end
  logic unused_way;
  assign unused_way = ways[1];

  // The stage of bit p has its roots at the words whose lowest one is bit p. Backwards: the root of the
  // complemented index, psi^(n - e) = -(psi^e)^-1 for the forward one's psi^e.
  logic [LogN-1:0] root_index, root_index_q;
  always_comb begin
    root_index = '0;
    for (int unsigned p = 0; p < LogN; p++) begin
      if (position == position_t'(p)) begin
        root_index[p] = 1'b1;
        for (int unsigned b = p + 1; b < LogN; b++) root_index[b] = step_q[b-1] ^ inverse_q;
      end
    end
  end
  always_ff @(posedge clk_i) root_index_q <= root_index;

  // ---- memories -------------------------------------------------------------------------------

  logic host_we_q, host_root_q, host_bank, host_bank_q, host_way_q;
  address_t host_address_q;
  logic [LogN-1:0] host_index_q;
  logic [W-1:0] host_word_q;
  assign host_bank = ^host_index_i;  // ntt_schedule's rule
  always_ff @(posedge clk_i) begin
    if (!rst_ni) host_we_q <= 1'b0;
    else host_we_q <= host_we_i && !busy_o;
  end
  always_ff @(posedge clk_i) begin
    {host_root_q, host_index_q, host_word_q} <= {host_root_i, host_index_i, host_word_i};
    {host_bank_q, host_way_q} <= {host_bank, host_bank_q};
  end
  assign host_address_q = host_index_q[LogN-1:1];

  logic [1:0][W-1:0] memory, write_q;
  logic [W-1:0] x, y, root_q;
  for (genvar k = 0; k < 2; k++) begin : gen_bank
    always_ff @(posedge clk_i) begin
      if (host_we_i) write_q[k] <= host_word_i;
      else write_q[k] <= (swap_q[Latency-1] != 1'(k)) ? y : x;
    end
    sdp_ram #(.Width(W), .Depth(Steps)) u_ram (
      .clk_i(clk_i),
      .we_i(in_flight[Latency] || (host_we_q && !host_root_q && host_bank_q == 1'(k))),
      .waddr_i(in_flight[Latency] ? address_q[Latency][k] : host_address_q),
      .wdata_i(write_q[k]),
      .re_i(1'b1),
      .raddr_i(in_flight[0] ? address_q[0][k] : host_address_q),
      .rdata_o(memory[k])
    );
  end

  sdp_ram #(.Width(W), .Depth(2 * Steps)) u_roots (
    .clk_i(clk_i),
    .we_i(host_we_q && host_root_q),
    .waddr_i(host_index_q),
    .wdata_i(host_word_q),
    .re_i(1'b1),
    .raddr_i(root_index_q),
    .rdata_o(root_q)
  );
  assign host_word_o = memory[host_way_q];

  // ---- butterfly ------------------------------------------------------------------------------

  logic [W-1:0] a_q, b_q, w_q;
  always_ff @(posedge clk_i) begin
    {a_q, b_q} <= swap_q[1] ? {memory[1], memory[0]} : {memory[0], memory[1]};
    w_q <= root_q;
  end

  ntt_butterfly_rt #(.W(W)) u_butterfly (
    .clk_i    (clk_i),
    .q_i      (q_i),
    .mu_i     (mu_i),
    .inverse_i(inverse_q),
    .a_i      (a_q),
    .b_i      (b_q),
    .w_i      (w_q),
    .x_o      (x),
    .y_o      (y)
  );

`ifndef SYNTHESIS
  a_modulus :
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> q_i[W-1])
  else $error("ntt_unit_rt: q_i = %0d is not of %0d bits: shift it up", q_i, W);
  a_modulus_still :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o |-> $stable(q_i) && $stable(mu_i))
  else $error("ntt_unit_rt: the modulus changed in a transform");
  a_start_idle :
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_o)
  else $error("ntt_unit_rt: a start in a transform");
  a_host_idle :
  assert property (@(posedge clk_i) disable iff (!rst_ni) host_we_i |-> !busy_o)
  else $error("ntt_unit_rt: a write in a transform");
  a_word_range :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      host_we_i && !host_root_i |-> host_word_i < q_i)
  else $error("ntt_unit_rt: %0d is not below q_i = %0d", host_word_i, q_i);
  a_result_range :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_flight[Latency] |-> write_q[0] < q_i && write_q[1] < q_i)
  else $error("ntt_unit_rt: a result is not below q_i = %0d", q_i);
`endif

endmodule
