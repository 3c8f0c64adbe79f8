//! Registers of the Leveled BGV accelerator. Writes while busy are refused, except to STATUS,
//! IRQ_STATUS, IRQ_ENABLE and CTRL, and to CONTROL with its reset bit set.
//!
//! Generated from `rtl/bgv_core/regs.rdl` by `tools/rtl/regmap.py`.

use super::{ErrorCode, Field};

/// Device (read only). Which device this is.
pub const ID: u32 = 0x0;
/// What [`ID`] reads as.
pub const ID_VALUE: u32 = 0x43594303;

/// Version of the register map (read only). A driver refuses another major version.
pub const VERSION: u32 = 0x4;
/// What [`VERSION`] reads as.
pub const VERSION_VALUE: u32 = 0x00010000;
/// `VERSION[15:0]` (read only): Raised by changes that old drivers do not see.
pub const VERSION_MINOR: Field = Field { low: 0, width: 16 };
/// `VERSION[31:16]` (read only): Raised by changes that break drivers.
pub const VERSION_MAJOR: Field = Field { low: 16, width: 16 };

/// Sizes (read only). What the device was built for.
pub const CONFIG0: u32 = 0x8;
/// `CONFIG0[7:0]` (read only): log2 of the ring degree n.
pub const CONFIG0_LOG_N: Field = Field { low: 0, width: 8 };
/// `CONFIG0[15:8]` (read only): log2 of the ciphertext modulus q.
pub const CONFIG0_LOG_Q: Field = Field { low: 8, width: 8 };
/// `CONFIG0[23:16]` (read only): log2 of the plaintext modulus t.
pub const CONFIG0_LOG_T: Field = Field { low: 16, width: 8 };
/// `CONFIG0[31:24]` (read only): Polynomials (or items) each memory holds.
pub const CONFIG0_MAX_POLYS: Field = Field { low: 24, width: 8 };

/// Build (read only). How the device computes.
pub const CONFIG1: u32 = 0xc;
/// `CONFIG1[15:0]` (read only): Processing elements.
pub const CONFIG1_UNITS: Field = Field { low: 0, width: 16 };
/// `CONFIG1[16]` (read only): The published schedule is there.
pub const CONFIG1_PAPER: Field = Field { low: 16, width: 1 };
/// `CONFIG1[17]` (read only): The overlapped schedule is there.
pub const CONFIG1_OVERLAP: Field = Field { low: 17, width: 1 };

/// Abilities (read only). What the device can do beside its operation.
pub const CAPS: u32 = 0x10;
/// `CAPS[0]` (read only): It samples its own secret randomness from a seed.
pub const CAPS_RANDOMNESS: Field = Field { low: 0, width: 1 };
/// `CAPS[1]` (read only): It has a noise generator of 20 bits, insecure.
pub const CAPS_LFSR: Field = Field { low: 1, width: 1 };
/// `CAPS[2]` (read only): `CTRL.clear` wipes all memories.
pub const CAPS_WIPE: Field = Field { low: 2, width: 1 };
/// `CAPS[15:8]` (read only): Bits of a byte address of the data window.
pub const CAPS_DATA_ADDRESS_BITS: Field = Field { low: 8, width: 8 };
/// `CAPS[19:16]` (read only): Bits of the region number at the top of that address.
pub const CAPS_REGION_BITS: Field = Field { low: 16, width: 4 };

/// Commands (write only). Each bit is a pulse and reads as 0. Allowed while busy.
pub const CTRL: u32 = 0x14;
/// `CTRL[0]` (pulse): Wipe keys, randomness and all memories; STATUS.busy until done.
pub const CTRL_CLEAR: Field = Field { low: 0, width: 1 };
/// `CTRL[1]` (pulse): The key is complete: the first product may be prepared.
pub const CTRL_KEY_LOADED: Field = Field { low: 1, width: 1 };

/// State (read, write). `done` and `error` stay until 1 is written to them; a start clears `done`.
pub const STATUS: u32 = 0x18;
/// `STATUS[0]` (read only): A run or a wipe is in progress.
pub const STATUS_BUSY: Field = Field { low: 0, width: 1 };
/// `STATUS[1]` (write 1 clears): A run has ended with all its results in the output memory.
pub const STATUS_DONE: Field = Field { low: 1, width: 1 };
/// `STATUS[2]` (write 1 clears): A command was refused; ERRCODE says why.
pub const STATUS_ERROR: Field = Field { low: 2, width: 1 };
/// `STATUS[3]` (read only): The first product is ready to emerge.
pub const STATUS_PRIMED: Field = Field { low: 3, width: 1 };
/// `STATUS[4]` (read only): Seed and run counter are valid and unused.
pub const STATUS_ARMED: Field = Field { low: 4, width: 1 };

/// First error (read only). Code of the first error since STATUS.error was cleared; 0: none.
pub const ERRCODE: u32 = 0x1c;
/// `ERRCODE[3:0]` (read only): See the error codes of the device.
pub const ERRCODE_CODE: Field = Field { low: 0, width: 4 };

/// Cycles of the last run, low word (read only). Clock cycles from the start command to done.
pub const CYCLES_LO: u32 = 0x20;

/// Cycles of the last run, high word (read only). Holds still while no run is in progress.
pub const CYCLES_HI: u32 = 0x24;

/// Interrupt causes (read, write). Stay until 1 is written to them.
pub const IRQ_STATUS: u32 = 0x28;
/// `IRQ_STATUS[0]` (write 1 clears): A run has ended.
pub const IRQ_STATUS_DONE: Field = Field { low: 0, width: 1 };
/// `IRQ_STATUS[1]` (write 1 clears): A command was refused.
pub const IRQ_STATUS_ERROR: Field = Field { low: 1, width: 1 };

/// Interrupt enables (read, write). `irq_o` is high while a cause and its enable are 1.
pub const IRQ_ENABLE: u32 = 0x2c;
/// `IRQ_ENABLE[0]` (read, write): For IRQ_STATUS.done.
pub const IRQ_ENABLE_DONE: Field = Field { low: 0, width: 1 };
/// `IRQ_ENABLE[1]` (read, write): For IRQ_STATUS.error.
pub const IRQ_ENABLE_ERROR: Field = Field { low: 1, width: 1 };

/// Byte order (read only). Reads 0x01010101 whatever the byte order: a bus that drops byte lanes
/// shows here.
pub const SENTINEL: u32 = 0x30;
/// What [`SENTINEL`] reads as.
pub const SENTINEL_VALUE: u32 = 0x01010101;

/// Control (read, write). The bits that the other devices have too are at their places. While busy
/// only a write with `reset` set passes, and all it does is to reset.
pub const CONTROL: u32 = 0x40;
/// `CONTROL[6]` (read, write): A rising edge runs the program; write 0 before the next start.
pub const CONTROL_START: Field = Field { low: 6, width: 1 };
/// `CONTROL[7]` (pulse): Give up the run in progress, and `start` reads as 0. Memories and keys are
/// kept, but for buffers that were being written.
pub const CONTROL_RESET: Field = Field { low: 7, width: 1 };
/// `CONTROL[28]` (read only): The run has ended; cleared by start, reset and clear.
pub const CONTROL_DONE: Field = Field { low: 28, width: 1 };

/// Commands (read, write). How many commands of the program the next run executes.
pub const COUNT: u32 = 0x44;
/// `COUNT[6:0]` (read, write): 1 to 64.
pub const COUNT_COUNT: Field = Field { low: 0, width: 7 };

/// Options of a run (read, write). What may differ from run to run.
pub const OPTIONS: u32 = 0x48;
/// `OPTIONS[3:0]` (read, write): log2 of the plaintext modulus, 1 to 8.
pub const OPTIONS_LOG_P: Field = Field { low: 0, width: 4 };
/// `OPTIONS[4]` (read, write): Key switching digits are signed.
pub const OPTIONS_SIGNED_DIGITS: Field = Field { low: 4, width: 1 };
/// `OPTIONS[5]` (read, write): Noise of encryptions: 0 centred binomial, 1 uniform in {-1, 0, 1} as
/// in the paper.
pub const OPTIONS_TERNARY_NOISE: Field = Field { low: 5, width: 1 };
/// `OPTIONS[15:8]` (read, write): Transform units in use; 0 means all.
pub const OPTIONS_RING: Field = Field { low: 8, width: 8 };

/// Levels and digits (read only). What the device was built for.
pub const LEVELS: u32 = 0x4c;
/// `LEVELS[3:0]` (read only): Levels of ciphertexts.
pub const LEVELS_LEVELS: Field = Field { low: 0, width: 4 };
/// `LEVELS[7:4]` (read only): Digits of a key switch.
pub const LEVELS_DIGITS: Field = Field { low: 4, width: 4 };
/// `LEVELS[12:8]` (read only): log2 of the digit base.
pub const LEVELS_DIGIT_BITS: Field = Field { low: 8, width: 5 };
/// `LEVELS[19:16]` (read only): log2 of the number of butterflies of a transform unit.
pub const LEVELS_LOG_B: Field = Field { low: 16, width: 4 };
/// `LEVELS[23:20]` (read only): log2 of the number of ciphertext buffers.
pub const LEVELS_LOG_BUFFERS: Field = Field { low: 20, width: 4 };
/// `LEVELS[27:24]` (read only): log2 of the number of polynomials in a set of keys.
pub const LEVELS_LOG_LANES: Field = Field { low: 24, width: 4 };

/// Factor of the modulus (read only, 3 words). Q_l is the product of the first l + 1 factors; 1: no
/// such level.
pub const FACTOR: u32 = 0x50;
/// Words of [`FACTOR`].
pub const FACTOR_WORDS: usize = 3;

/// Root of unity (read only). Psi with Psi^n = -1 modulo all factors together, of which evaluations
/// are made.
pub const PSI: u32 = 0x5c;

/// Run counter, low word (write only). Cannot be read.
pub const RUN_COUNTER_LO: u32 = 0x60;

/// Run counter, high word (write only). Cannot be read. Writing it commits seed and run counter
/// together.
pub const RUN_COUNTER_HI: u32 = 0x64;

/// Seed (write only, 8 words). 256 bits, little end first. Cannot be read. All eight words must be
/// written before the first run counter.
pub const SEED: u32 = 0x80;
/// Words of [`SEED`].
pub const SEED_WORDS: usize = 8;

/// Program (write only, 64 words). Commands, run in order: bits 3..0 operation (1 encrypt, 2
/// decrypt, 3 add, 4 multiply, 5 key switch, 6 mod switch, 7 convert), 7..4 result, 11..8 and
/// 15..12 operands, 19..16 level, 20 and 21 the operands are kept as evaluations, 22 the result is,
/// 23 convert part 2 (else parts 0 and 1).
pub const PROGRAM: u32 = 0x100;
/// Words of [`PROGRAM`].
pub const PROGRAM_WORDS: usize = 64;

/// Values of [`ERRCODE`].
pub const ERRORS: &[ErrorCode] = &[
    ErrorCode { code: 0, name: "NONE", remedy: "No error." },
    ErrorCode {
        code: 3,
        name: "NO_SEED",
        remedy: "No seed and run counter, or not all words of the seed. Write both.",
    },
    ErrorCode {
        code: 4,
        name: "COUNTER_REUSED",
        remedy: concat!(
            "The run counter is below the next unused one. Raise it, or write a new ",
            "seed."
        ),
    },
    ErrorCode {
        code: 5,
        name: "COUNTER_EXHAUSTED",
        remedy: "The run counter is 2^64 - 1. Write a new seed.",
    },
    ErrorCode {
        code: 6,
        name: "BUSY_REGISTER",
        remedy: "A register was written while busy. Wait for done, or reset.",
    },
    ErrorCode {
        code: 7,
        name: "BUSY_DATA",
        remedy: "The data window was used while busy. Wait for done, or reset.",
    },
    ErrorCode {
        code: 8,
        name: "BAD_COMMAND",
        remedy: concat!(
            "A command of unknown operation or form, or a level that the device or ",
            "the operation has not. The run ended before it."
        ),
    },
    ErrorCode {
        code: 9,
        name: "DATA_ADDRESS",
        remedy: "Outside the memories, or in the wrong direction. See the data window.",
    },
    ErrorCode {
        code: 11,
        name: "COUNT_RANGE",
        remedy: "Start with a count of 0 or above 64. Write COUNT.",
    },
    ErrorCode {
        code: 12,
        name: "OPTION_RANGE",
        remedy: concat!(
            "Start with log_p outside 1 to 8 or more units than there are, or a ",
            "command of more transforms than units in use (the run ended before it). ",
            "Write OPTIONS."
        ),
    },
    ErrorCode {
        code: 13,
        name: "WORD_RANGE",
        remedy: concat!(
            "A word of a polynomial is not below the modulus; 0 was written in its ",
            "place."
        ),
    },
    ErrorCode {
        code: 14,
        name: "TOO_MANY",
        remedy: concat!(
            "More than 16 encryptions in a run. The run ended before the first one ",
            "too many."
        ),
    },
];
