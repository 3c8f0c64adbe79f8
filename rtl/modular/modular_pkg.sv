// Constants of modular arithmetic by a fixed modulus: latencies, widths, residues.
package modular_pkg;

  // Cycles from operand to result of the reducers, in order: tables, Barrett, folding.
  localparam int unsigned ReduceLutLatency = 3;
  localparam int unsigned ReduceBarrettLatency = 5;
  localparam int unsigned ReduceFoldLatency = 3;

  // Product alone, and product with its reduction by tables.
  localparam int unsigned ProductLatency = 2;
  localparam int unsigned MulLatency = ProductLatency + ReduceLutLatency;

  // mod_mul_barrett_rt.
  localparam int unsigned MulBarrettRtLatency = 8;

  // Bits by which a sum may exceed the modulus before the last step (mod_settle).
  localparam int unsigned SettleBits = 4;

  // Bits of the numbers 0..q.
  function automatic int unsigned bits_of(longint unsigned q);
    int unsigned n;
    n = 0;
    for (int unsigned i = 0; i < 64; i++) if (((q >> i) & 1) != 0) n = i + 1;
    return n;
  endfunction

  // Bits of a product of two residues modulo q < 2^32.
  function automatic int unsigned product_bits(longint unsigned q);
    return bits_of((q - 1) * (q - 1));
  endfunction

  // Ones in the binary form of x.
  function automatic int unsigned ones(longint unsigned x);
    int unsigned n;
    n = 0;
    for (int unsigned i = 0; i < 64; i++) if (((x >> i) & 1) != 0) n++;
    return n;
  endfunction

  // Of the numbers r, r + q, ... r + limit q the one with the fewest ones: as the addend of a
  // single bit it costs a LUT for each.
  function automatic longint unsigned sparsest(longint unsigned r, longint unsigned q,
                                               int unsigned limit);
    longint unsigned best;
    best = r;
    for (int unsigned j = 1; j <= limit; j++) if (ones(r + j * q) < ones(best)) best = r + j * q;
    return best;
  endfunction

endpackage
