// The secret randomness of encryptions: keystream and sampler (docs/device-randomness.md).
//
// `start_i` begins the stream of (seed_i, run_i), or begins it anew; what the memories hold of an
// earlier stream is forgotten in the same cycle and overwritten in time. `flush_i` (and reset) ends
// the stream and wipes every state bit and memory; `busy_o` is high meanwhile. Seed and run
// counter are not copied: they hold still while the stream is in use.
//
// The first plaintext is ready FirstWordLatency + 2n + TernaryLatency cycles after a `start_i` that
// finds the ring idle. For the sample ports and parameters see device_sampler.sv.
module device_random
  import random_pkg::*;
#(
  parameter int unsigned LogN = 10,
  parameter int unsigned PlaintextBits = 32
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            start_i,
  input  logic            flush_i,
  input  logic [255:0]    seed_i,
  input  logic [63:0]     run_i,
  output logic            busy_o,

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

  word_t word;
  logic word_valid, word_ready, stream_busy, sampler_busy;
  assign busy_o = stream_busy || sampler_busy;

  chacha20_stream #(
    .LogN(LogN),
    .PlaintextBits(PlaintextBits)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .start_i,
    .flush_i,
    .key_i(seed_i),
    .run_i,
    .busy_o(stream_busy),
    .word_o(word),
    .valid_o(word_valid),
    .ready_i(word_ready)
  );

  device_sampler #(
    .LogN(LogN)
  ) u_sampler (
    .clk_i,
    .rst_ni,
    .restart_i(start_i),
    .flush_i,
    .busy_o(sampler_busy),
    .word_i(word),
    .word_valid_i(word_valid),
    .word_ready_o(word_ready),
    .e_o,
    .e_valid_o,
    .e_pop_i,
    .u_raddr_a_i,
    .u_raddr_b_i,
    .u_a_o,
    .u_b_o,
    .u_free_i,
    .u_count_o,
    .plaintexts_ready_o
  );

endmodule
