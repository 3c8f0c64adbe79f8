//! Registers of the Small BFV encryptor and decryptor. Writes while busy are refused, except to
//! STATUS, IRQ_STATUS, IRQ_ENABLE and CTRL, and to CONTROL with its reset bit set.
//!
//! Generated from `rtl/bfv_mini/regs.rdl` by `tools/rtl/regmap.py`.

use super::{ErrorCode, Field};

/// Device (read only). Which device this is.
pub const ID: u32 = 0x0;
/// What [`ID`] reads as.
pub const ID_VALUE: u32 = 0x43594302;

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

/// Control (read, write). The bits that the larger device has too are at its places. While busy
/// only a write with `reset` set passes, and all it does is to reset.
pub const CONTROL: u32 = 0x40;
/// `CONTROL[5]` (read, write): 0 encrypt, 1 decrypt.
pub const CONTROL_MODE: Field = Field { low: 5, width: 1 };
/// `CONTROL[6]` (read, write): A rising edge starts a run; write 0 before the next start.
pub const CONTROL_START: Field = Field { low: 6, width: 1 };
/// `CONTROL[7]` (pulse): Give up the run in progress, and `start` reads as 0. Memories and keys are
/// kept.
pub const CONTROL_RESET: Field = Field { low: 7, width: 1 };
/// `CONTROL[28]` (read only): The run has ended; cleared by start, reset and clear.
pub const CONTROL_DONE: Field = Field { low: 28, width: 1 };

/// Items (read, write). How many items the next run encrypts or decrypts.
pub const COUNT: u32 = 0x44;
/// `COUNT[6:0]` (read, write): 1 to 64.
pub const COUNT_COUNT: Field = Field { low: 0, width: 7 };

/// Small operands (read only). What u and the secret key may hold.
pub const OPERAND: u32 = 0x48;
/// `OPERAND[3:0]` (read only): 1: codes 00 (0) and 01 (1). 2: also 11 (-1).
pub const OPERAND_BITS: Field = Field { low: 0, width: 4 };

/// Keys (read only). Which keys may be used.
pub const KEYS: u32 = 0x4c;
/// `KEYS[0]` (read only): A public key is complete: encryption is possible.
pub const KEYS_PUBLIC_KEY: Field = Field { low: 0, width: 1 };
/// `KEYS[1]` (read only): A secret key is there: decryption is possible.
pub const KEYS_SECRET: Field = Field { low: 1, width: 1 };

/// Secret key (write only). n two-bit codes, s\[0\] in the lowest bits, the rest 0. Cannot be read.
/// A word with a code outside the alphabet is refused.
pub const SECRET: u32 = 0x80;

/// Public key (write only, 32 words). p0\[i\] is word i, p1\[i\] word 16 + i, 0 <= i < n. Cannot be
/// read. CTRL.key_loaded says that it is complete; any write here takes that back.
pub const PUBLIC_KEY: u32 = 0x100;
/// Words of [`PUBLIC_KEY`].
pub const PUBLIC_KEY_WORDS: usize = 32;

/// Values of [`ERRCODE`].
pub const ERRORS: &[ErrorCode] = &[
    ErrorCode { code: 0, name: "NONE", remedy: "No error." },
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
        name: "BAD_CODE",
        remedy: concat!(
            "A code outside the alphabet of OPERAND: in SECRET the write was refused; ",
            "in u it acted as 0. Codes are 00 and 01, with OPERAND.bits = 2 also 11."
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
        name: "MESSAGE_RANGE",
        remedy: concat!(
            "A message coefficient is not below t; it was taken modulo t. Encode ",
            "below t."
        ),
    },
    ErrorCode {
        code: 13,
        name: "NO_KEY",
        remedy: concat!(
            "No public key (encrypt) or secret (decrypt) since reset or clear. Write ",
            "PUBLIC_KEY and CTRL.key_loaded, or SECRET."
        ),
    },
];
