// Types, scaling and latency formulae of the small BFV encryptor and decryptor.
//
// Ring Z_q[x]/(x^n + 1), n = 2^LogN, q = 2^32, t = 2^LogT, Delta = q/t. Section numbers are those
// of the S-MINI paper (H. Fadhli, "Accelerating FHE BFV Decryptor and Encryptor").
package bfv_mini_pkg;

  localparam int unsigned LogQ = 32;
  typedef logic [LogQ-1:0] coeff_t;

  // One error coefficient, signed: [-64, 63] holds the centred binomial distribution with k = 21.
  localparam int unsigned NoiseBits = 7;
  typedef logic signed [NoiseBits-1:0] noise_t;

  // Fields of an input word of an encryption: one coefficient of a message, of u, e1 and e2.
  localparam int unsigned MessageBits = 16;
  typedef struct packed {
    noise_t                 e2;       // [31:25]
    noise_t                 e1;       // [24:18]
    logic [1:0]             u;        // [17:16] small code
    logic [MessageBits-1:0] message;  // [15:0]
  } encrypt_word_t;

  // Items of a batch; each memory of the device holds this many polynomials.
  localparam int unsigned LogMaxItems = 6;
  localparam int unsigned MaxItems = 1 << LogMaxItems;
  localparam int unsigned CountBits = LogMaxItems + 1;

  // The data window: a region for each of the four memories, 4 KiB apart whatever n is.
  localparam int unsigned RegionBits = 2;
  localparam int unsigned WindowAddrBits = RegionBits + 12;
  typedef enum logic [RegionBits-1:0] {
    RegionInput0 = 2'd0,   // write only: encryption's input words; decryption's c1
    RegionInput1 = 2'd1,   // write only: decryption's c0
    RegionOutput0 = 2'd2,  // read only: encryption's c0; decryption's message
    RegionOutput1 = 2'd3   // read only: encryption's c1
  } region_e;

  // The largest ring of the device: the secret's register holds this many two-bit codes.
  localparam int unsigned MaxDegree = 16;
  localparam int unsigned CodeBits = 2;

  // Why a command was refused, or what was wrong in a run. The first error is kept until cleared.
  // Codes that bfv_crypt has too carry its numbers.
  typedef enum logic [3:0] {
    ErrNone = 4'd0,
    ErrBusyRegister = 4'd6,   // register write while busy
    ErrBusyData = 4'd7,       // memory access while busy
    ErrBadCode = 4'd8,        // small code outside the alphabet: taken as zero, the run goes on
    ErrDataAddress = 4'd9,    // outside the memories, or a wrong direction
    ErrCountRange = 4'd11,    // count 0 or above 64: no run
    ErrMessageRange = 4'd12,  // message not below t: taken modulo t, the run goes on
    ErrNoKey = 4'd13          // no public key (encrypt) or secret (decrypt) since reset or clear
  } err_e;

  // From the register file to the device. Levels are stable while `busy`.
  typedef struct packed {
    logic                          start;          // pulse
    logic                          soft_reset;     // pulse: give up the run, memories and keys kept
    logic                          clear;          // pulse: wipe keys and all memories
    logic                          key_loaded;     // pulse: the public key is complete
    logic                          secret_loaded;  // pulse: `secret` has been written
    logic                          decrypt;        // level: 0 encrypt, 1 decrypt
    logic [CountBits-1:0]          count;          // level: items of the run, 1 to 64
    logic [CodeBits*MaxDegree-1:0] secret;         // level: code of s[i] in bits 2i+1..2i
  } host_t;

  // From the device to the register file.
  typedef struct packed {
    logic        busy;     // level: a run or a wipe is in progress
    logic        key;      // level: the public key may be used
    logic        secret;   // level: the secret may be used
    logic        done;     // pulse: all results are in the output memories
    logic        err;      // pulse
    err_e        err_code;
    logic [63:0] cycles;   // from the start command to done, of the last run
  } core_t;

  // Cycles from operands to results of the encryptor and the decryptor: one to form the addends, n
  // for the array, one for the reduction. The paper's figure is 2n - 1 (sections III.A.4, III.A.5).
  function automatic int unsigned core_latency(int unsigned n);
    return n + 2;
  endfunction

  // Cycles from the start command to done of a run of `count` items in the device: n per item to
  // read; then, for the last item, the core and n to write; three for the start, the memory and the
  // register that gathers the item.
  localparam int unsigned DeviceOverhead = 3;
  function automatic int unsigned device_cycles(int unsigned n, int unsigned count);
    return n * count + core_latency(n) + n + DeviceOverhead;
  endfunction

  // Cycles of `clear` in the device: one word of each memory a cycle.
  function automatic int unsigned wipe_cycles(int unsigned n);
    return n * MaxItems;
  endfunction

  // Is `code` outside the alphabet? Binary: only 00 and 01; ternary: all but 10.
  function automatic logic bad_code(logic [CodeBits-1:0] code, int unsigned operand_bits);
    return code[1] && (operand_bits == 1 || !code[0]);
  endfunction

  // Delta * message + error, the part of c0 that is not a product; message modulo t.
  function automatic coeff_t encode(logic [MessageBits-1:0] message, noise_t error,
                                    int unsigned log_t);
    return (coeff_t'(message) << (LogQ - log_t)) + coeff_t'(error);
  endfunction

  // c0 + Delta/2: with half a step added first, dropping the low bits rounds half up.
  function automatic coeff_t biased(coeff_t c0, int unsigned log_t);
    return c0 + (coeff_t'(1) << (LogQ - log_t - 1));
  endfunction

  // floor(x / Delta), below t.
  function automatic logic [MessageBits-1:0] quotient(coeff_t x, int unsigned log_t);
    return MessageBits'(x >> (LogQ - log_t));
  endfunction

endpackage
