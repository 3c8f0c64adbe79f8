"""Registers of the Small BFV encryptor and decryptor. Writes while busy are refused, except to
STATUS, IRQ_STATUS, IRQ_ENABLE and CTRL, and to CONTROL with its reset bit set.

Generated from rtl/bfv_mini/regs.rdl by tools/rtl/regmap.py.
"""

from cyclotron.devices.registers.field import Field

# Device (read only). Which device this is.
ID = 0x0
ID_VALUE = 0x43594302

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

# Control (read, write). The bits that the larger device has too are at its places. While busy only
# a write with `reset` set passes, and all it does is to reset.
CONTROL = 0x40
# CONTROL[5] (read, write): 0 encrypt, 1 decrypt.
CONTROL_MODE = Field(5, 1)
# CONTROL[6] (read, write): A rising edge starts a run; write 0 before the next start.
CONTROL_START = Field(6, 1)
# CONTROL[7] (pulse): Give up the run in progress, and `start` reads as 0. Memories and keys are
# kept.
CONTROL_RESET = Field(7, 1)
# CONTROL[28] (read only): The run has ended; cleared by start, reset and clear.
CONTROL_DONE = Field(28, 1)

# Items (read, write). How many items the next run encrypts or decrypts.
COUNT = 0x44
# COUNT[6:0] (read, write): 1 to 64.
COUNT_COUNT = Field(0, 7)

# Small operands (read only). What u and the secret key may hold.
OPERAND = 0x48
# OPERAND[3:0] (read only): 1: codes 00 (0) and 01 (1). 2: also 11 (-1).
OPERAND_BITS = Field(0, 4)

# Keys (read only). Which keys may be used.
KEYS = 0x4C
# KEYS[0] (read only): A public key is complete: encryption is possible.
KEYS_PUBLIC_KEY = Field(0, 1)
# KEYS[1] (read only): A secret key is there: decryption is possible.
KEYS_SECRET = Field(1, 1)

# Secret key (write only). n two-bit codes, s[0] in the lowest bits, the rest 0. Cannot be read. A
# word with a code outside the alphabet is refused.
SECRET = 0x80

# Public key (write only, 32 words). p0[i] is word i, p1[i] word 16 + i, 0 <= i < n. Cannot be read.
# CTRL.key_loaded says that it is complete; any write here takes that back.
PUBLIC_KEY = 0x100
PUBLIC_KEY_WORDS = 32

# Values of ERRCODE: name and remedy.
ERRORS = {
    0: ("NONE", "No error."),
    6: ("BUSY_REGISTER", "A register was written while busy. Wait for done, or reset."),
    7: ("BUSY_DATA", "The data window was used while busy. Wait for done, or reset."),
    8: (
        "BAD_CODE",
        "A code outside the alphabet of OPERAND: in SECRET the write was refused; "
        "in u it acted as 0. Codes are 00 and 01, with OPERAND.bits = 2 also 11.",
    ),
    9: ("DATA_ADDRESS", "Outside the memories, or in the wrong direction. See the data window."),
    11: ("COUNT_RANGE", "Start with a count of 0 or above 64. Write COUNT."),
    12: (
        "MESSAGE_RANGE",
        "A message coefficient is not below t; it was taken modulo t. Encode below t.",
    ),
    13: (
        "NO_KEY",
        "No public key (encrypt) or secret (decrypt) since reset or clear. Write "
        "PUBLIC_KEY and CTRL.key_loaded, or SECRET.",
    ),
}
