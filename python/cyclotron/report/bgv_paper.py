"""Figures of "complete leveled BGV accelerator" (S-BGV), section V, as printed there.

``n = 128``, ``Q = 257^3`` in words of 27 bits, ``p = 32``, 150 MHz on a Virtex UltraScale. The
design has eleven polynomial multipliers of three transforms each; its 527,493 LUTs are without
ModSwitch.
"""

from __future__ import annotations

from typing import NamedTuple

DEGREE = 128
BITS = 27
MHZ = 150.0


class Area(NamedTuple):
    """Resources; LUT, registers, BRAM of 36 Kbit, DSP."""

    lut: float
    ff: float
    bram: float
    dsp: float


#: Table 2: cycles of passes over the coefficients, before and after the paper's changes, and here
#: for one butterfly; ``L = log2 n``.
TABLE_2 = (
    ("multiply by psi^i", "n", "n", "0: in the roots"),
    ("NTT, stages 0 to L - 2", "n (L - 1)", "n (L - 1)", "n/2 (L - 1)"),
    ("NTT, stage L - 1", "n", "with the products", "n/2"),
    ("products", "n", "n", "0: on the way"),
    ("INTT, stages 0 to L - 2", "n (L - 1)", "n (L - 1)", "n/2 (L - 1)"),
    ("INTT, stage L - 1", "n", "with psi^-i n^-1", "n/2"),
    ("multiply by psi^-i", "n", "n", "0: in the roots"),
    ("multiply by n^-1", "n", "with psi^-i", "0: halved stage by stage"),
)

#: Table 3, by module.
TABLE_3 = {
    "NTT": Area(14204, 3756, 2, 2),
    "Multiplier": Area(43731, 11256, 2, 15),
    "reduction after addition": Area(108, 0, 0, 0),
    "reduction after multiplication": Area(338, 0, 0, 0),
    "Encryption": Area(95854, 22604, 5.5, 30),
    "Decryption": Area(47793, 11213, 2, 15),
    "HomMult (HomAdd)": Area(190529, 44974, 8, 60),
    "KeySwitch": Area(190539, 44975, 8, 60),
    "ModSwitch": Area(1191, 630, 0, 2),
    "complete design, without ModSwitch": Area(527493, 133813, 23.5, 165),
}

#: Table 4: cycles of one operation alone, and between two with full pipelines, for which the table
#: has microseconds (6.84) and the text cycles (1,025).
TABLE_4 = {
    "transform": (1153, None),
    "multiplier": (2180, 1025),
    "encrypt": (2182, 1025),
    "decrypt": (2181, 1025),
    "add": (128, 128),
    "multiply": (2181, 1025),
    "key-switch": (2181, 1025),
    "mod-switch": (315, 315),
    "add-chain": (4235, 1025),
    "multiply-chain": (8341, 1025),
}

#: Table 5: reduction, bits in and of q, LUT, registers, DSP, cycles.
TABLE_5 = (
    ("Barrett [37]", 64, 31, 3176, 4729, 8, "108"),
    ("Fermat [37]", 64, 31, 15956, 41363, 345, "119"),
    ("modulus [37]", 64, 31, 5701, 6226, 16, "83"),
    ("Barrett [43]", 54, 27, 872, 0, 6, "-"),
    ("S-BGV, by tables", 54, 27, 338, 0, 0, "-"),
)

#: Table 6: multiplier, device, n, bits, LUT, DSP, MHz, microseconds.
TABLE_6 = (
    ("Pease [37]", "Stratix V", 32768, 192, 187664, 3270, 180, 23518.0),
    ("Cooley-Tukey [37]", "Stratix V", 32768, 64, 145381, 1494, 100, 2029.0),
    ("Strassen [44]", "Zynq UltraScale", 1024, 31, 5277, 112, 250, 459.0),
    ("NTT [45]", "Zynq-7000", 128, 14, 66251, 26, 100, 23.04),
    ("Karatsuba [46]", "Virtex-7", 512, 32, 323698, 3072, 234, 5.19),
    ("S-BGV", "Virtex UltraScale", 128, 27, 43731, 15, 150, 6.84),
)

#: Table 7: design, device, n, bits of q, LUT, microseconds of HomAdd, HomMult, Enc, Dec.
TABLE_7 = (
    ("BGV, software [37]", "Core i7", 32768, 1088, None, None, None, 669687.0, 324449.0),
    ("BGV, Pease [37]", "Stratix V", 32768, 1088, None, None, None, 327145.0, 153178.0),
    ("BGV, Cooley-Tukey [37]", "Stratix V", 32768, 1088, None, None, None, 166291.0, 72751.0),
    ("FV [31]", "Virtex-6", 32768, 1228, 72613, 5.0e4, 26.67e6, None, None),
    ("S-BGV", "Virtex UltraScale", 128, 27, 527493, 0.85, 6.84, 6.84, 6.84),
)


def megabits(degree: int, bits: int, microseconds: float) -> float:
    """The paper's throughput: ``n`` times the bits of a coefficient over the time, in Mbit/s."""
    return degree * bits / microseconds
