// Types, constants and latency formulae of the device's generators (docs/device-randomness.md).
package random_pkg;

  // ChaCha20 (RFC 8439): 20 rounds = 40 half-rounds, done by a ring of eight half-round stages that
  // a block goes round five times. Five and eight have no common factor, so blocks that enter every
  // fifth step find their place in the ring free.
  localparam int unsigned Stages = 8;
  localparam int unsigned Trips = 5;
  localparam int unsigned BlockWords = 8;  // of 64 bits

  // Zeros go through the ring and into the register behind it.
  localparam int unsigned RingFlushCycles = Stages + 1;

  // From the cycle of `start_i`, the ring idle, to the first cycle of `valid_o`: one to begin, the
  // half-rounds, one into the block register, one into the output register.
  localparam int unsigned FirstWordLatency = Stages * Trips + 3;

  // From the cycle in which the sampler takes a word to the first cycle in which its noise sample
  // can be taken; from that of the second word of a pair to the first in which `u_count_o` has it.
  localparam int unsigned NoiseLatency = 4;
  localparam int unsigned TernaryLatency = 2;

  // Centred binomial noise: a difference of two counts of 21 bits, in [-21, 21].
  localparam int unsigned CountedBits = 21;
  localparam int unsigned HalfBits = 22;   // half of a number that makes a coefficient of u
  typedef logic signed [5:0] binomial_t;

  // Noise as the device adds it, from either generator.
  typedef logic signed [7:0] noise_t;

  // Ternary codes: bit 0 = nonzero, bit 1 = negative. 2'b10 is never made.
  typedef logic [1:0] ternary_t;

  typedef logic [63:0] word_t;
  typedef logic [15:0][31:0] chacha_state_t;
  localparam logic [127:0] ChachaConstant = 128'h6b206574_79622d32_3320646e_61707865;

  // Paper's generators: an output of 2^5 steps, centred (see README.md).
  localparam int unsigned OutputBits = 5;

  // Stage that is added to stage 0 of the register of this width; 0: no such register.
  function automatic int unsigned lfsr_tap(int unsigned width);
    case (width)
      11: return 2;       // 1 + x^9 + x^11
      20: return 3;       // 1 + x^17 + x^20, the paper's
      60: return 1;       // 1 + x^59 + x^60
      default: return 0;
    endcase
  endfunction

  typedef logic [3:0][7:0] rotations_t;

  // Rotations of the generator that adds halves of the state, and of the one that adds it whole.
  function automatic rotations_t split_rotations(int unsigned width);
    return (width == 20) ? {8'd7, 8'd5, 8'd2, 8'd0} : {8'd22, 8'd15, 8'd7, 8'd0};
  endfunction
  function automatic rotations_t whole_rotations(int unsigned width);
    return (width == 20) ? {8'd15, 8'd10, 8'd5, 8'd0} : {8'd9, 8'd6, 8'd3, 8'd0};
  endfunction

endpackage
