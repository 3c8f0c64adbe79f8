// Transform sizes, orders and the table of roots.
//
// A transform of n = 2^LogN coefficients runs on B = 2^LogB butterflies. Its memory has 2B banks; the
// coefficient of index i lies in bank fold(i), the exclusive or of the digits of i in base 2B, at
// address i / 2B. A step handles 2B coefficients whose indices differ in LogB + 1 bits of different
// residues modulo LogB + 1, so that no two of them share a bank.
package ntt_pkg;

  // Registers from a butterfly's read address to its write: RAM 1, operands 1, first sum 1, halving 1,
  // product (modular_pkg::MulLatency), second sum 1, way back 1.
  localparam int unsigned OuterLatency = 6;

  // Cycles from a butterfly's read to its write.
  function automatic int unsigned butterfly_latency(int unsigned mul_latency);
    return OuterLatency + mul_latency;
  endfunction

  // Idle cycles between two stages: a step reads what was issued half a stage before, or later.
  function automatic int unsigned stage_gap(int unsigned steps, int unsigned latency);
    return steps / 2 > latency ? 0 : latency + 1 - steps / 2;
  endfunction

  // First butterfly read to last write, both cycles counted (paper: 1,153 for n = 128, B = 1).
  function automatic int unsigned transform_cycles(int unsigned log_n, int unsigned log_b,
                                                   int unsigned mul_latency);
    int unsigned steps, latency;
    steps = 1 << (log_n - log_b - 1);
    latency = butterfly_latency(mul_latency);
    return log_n * steps + (log_n - 1) * stage_gap(steps, latency) + latency;
  endfunction

  // Registers of ntt_twist: table 1, operands 1, product.
  function automatic int unsigned twist_latency(int unsigned mul_latency);
    return 2 + mul_latency;
  endfunction

  // From the offer of a result to its first beat.
  function automatic int unsigned offered_latency(int unsigned log_n, int unsigned log_b,
                                                  int unsigned mul_latency);
    int unsigned latency;
    latency = butterfly_latency(mul_latency);
    return 1 + stage_gap(1 << (log_n - log_b - 1), latency) + 1 + latency;
  endfunction

  // The lowest `bits` bits of x in the opposite order.
  function automatic int unsigned reversed(int unsigned x, int unsigned bits);
    int unsigned r;
    r = 0;
    for (int unsigned i = 0; i < bits; i++) r |= ((x >> i) & 1) << (bits - 1 - i);
    return r;
  endfunction

  // base^exponent mod q, q below 2^32.
  function automatic longint unsigned power(longint unsigned base, int unsigned exponent,
                                            longint unsigned q);
    longint unsigned r, b;
    r = 1;
    b = base;
    for (int unsigned i = 0; i < 32; i++) begin
      if (exponent[i]) r = (r * b) % q;
      b = (b * b) % q;
    end
    return r;
  endfunction

endpackage
