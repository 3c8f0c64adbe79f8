// Types and latency formulae of the BFV encryption and decryption device.
//
// Modes: `overlap` (default) makes one result polynomial every n cycles; `paper` is the published
// count-and-hold schedule. A run is one start: up to 32 polynomials, that is 16 plaintexts to
// encrypt (two polynomials each) or 32 ciphertexts to decrypt.
package bfv_crypt_pkg;

  localparam int unsigned LogQ = 32;
  localparam int unsigned LogT = 8;
  localparam int unsigned LogDelta = LogQ - LogT;
  localparam int unsigned LogMaxPolys = 5;
  localparam int unsigned MaxPolys = 1 << LogMaxPolys;

  // Ternary codes: bit 0 = nonzero, bit 1 = negative. 2'b10 is never loaded; it would act as zero.
  typedef logic [1:0] code_t;
  localparam code_t CodeZero = 2'b00;
  localparam code_t CodePlus = 2'b01;
  localparam code_t CodeMinus = 2'b11;

  typedef logic [LogQ-1:0] coeff_t;

  // Why a command was refused. The first error is kept until it is cleared.
  typedef enum logic [3:0] {
    ErrNone = 4'd0,
    ErrSeedZero = 4'd1,        // paper mode: the LFSR would stay at zero
    ErrCountOdd = 4'd2,        // encryption makes two polynomials a plaintext
    ErrNoSeed = 4'd3,          // no seed and run counter since reset
    ErrCounterReused = 4'd4,   // run counter below the next unused one, seed unchanged
    ErrCounterExhausted = 4'd5,
    ErrBusyRegister = 4'd6,    // register write while busy
    ErrBusyData = 4'd7,        // memory access while busy
    ErrBadCode = 4'd8,         // ternary code 2'b10 in the multiplier window
    ErrDataAddress = 4'd9,     // outside the memories, or a wrong direction
    ErrNeedsReset = 4'd10      // paper mode: start without reset after done
  } err_e;

  // From the register file to the core. Levels are stable while `busy`.
  typedef struct packed {
    logic         start;        // pulse: rising edge of the control word's start bit
    logic         soft_reset;   // pulse: the control word's reset bit; a run is given up
    logic         clear;        // pulse: wipe keys, u, noise and all three memories
    logic         key_loaded;   // pulse: the operand is complete: the first product may begin
    logic         seed_load;    // pulse: (seed, run_counter) are new: restart the sampler
    logic         armed;        // level: seed and run counter are valid and unused
    logic         paper;        // level
    logic         decrypt;      // level: 0 encrypt, 1 decrypt
    logic [4:0]   count;        // level: polynomials; 0 means 32
    logic [19:0]  lfsr_seed;    // level
    logic [255:0] seed;         // level
    logic [63:0]  run_counter;  // level
  } host_t;

  // From the core to the register file.
  typedef struct packed {
    logic        busy;       // level: a run or a wipe is in progress
    logic        primed;     // level: the first product is ready to emerge
    logic        done;       // pulse: all results are in the output memory
    logic        run_spent;  // pulse: the run counter has been used (run done or given up)
    logic        err;        // pulse
    err_e        err_code;
    logic [63:0] cycles;     // from the start command to done, of the last run
  } core_t;

  // Cycles from the start command to done. Behind the last step come: the array (2), the output
  // register, the write, done. In paper mode the operand takes one register more.
  localparam int unsigned OverlapLatency = 4;
  localparam int unsigned PaperLatency = 5;
  function automatic longint unsigned overlap_cycles(int unsigned n, int unsigned polys,
                                                     bit primed);
    return longint'(n) * (longint'(polys) + (primed ? 0 : 1)) +
           longint'(OverlapLatency);
  endfunction
  function automatic longint unsigned paper_cycles(int unsigned n, int unsigned polys);
    return 2 * longint'(n) * longint'(polys) + longint'(PaperLatency);
  endfunction

endpackage
