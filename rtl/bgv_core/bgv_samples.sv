// The secrets of encryptions drawn ahead (docs/device-randomness.md): u, e1 and e2 of `Slots` messages,
// read as beats in the order of coefficients.
//
// Word w of a message's stream gives noise sample w (e1 below n, e2 from n on) and half of coefficient
// w / 2 of u. Noise: centred binomial, or with `ternary_noise_i` floor(3 x / 2^42) of bits 0..41 as 0, +1,
// -1 (the paper's distribution). A word a cycle is taken while a slot is free.
//
// `ready_o`: the oldest slot whose u is not begun is complete; `u_take_i` takes it (its number in
// `u_slot_o`). `free_i` gives the oldest slot back. `restart_i` forgets all slots. `flush_i` (and reset)
// also writes zero everywhere, one beat of a slot a cycle, `busy_o` meanwhile.
// Reads: slot and beat to data in one cycle. Codes of u: 00, 01, 11 for 0, +1, -1.
module bgv_samples
  import random_pkg::*;
#(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  parameter int unsigned LogSlots = 2,
  localparam int unsigned Banks = 2 << LogB,
  localparam int unsigned LogT = LogN - LogB - 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        restart_i,
  input  logic                        flush_i,
  input  logic                        ternary_noise_i,
  output logic                        busy_o,

  input  word_t                       word_i,
  input  logic                        word_valid_i,
  output logic                        word_ready_o,

  output logic                        ready_o,
  input  logic                        u_take_i,
  output logic [LogSlots-1:0]         u_slot_o,
  input  logic                        free_i,

  input  logic [LogSlots-1:0]         u_read_slot_i,
  input  logic [LogT-1:0]             u_beat_i,
  output ternary_t [Banks-1:0]        u_o,
  input  logic [LogSlots-1:0]         e_read_slot_i,
  input  logic [LogT-1:0]             e_beat_i,
  output binomial_t [1:0][Banks-1:0]  e_o
);

  localparam int unsigned BankWidth = LogB + 1;
  typedef logic [LogSlots:0] slot_t;
  typedef logic [LogN:0] index_t;

  // Oldest slot held, oldest not begun, being filled; each with a lap bit.
  slot_t held_q, begun_q, filling_q, complete_q;
  index_t word_q;
  logic take, wiping_q, clear;
  logic [LogSlots+LogT-1:0] wipe_q;

  assign clear = !rst_ni || restart_i || flush_i || wiping_q;
  assign word_ready_o = !clear && (filling_q - held_q) != slot_t'(1 << LogSlots);
  assign take = word_valid_i && word_ready_o;
  assign ready_o = complete_q != begun_q;
  assign u_slot_o = begun_q[LogSlots-1:0];
  assign busy_o = wiping_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      wiping_q <= 1'b1;
      wipe_q <= '0;
    end else if (wiping_q) begin
      wipe_q <= wipe_q + 1'b1;
      if (wipe_q == '1) wiping_q <= 1'b0;
    end
  end

  // Two stages between a word and its samples.
  logic [1:0] stage_q;
  index_t word1_q, word2_q;
  logic [LogSlots-1:0] slot1_q, slot2_q;
  logic [HalfBits-1:0] half_q;
  ternary_t u_code, u1_q, u2_q, e_code, e1_q, e2_q;
  logic u_write1_q, u_write2_q;
  binomial_t e_binomial;

  ternary44 u_ternary (
    .x_i({word_i[63:42], half_q}),
    .code_o(u_code)
  );
  binomial21 u_binomial (
    .clk_i,
    .clear_i(clear),
    .bits_i(word_i[41:0]),
    .e_o(e_binomial)
  );
  assign e_code = {word_i[41:0] > {21{2'b10}}, word_i[41:0] > {21{2'b01}}};

  always_ff @(posedge clk_i) begin
    if (clear) begin
      {held_q, begun_q, filling_q, complete_q, word_q} <= '0;
      {stage_q, u_write1_q, u_write2_q, half_q, u1_q, u2_q, e1_q, e2_q} <= '0;
    end else begin
      if (take) begin
        word_q <= word_q + 1'b1;
        if (word_q == '1) filling_q <= filling_q + 1'b1;
        if (!word_q[0]) half_q <= word_i[63:42];
      end
      stage_q <= {stage_q[0], take};
      {u_write1_q, u_write2_q} <= {take && word_q[0], u_write1_q};
      {u1_q, u2_q} <= {u_code, u1_q};
      {e1_q, e2_q} <= {e_code, e1_q};
      if (stage_q[1] && word2_q == '1) complete_q <= complete_q + 1'b1;
      if (u_take_i) begun_q <= begun_q + 1'b1;
      if (free_i) held_q <= held_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    {word1_q, word2_q} <= {word_q, word1_q};
    {slot1_q, slot2_q} <= {filling_q[LogSlots-1:0], slot1_q};
  end

  // Where coefficient i lies: beat i mod T, word i div T.
  logic [LogN-1:0] u_index, e_index;
  assign u_index = word2_q[LogN:1];
  assign e_index = word2_q[LogN-1:0];
  binomial_t e_made;
  assign e_made = ternary_noise_i ? {{4{e2_q[1]}}, e2_q} : e_binomial;

  for (genvar k = 0; k < Banks; k++) begin : gen_bank
    sdp_ram #(
      .Width(2),
      .Depth(1 << (LogSlots + LogT))
    ) u_ram_u (
      .clk_i,
      .we_i(wiping_q || (u_write2_q && u_index[LogN-1:LogT] == BankWidth'(k))),
      .waddr_i(wiping_q ? wipe_q : {slot2_q, u_index[LogT-1:0]}),
      .wdata_i(wiping_q ? '0 : u2_q),
      .re_i(1'b1),
      .raddr_i({u_read_slot_i, u_beat_i}),
      .rdata_o(u_o[k])
    );
    for (genvar j = 0; j < 2; j++) begin : gen_noise
      sdp_ram #(
        .Width(6),
        .Depth(1 << (LogSlots + LogT))
      ) u_ram_e (
        .clk_i,
        .we_i(wiping_q || (stage_q[1] && word2_q[LogN] == 1'(j) &&
                           e_index[LogN-1:LogT] == BankWidth'(k))),
        .waddr_i(wiping_q ? wipe_q : {slot2_q, e_index[LogT-1:0]}),
        .wdata_i(wiping_q ? '0 : e_made),
        .re_i(1'b1),
        .raddr_i({e_read_slot_i, e_beat_i}),
        .rdata_o(e_o[j][k])
      );
    end
  end

`ifndef SYNTHESIS
  a_take_ready :
  assert property (@(posedge clk_i) disable iff (!rst_ni) u_take_i |-> ready_o);
  a_free_held :
  assert property (@(posedge clk_i) disable iff (!rst_ni) free_i |-> held_q != begun_q);
`endif

endmodule
