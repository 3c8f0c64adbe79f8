// Commands, constants and latencies of the BGV accelerator (docs/bgv-word.md, the S-BGV paper).
package bgv_core_pkg;

  // Operations of a command. Operands and results are numbers of ciphertext buffers.
  typedef enum logic [3:0] {
    OpNone      = 4'd0,
    OpEncrypt   = 4'd1,  // dst = encryption of the message in part 0 of a
    OpDecrypt   = 4'd2,  // part 0 of dst = message of a
    OpAdd       = 4'd3,  // dst = a + b, three parts
    OpMultiply  = 4'd4,  // dst = a b, three parts
    OpKeySwitch = 4'd5,  // dst = two parts that decrypt as the three of a
    OpModSwitch = 4'd6,  // dst = a, one level down
    OpConvert   = 4'd7   // dst = parts 0 and 1 of a, or its part 2, in the other form
  } op_e;

  // Forms of a command's ciphertexts. One is kept as coefficients or as evaluations; of one of three
  // parts that is kept as evaluations, part 2 is coefficients where a key switch or an addition reads it.
  typedef struct packed {
    logic third;          // OpConvert: part 2
    logic evaluations;    // the result is kept as evaluations
    logic b_evaluations;  // operand b is
    logic a_evaluations;  // operand a is
  } form_t;

  // A command word.
  typedef struct packed {
    logic [7:0] unused;
    form_t      form;
    logic [3:0] level;  // of the operands
    logic [3:0] b;
    logic [3:0] a;
    logic [3:0] dst;
    logic [3:0] op;
  } command_t;

  localparam int unsigned MaxLogP = 8;
  localparam int unsigned RunPlaintexts = 16;
  localparam int unsigned RegionBits = 1;

  // Why a command was refused. The first error is kept until it is cleared.
  typedef enum logic [3:0] {
    ErrNone = 4'd0,
    ErrNoSeed = 4'd3,
    ErrCounterReused = 4'd4,
    ErrCounterExhausted = 4'd5,
    ErrBusyRegister = 4'd6,
    ErrBusyData = 4'd7,
    ErrBadCommand = 4'd8,
    ErrDataAddress = 4'd9,
    ErrCountRange = 4'd11,
    ErrOptionRange = 4'd12,
    ErrWordRange = 4'd13,
    ErrTooMany = 4'd14
  } err_e;

  // From the register file. Levels are stable while `busy`.
  typedef struct packed {
    logic         start;          // pulse
    logic         soft_reset;     // pulse
    logic         clear;          // pulse: wipe keys, randomness and memories
    logic         seed_load;      // pulse: (seed, run_counter) are new
    logic         armed;          // seed and run counter are valid and unused
    logic [6:0]   count;
    logic [3:0]   log_p;
    logic         signed_digits;
    logic         ternary_noise;
    logic [7:0]   ring;           // 0: all units
    logic [255:0] seed;
    logic [63:0]  run_counter;
  } host_t;

  // To the register file.
  typedef struct packed {
    logic        busy;       // a run or a wipe is in progress
    logic        primed;     // the first encryption's randomness is there
    logic        done;       // pulse
    logic        run_spent;  // pulse: the run counter has been used
    logic        err;        // pulse
    err_e        err_code;
    logic [63:0] cycles;     // from the start command to done, of the last run
  } core_t;

  // Whether the operation is one that there is, with forms that it can have: a product whose first operand
  // is kept as evaluations and the second is not is written the other way round.
  function automatic logic known(op_e op, form_t form);
    case (op)
      OpEncrypt: return form inside {4'b0000, 4'b0100};
      OpDecrypt: return form inside {4'b0000, 4'b0001};
      OpMultiply: return form inside {4'b0000, 4'b0010, 4'b0011, 4'b0100, 4'b0110, 4'b0111};
      OpKeySwitch: return form inside {4'b0000, 4'b0101};
      OpConvert: return form inside {4'b0100, 4'b0001, 4'b1001};
      OpAdd, OpModSwitch: return form == '0;
      default: return 1'b0;
    endcase
  endfunction

  // Transforms of a command that is known, which take a unit each.
  function automatic logic [3:0] forward_transforms(op_e op, form_t form, logic [3:0] digits);
    logic unused_third;
    unused_third = form.third;
    case (op)
      OpEncrypt: return form.evaluations ? 4'd3 : 4'd1;
      OpDecrypt: return form.a_evaluations ? 4'd0 : 4'd1;
      OpMultiply: return (form.a_evaluations ? 4'd0 : 4'd2) + (form.b_evaluations ? 4'd0 : 4'd2);
      OpKeySwitch: return digits;
      OpConvert: return form.evaluations ? 4'd2 : 4'd0;
      default: return 4'd0;
    endcase
  endfunction
  function automatic logic [3:0] inverse_transforms(op_e op, form_t form);
    logic unused_operands;
    unused_operands = ^{form.b_evaluations, form.a_evaluations};
    if (form.evaluations) return 4'd0;
    case (op)
      OpDecrypt: return 4'd1;
      OpEncrypt, OpKeySwitch: return 4'd2;
      OpMultiply: return 4'd3;
      OpConvert: return form.third ? 4'd1 : 4'd2;
      default: return 4'd0;
    endcase
  endfunction

  // p noise + message in [-p/2, p/2), as a residue modulo q; p = 2^log_p, p (21 + 1/2) < q/2.
  localparam int unsigned SmallBits = 15;  // p (21 + 1/2) < 2^13, and a sign
  typedef logic signed [SmallBits-1:0] small_t;
  function automatic logic [31:0] embed(logic signed [5:0] noise, logic [8:0] message,
                                        logic [3:0] log_p, logic [31:0] q);
    small_t plain, sum;
    plain = small_t'({1'b0, message});
    if (message >= 9'd1 << (log_p - 4'd1)) plain = plain - (small_t'(1) <<< log_p);
    sum = (small_t'(noise) <<< log_p) + plain;
    return sum[SmallBits-1] ? 32'(sum) + q : 32'(sum);
  endfunction

  // Bits of a word's number in a region of the data window: {buffer, part, index} or {set, lane, index}.
  function automatic int unsigned word_bits(int unsigned log_n, int unsigned log_buffers,
                                            int unsigned digits);
    int unsigned lanes;
    lanes = $clog2(2 * digits);
    return log_n + 2 + (lanes > log_buffers ? lanes : log_buffers);
  endfunction

  // Bits of a byte address of the data window.
  function automatic int unsigned window_bits(int unsigned log_n, int unsigned log_buffers,
                                              int unsigned digits);
    return RegionBits + word_bits(log_n, log_buffers, digits) + 2;
  endfunction

  // Ciphertext modulus of a level, of at most three factors.
  function automatic longint unsigned modulus(int unsigned level, int unsigned q0, int unsigned q1,
                                              int unsigned q2);
    case (level)
      0: return 64'(q0);
      1: return 64'(q0) * 64'(q1);
      default: return 64'(q0) * 64'(q1) * 64'(q2);
    endcase
  endfunction

  function automatic int unsigned levels(int unsigned q1, int unsigned q2);
    return q2 != 1 ? 3 : (q1 != 1 ? 2 : 1);
  endfunction

  // floor(x / d) = (x * reciprocal) >> (width + bits(d)) for every x < 2^width.
  function automatic longint unsigned reciprocal(longint unsigned d, int unsigned width);
    int unsigned shift;
    shift = width + modular_pkg::bits_of(d);
    return ((64'd1 << shift) + d - 1) / d;
  endfunction

  // Registers of the three engines, input to output.
  localparam int unsigned DigitsLatency = 3;
  localparam int unsigned PointwiseLatency = modular_pkg::MulLatency + 3;
  localparam int unsigned FinishLatency = 8;

endpackage
