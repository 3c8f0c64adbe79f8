// Words of the keystream to the secrets of encryptions, run ahead into memories
// (docs/device-randomness.md). n = 2^LogN.
//
// Noise: word w gives e[w] = popcount(word[20:0]) - popcount(word[41:21]), in [-21, 21]; e1 then e2
// of each plaintext, in a queue of 4n samples (two plaintexts). `e_o` is the oldest sample while
// `e_valid_o` is high; `e_pop_i` takes it; one a cycle.
//
// u: the words 2i and 2i+1 give coefficient i as a code (00, 01, 11 for 0, +1, -1), in a circular
// memory of 2n codes: coefficient i of plaintext k is at address n (k mod 2) + i. Two read ports,
// one for the plaintext being finished and one for the one being begun; data a cycle after the
// address. `u_free_i` gives back the oldest coefficient (in order of writing); `u_count_o`
// coefficients are written and not given back. `plaintexts_ready_o` (0..2) plaintexts are complete
// whose last coefficient is not given back.
//
// A word is taken while there is room for what it makes, so nothing that is still needed is
// overwritten. A sample can be taken NoiseLatency cycles after its word, a coefficient counts
// TernaryLatency cycles after its second word; one word a cycle. Timing depends on no datum.
//
// `restart_i` empties queue and memory (pointers only, for the next run of the same user): words
// are taken from the next cycle on. `flush_i` (and reset) also writes zero to every place: 4n + 2
// cycles, with `busy_o` high and no word taken.
//
// Parameters: LogN (2..20). n = 1024 takes one block RAM of 36 Kbit and two of 18.
module device_sampler
  import random_pkg::*;
#(
  parameter int unsigned LogN = 10
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            restart_i,
  input  logic            flush_i,
  output logic            busy_o,

  input  word_t           word_i,
  input  logic            word_valid_i,
  output logic            word_ready_o,

  output binomial_t       e_o,
  output logic            e_valid_o,
  input  logic            e_pop_i,

  input  logic [LogN:0]   u_raddr_a_i,
  input  logic [LogN:0]   u_raddr_b_i,
  output ternary_t        u_a_o,
  output ternary_t        u_b_o,
  input  logic            u_free_i,
  output logic [LogN+1:0] u_count_o,
  output logic [1:0]      plaintexts_ready_o
);

  if (LogN < 2 || LogN > 20) begin : gen_bad_degree
    $error("device_sampler: LogN = %0d is outside [2, 20]", LogN);
  end

  localparam int unsigned NoiseDepth = 4 << LogN;
  localparam int unsigned TernaryDepth = 2 << LogN;

  // Counters of positions have one bit more than addresses: their differences are levels.
  typedef logic [LogN+2:0] noise_count_t;
  typedef logic [LogN+1:0] ternary_count_t;

  // ---- wiping ----

  logic wiping_q;
  logic [LogN+2:0] wipe_q;  // two cycles beyond the walk empty the read registers
  logic clear;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      wiping_q <= 1'b1;
      wipe_q <= '0;
    end else if (wiping_q) begin
      wipe_q <= wipe_q + 1'b1;
      if (32'(wipe_q) == NoiseDepth + 1) wiping_q <= 1'b0;
    end
  end
  assign busy_o = wiping_q;
  assign clear = wiping_q || restart_i || flush_i;

  // ---- room ----

  // Reserved at the word, so that the stages in between need no way to wait.
  noise_count_t e_reserved_q, e_read_q;
  ternary_count_t u_reserved_q, u_freed_q;
  logic second_q;  // the next word is the second of a pair
  logic take;

  noise_count_t e_held;
  ternary_count_t u_held;
  assign e_held = e_reserved_q - e_read_q;
  assign u_held = u_reserved_q - u_freed_q;
  assign word_ready_o = !wiping_q && 32'(e_held) != NoiseDepth && 32'(u_held) != TernaryDepth;
  assign take = word_valid_i && word_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      e_reserved_q <= '0;
      e_read_q <= '0;
      u_reserved_q <= '0;
      u_freed_q <= '0;
      second_q <= 1'b0;
    end else begin
      if (take) begin
        e_reserved_q <= e_reserved_q + 1'b1;
        second_q <= !second_q;
        if (second_q) u_reserved_q <= u_reserved_q + 1'b1;
      end
      if (e_pop_i) e_read_q <= e_read_q + 1'b1;
      if (u_free_i) u_freed_q <= u_freed_q + 1'b1;
    end
  end

  // ---- noise ----

  binomial_t e_made;
  logic [1:0] e_stage_q;  // which stages of the sampler below hold a sample
  noise_count_t e_written_q, e_seen_q;

  binomial21 u_binomial (
    .clk_i,
    .clear_i(clear),
    .bits_i(word_i[2*CountedBits-1:0]),
    .e_o(e_made)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      e_stage_q <= '0;
      e_written_q <= '0;
      e_seen_q <= '0;
    end else begin
      e_stage_q <= {e_stage_q[0], take};
      if (e_stage_q[1]) e_written_q <= e_written_q + 1'b1;
      e_seen_q <= e_written_q;  // a read finds a sample a cycle after it was written
    end
  end

  // The queue's memory reads ahead: its register always holds the sample at `e_read_q`.
  logic [LogN+1:0] e_next;
  assign e_next = e_read_q[LogN+1:0] + (LogN + 2)'(e_pop_i);
  logic [5:0] e_read;

  sdp_ram #(
    .Width($bits(binomial_t)),
    .Depth(NoiseDepth)
  ) u_noise (
    .clk_i,
    .we_i(wiping_q || e_stage_q[1]),
    .waddr_i(wiping_q ? wipe_q[LogN+1:0] : e_written_q[LogN+1:0]),
    .wdata_i(wiping_q ? '0 : e_made),
    .re_i(1'b1),
    .raddr_i(e_next),
    .rdata_o(e_read)
  );
  assign e_o = binomial_t'(e_read);
  assign e_valid_o = e_seen_q != e_read_q;

  // ---- u ----

  logic [HalfBits-1:0] half_q;
  ternary_t code, code_q;
  logic code_valid_q;
  ternary_count_t u_written_q;

  ternary44 u_ternary (
    .x_i({word_i[63:64-HalfBits], half_q}),
    .code_o(code)
  );

  always_ff @(posedge clk_i) begin
    if (clear) begin
      half_q <= '0;
      code_q <= '0;
    end else begin
      if (take && !second_q) half_q <= word_i[63:64-HalfBits];
      code_q <= code;
    end
    if (!rst_ni || clear) begin
      code_valid_q <= 1'b0;
      u_written_q <= '0;
    end else begin
      code_valid_q <= take && second_q;
      if (code_valid_q) u_written_q <= u_written_q + 1'b1;
    end
  end

  ternary_t u_read[2];
  logic [LogN:0] u_raddr[2];
  assign u_raddr = '{u_raddr_a_i, u_raddr_b_i};
  assign u_a_o = u_read[0];
  assign u_b_o = u_read[1];

  for (genvar port = 0; port < 2; port++) begin : gen_port
    sdp_ram #(
      .Width($bits(ternary_t)),
      .Depth(TernaryDepth)
    ) u_ternary_codes (
      .clk_i,
      .we_i(wiping_q || code_valid_q),
      .waddr_i(wiping_q ? wipe_q[LogN:0] : u_written_q[LogN:0]),
      .wdata_i(wiping_q ? '0 : code_q),
      .re_i(1'b1),
      .raddr_i(u_raddr[port]),
      .rdata_o(u_read[port])
    );
  end

  assign u_count_o = u_written_q - u_freed_q;
  assign plaintexts_ready_o = u_written_q[LogN+1:LogN] - u_freed_q[LogN+1:LogN];

`ifndef SYNTHESIS
`ifndef FORMAL
  logic reset_seen_q;  // registers start with anything: nothing holds before the first reset
  initial reset_seen_q = 1'b0;
  always_ff @(posedge clk_i) if (!rst_ni) reset_seen_q <= 1'b1;
  default disable iff (!reset_seen_q || !rst_ni);

  pop_of_nothing: assert property (@(posedge clk_i)
      e_pop_i && !clear |-> e_valid_o);
  free_of_nothing: assert property (@(posedge clk_i)
      u_free_i && !clear |-> u_count_o != '0);
  noise_room: assert property (@(posedge clk_i)
      32'(e_held) <= NoiseDepth && 32'(u_held) <= TernaryDepth);
  code_made: assert property (@(posedge clk_i)
      code_valid_q |-> code_q != 2'b10);
  noise_range: assert property (@(posedge clk_i)
      e_valid_o |-> e_o >= -21 && e_o <= 21);
`endif
`endif

`ifdef FORMAL
  // What is promised to the writers and readers of the memories, for any use of the ports that
  // takes and gives back only what is there.
  logic known_q = 1'b0;
  always_ff @(posedge clk_i) known_q <= 1'b1;
  always_ff @(posedge clk_i) begin
    if (!known_q) assume (!rst_ni);
    if (e_pop_i) assume (e_valid_o);
    if (u_free_i) assume (u_count_o != '0);
    if (known_q && rst_ni) begin
      assert (32'(e_held) <= NoiseDepth);
      assert (32'(u_held) <= TernaryDepth);
      assert (32'(noise_count_t'(e_written_q - e_read_q)) <= NoiseDepth);
      assert (32'(u_count_o) <= TernaryDepth);
      assert (32'(plaintexts_ready_o) <= 2);
      // In flight: reserved and not yet written.
      assert (noise_count_t'(e_reserved_q - e_written_q) ==
              noise_count_t'(e_stage_q[0]) + noise_count_t'(e_stage_q[1]));
      assert (ternary_count_t'(u_reserved_q - u_written_q) == ternary_count_t'(code_valid_q));
      assert (noise_count_t'(e_written_q - e_seen_q) <= 1);
      assert (32'(noise_count_t'(e_seen_q - e_read_q)) <= NoiseDepth);
    end
  end
`endif

endmodule
