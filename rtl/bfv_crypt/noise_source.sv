// Noise of the encryption: centred binomial samples of the stream cipher (overlap mode) or the
// paper's shift register (paper mode, INSECURE: its 20 bits of state can be searched).
//
// `e_o` is the sample that `pop_i` takes in this cycle; signed, in [-21, 21] or [-16, 16]. The shift
// register moves only when a sample is taken: sample i of a run is that of its i-th state.
// Latency: `load_i` at least two cycles before the first `pop_i` of the paper's mode.
// Throughput: one sample a cycle.
// `wipe_i` replaces the register's state by a public one.
module noise_source
  import random_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        paper_i,
  input  logic        load_i,      // a run of the paper's mode begins with state seed_i, not zero
  input  logic [19:0] seed_i,
  input  logic        wipe_i,
  input  logic        pop_i,
  output noise_t      e_o,

  // The stream of device_random.
  input  binomial_t   cbd_i,
  input  logic        cbd_valid_i,
  output logic        cbd_pop_o
);

  localparam logic [19:0] PublicState = 20'd1;

  noise_t lfsr_sample;
  logic   lfsr_valid;

  gauss_lfsr #(
    .Width (20)
  ) u_lfsr (
    .clk_i,
    .rst_ni,
    .load_i   (load_i || wipe_i),
    .seed_i   (wipe_i ? PublicState : seed_i),
    .sample_o (lfsr_sample),
    .valid_o  (lfsr_valid),
    .take_i   (pop_i && paper_i)
  );

  assign e_o = paper_i ? lfsr_sample : noise_t'(cbd_i);
  assign cbd_pop_o = pop_i && !paper_i;

`ifndef SYNTHESIS
  // Noise comes before it is needed: a plaintext's noise is drawn with its u.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      pop_i |-> (paper_i ? lfsr_valid : cbd_valid_i));
`else
  logic unused_valid;
  assign unused_valid = ^{lfsr_valid, cbd_valid_i};
`endif

endmodule
