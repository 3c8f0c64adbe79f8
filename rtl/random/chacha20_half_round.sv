// Half a ChaCha20 round (RFC 8439, section 2.1) on all four columns or diagonals; combinational.
//
//   a += b; d = (d ^ a) <<< RotateD; c += d; b = (b ^ c) <<< RotateB
//
// on (a, b, c, d) = state words (i, 4 + i, 8 + i, 12 + i), i = 0..3, or with Diagonal the words
// (i, 4 + (i+1) mod 4, 8 + (i+2) mod 4, 12 + (i+3) mod 4). The halves are (16, 12) and (8, 7).
module chacha20_half_round
  import random_pkg::*;
#(
  parameter int unsigned RotateD = 16,
  parameter int unsigned RotateB = 12,
  parameter bit Diagonal = 1'b0
) (
  input  chacha_state_t state_i,
  output chacha_state_t state_o
);

  if (!((RotateD == 16 && RotateB == 12) || (RotateD == 8 && RotateB == 7))) begin : gen_bad
    $error("chacha20_half_round: rotations %0d, %0d; RFC 8439 has 16, 12 and 8, 7", RotateD,
           RotateB);
  end

  for (genvar i = 0; i < 4; i++) begin : gen_quarter
    localparam int unsigned B = 4 + (i + (Diagonal ? 1 : 0)) % 4;
    localparam int unsigned C = 8 + (i + (Diagonal ? 2 : 0)) % 4;
    localparam int unsigned D = 12 + (i + (Diagonal ? 3 : 0)) % 4;
    logic [31:0] a, c, d_mixed, b_mixed, d;
    assign a = state_i[i] + state_i[B];
    assign d_mixed = state_i[D] ^ a;
    assign d = {d_mixed[31-RotateD:0], d_mixed[31:32-RotateD]};
    assign c = state_i[C] + d;
    assign b_mixed = state_i[B] ^ c;
    assign state_o[i] = a;
    assign state_o[B] = {b_mixed[31-RotateB:0], b_mixed[31:32-RotateB]};
    assign state_o[C] = c;
    assign state_o[D] = d;
  end

endmodule
