"""Registers of the Leveled BGV accelerator. Writes while busy are refused, except to STATUS,
IRQ_STATUS, IRQ_ENABLE and CTRL, and to CONTROL with its reset bit set.

Generated from rtl/bgv_core/regs.rdl by tools/rtl/regmap.py.
"""

from cyclotron.devices.registers.field import Field

# Device (read only). Which device this is.
ID = 0x0
ID_VALUE = 0x43594303

# Version of the register map (read only). A driver refuses another major version.
VERSION = 0x4
VERSION_VALUE = 0x00010000
# VERSION[15:0] (read only): Raised by changes that old drivers do not see.
VERSION_MINOR = Field(0, 16)
# VERSION[31:16] (read only): Raised by changes that break drivers.
VERSION_MAJOR = Field(16, 16)

# Sizes (read only). What the device was built for.
CONFIG0 = 0x8
# CONFIG0[7:0] (read only): log2 of the ring degree n.
CONFIG0_LOG_N = Field(0, 8)
# CONFIG0[15:8] (read only): log2 of the ciphertext modulus q.
CONFIG0_LOG_Q = Field(8, 8)
# CONFIG0[23:16] (read only): log2 of the plaintext modulus t.
CONFIG0_LOG_T = Field(16, 8)
# CONFIG0[31:24] (read only): Polynomials (or items) each memory holds.
CONFIG0_MAX_POLYS = Field(24, 8)

# Build (read only). How the device computes.
CONFIG1 = 0xC
# CONFIG1[15:0] (read only): Processing elements.
CONFIG1_UNITS = Field(0, 16)
# CONFIG1[16] (read only): The published schedule is there.
CONFIG1_PAPER = Field(16, 1)
# CONFIG1[17] (read only): The overlapped schedule is there.
CONFIG1_OVERLAP = Field(17, 1)

# Abilities (read only). What the device can do beside its operation.
CAPS = 0x10
# CAPS[0] (read only): It samples its own secret randomness from a seed.
CAPS_RANDOMNESS = Field(0, 1)
# CAPS[1] (read only): It has a noise generator of 20 bits, insecure.
CAPS_LFSR = Field(1, 1)
# CAPS[2] (read only): `CTRL.clear` wipes all memories.
CAPS_WIPE = Field(2, 1)
# CAPS[15:8] (read only): Bits of a byte address of the data window.
CAPS_DATA_ADDRESS_BITS = Field(8, 8)
# CAPS[19:16] (read only): Bits of the region number at the top of that address.
CAPS_REGION_BITS = Field(16, 4)

# Commands (write only). Each bit is a pulse and reads as 0. Allowed while busy.
CTRL = 0x14
# CTRL[0] (pulse): Wipe keys, randomness and all memories; STATUS.busy until done.
CTRL_CLEAR = Field(0, 1)
# CTRL[1] (pulse): The key is complete: the first product may be prepared.
CTRL_KEY_LOADED = Field(1, 1)

# State (read, write). `done` and `error` stay until 1 is written to them; a start clears `done`.
STATUS = 0x18
# STATUS[0] (read only): A run or a wipe is in progress.
STATUS_BUSY = Field(0, 1)
# STATUS[1] (write 1 clears): A run has ended with all its results in the output memory.
STATUS_DONE = Field(1, 1)
# STATUS[2] (write 1 clears): A command was refused; ERRCODE says why.
STATUS_ERROR = Field(2, 1)
# STATUS[3] (read only): The first product is ready to emerge.
STATUS_PRIMED = Field(3, 1)
# STATUS[4] (read only): Seed and run counter are valid and unused.
STATUS_ARMED = Field(4, 1)

# First error (read only). Code of the first error since STATUS.error was cleared; 0: none.
ERRCODE = 0x1C
# ERRCODE[3:0] (read only): See the error codes of the device.
ERRCODE_CODE = Field(0, 4)

# Cycles of the last run, low word (read only). Clock cycles from the start command to done.
CYCLES_LO = 0x20

# Cycles of the last run, high word (read only). Holds still while no run is in progress.
CYCLES_HI = 0x24

# Interrupt causes (read, write). Stay until 1 is written to them.
IRQ_STATUS = 0x28
# IRQ_STATUS[0] (write 1 clears): A run has ended.
IRQ_STATUS_DONE = Field(0, 1)
# IRQ_STATUS[1] (write 1 clears): A command was refused.
IRQ_STATUS_ERROR = Field(1, 1)

# Interrupt enables (read, write). `irq_o` is high while a cause and its enable are 1.
IRQ_ENABLE = 0x2C
# IRQ_ENABLE[0] (read, write): For IRQ_STATUS.done.
IRQ_ENABLE_DONE = Field(0, 1)
# IRQ_ENABLE[1] (read, write): For IRQ_STATUS.error.
IRQ_ENABLE_ERROR = Field(1, 1)

# Byte order (read only). Reads 0x01010101 whatever the byte order: a bus that drops byte lanes
# shows here.
SENTINEL = 0x30
SENTINEL_VALUE = 0x01010101

# Control (read, write). The bits that the other devices have too are at their places. While busy
# only a write with `reset` set passes, and all it does is to reset.
CONTROL = 0x40
# CONTROL[6] (read, write): A rising edge runs the program; write 0 before the next start.
CONTROL_START = Field(6, 1)
# CONTROL[7] (pulse): Give up the run in progress, and `start` reads as 0. Memories and keys are
# kept, but for buffers that were being written.
CONTROL_RESET = Field(7, 1)
# CONTROL[28] (read only): The run has ended; cleared by start, reset and clear.
CONTROL_DONE = Field(28, 1)

# Commands (read, write). How many commands of the program the next run executes.
COUNT = 0x44
# COUNT[6:0] (read, write): 1 to 64.
COUNT_COUNT = Field(0, 7)

# Options of a run (read, write). What may differ from run to run.
OPTIONS = 0x48
# OPTIONS[3:0] (read, write): log2 of the plaintext modulus, 1 to 8.
OPTIONS_LOG_P = Field(0, 4)
# OPTIONS[4] (read, write): Key switching digits are signed.
OPTIONS_SIGNED_DIGITS = Field(4, 1)
# OPTIONS[5] (read, write): Noise of encryptions: 0 centred binomial, 1 uniform in {-1, 0, 1} as in
# the paper.
OPTIONS_TERNARY_NOISE = Field(5, 1)
# OPTIONS[15:8] (read, write): Transform units in use; 0 means all.
OPTIONS_RING = Field(8, 8)

# Levels and digits (read only). What the device was built for.
LEVELS = 0x4C
# LEVELS[3:0] (read only): Levels of ciphertexts.
LEVELS_LEVELS = Field(0, 4)
# LEVELS[7:4] (read only): Digits of a key switch.
LEVELS_DIGITS = Field(4, 4)
# LEVELS[12:8] (read only): log2 of the digit base.
LEVELS_DIGIT_BITS = Field(8, 5)
# LEVELS[19:16] (read only): log2 of the number of butterflies of a transform unit.
LEVELS_LOG_B = Field(16, 4)
# LEVELS[23:20] (read only): log2 of the number of ciphertext buffers.
LEVELS_LOG_BUFFERS = Field(20, 4)
# LEVELS[27:24] (read only): log2 of the number of polynomials in a set of keys.
LEVELS_LOG_LANES = Field(24, 4)

# Factor of the modulus (read only, 3 words). Q_l is the product of the first l + 1 factors; 1: no
# such level.
FACTOR = 0x50
FACTOR_WORDS = 3

# Root of unity (read only). Psi with Psi^n = -1 modulo all factors together, of which evaluations
# are made.
PSI = 0x5C

# Run counter, low word (write only). Cannot be read.
RUN_COUNTER_LO = 0x60

# Run counter, high word (write only). Cannot be read. Writing it commits seed and run counter
# together.
RUN_COUNTER_HI = 0x64

# Seed (write only, 8 words). 256 bits, little end first. Cannot be read. All eight words must be
# written before the first run counter.
SEED = 0x80
SEED_WORDS = 8

# Program (write only, 64 words). Commands, run in order: bits 3..0 operation (1 encrypt, 2 decrypt,
# 3 add, 4 multiply, 5 key switch, 6 mod switch, 7 convert), 7..4 result, 11..8 and 15..12 operands,
# 19..16 level, 20 and 21 the operands are kept as evaluations, 22 the result is, 23 convert part 2
# (else parts 0 and 1).
PROGRAM = 0x100
PROGRAM_WORDS = 64

# Values of ERRCODE: name and remedy.
ERRORS = {
    0: ("NONE", "No error."),
    3: ("NO_SEED", "No seed and run counter, or not all words of the seed. Write both."),
    4: (
        "COUNTER_REUSED",
        "The run counter is below the next unused one. Raise it, or write a new seed.",
    ),
    5: ("COUNTER_EXHAUSTED", "The run counter is 2^64 - 1. Write a new seed."),
    6: ("BUSY_REGISTER", "A register was written while busy. Wait for done, or reset."),
    7: ("BUSY_DATA", "The data window was used while busy. Wait for done, or reset."),
    8: (
        "BAD_COMMAND",
        "A command of unknown operation or form, or a level that the device or "
        "the operation has not. The run ended before it.",
    ),
    9: ("DATA_ADDRESS", "Outside the memories, or in the wrong direction. See the data window."),
    11: ("COUNT_RANGE", "Start with a count of 0 or above 64. Write COUNT."),
    12: (
        "OPTION_RANGE",
        "Start with log_p outside 1 to 8 or more units than there are, or a "
        "command of more transforms than units in use (the run ended before it). "
        "Write OPTIONS.",
    ),
    13: (
        "WORD_RANGE",
        "A word of a polynomial is not below the modulus; 0 was written in its place.",
    ),
    14: (
        "TOO_MANY",
        "More than 16 encryptions in a run. The run ended before the first one too many.",
    ),
}
