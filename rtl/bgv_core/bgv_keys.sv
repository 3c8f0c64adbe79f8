// Keys in evaluation order, for the pointwise products: written by the host, read by the device only.
//
//   set    words of a beat's lane j
//   0      row j / 2 of the relinearisation key: b (even j), a (odd j)
//   1      the public key: p0 (j = 0), p1 (j = 1)
//   2      the secret key (j = 0)
//
// A beat holds 2B words in the order of evaluation beats (ntt_unit.sv). Reads take one cycle. `wipe_i`
// writes zero everywhere, one address a cycle, `busy_o` meanwhile; so does reset.
module bgv_keys #(
  parameter int unsigned W = 27,
  parameter int unsigned LogT = 6,
  parameter int unsigned Banks = 2,
  parameter int unsigned Digits = 2,
  localparam int unsigned Lanes = 2 * Digits,
  localparam int unsigned LaneWidth = $clog2(Lanes),
  localparam int unsigned BankWidth = $clog2(Banks)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              wipe_i,
  output logic                              busy_o,

  input  logic [1:0]                        set_i,
  input  logic [LogT-1:0]                   beat_i,
  output logic [Lanes-1:0][Banks-1:0][W-1:0] key_o,

  input  logic                              we_i,
  input  logic [1:0]                        word_set_i,
  input  logic [LaneWidth-1:0]              word_lane_i,
  input  logic [BankWidth-1:0]              word_bank_i,
  input  logic [LogT-1:0]                   word_beat_i,
  input  logic [W-1:0]                      word_i
);

  logic wiping_q;
  logic [LogT+1:0] wipe_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wiping_q <= 1'b1;
      wipe_q <= '0;
    end else if (wipe_i) begin
      wiping_q <= 1'b1;
      wipe_q <= '0;
    end else if (wiping_q) begin
      wipe_q <= wipe_q + 1'b1;
      if (wipe_q == '1) wiping_q <= 1'b0;
    end
  end
  assign busy_o = wiping_q;

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    for (genvar k = 0; k < Banks; k++) begin : gen_bank
      sdp_ram #(
        .Width(W),
        .Depth(4 << LogT)
      ) u_ram (
        .clk_i(clk_i),
        .we_i(wiping_q || (we_i && word_lane_i == LaneWidth'(j) && word_bank_i == BankWidth'(k))),
        .waddr_i(wiping_q ? wipe_q : {word_set_i, word_beat_i}),
        .wdata_i(wiping_q ? '0 : word_i),
        .re_i(1'b1),
        .raddr_i({set_i, beat_i}),
        .rdata_o(key_o[j][k])
      );
    end
  end

endmodule
