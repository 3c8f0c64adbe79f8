// Decryption's last step: floor(c / 2^24 + 1/2) mod 2^8 for c in [0, 2^32).
//
// Adding bit 23 to the top eight bits is adding 2^23 to c and taking the top eight bits: the lower
// 23 bits cannot change the carry. A result of 2^8 wraps to 0 (messages are modulo t = 2^8).
// Combinational.
module scale_round
  import bfv_crypt_pkg::*;
(
  input  coeff_t           c_i,
  output logic [LogT-1:0]  m_o
);

  assign m_o = c_i[LogQ-1-:LogT] + LogT'(c_i[LogDelta-1]);

  logic unused_low;
  assign unused_low = ^c_i[LogDelta-2:0];

`ifdef FORMAL
  coeff_t moved;
  assign moved = c_i + (coeff_t'(1) << (LogDelta - 1));
  always_comb assert (m_o == moved[LogQ-1-:LogT]);
`endif

endmodule
