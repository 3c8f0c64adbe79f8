"""What the device must compute, from the equations of the S-BFV paper and nothing of the RTL.

Polynomials are numpy arrays of uint64 below 2^32, lowest degree first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from model import device_randomness, lfsr_noise

Poly = npt.NDArray[np.uint64]

Q = 1 << 32
T = 1 << 8
DELTA = Q // T
MASK = np.uint64(Q - 1)
CODES = {0: 0b00, 1: 0b01, -1: 0b11}
VALUES = {0b00: 0, 0b01: 1, 0b10: 0, 0b11: -1}


def poly(values: list[int] | npt.NDArray[np.int64]) -> Poly:
    """Integers, negative ones as well, modulo 2^32."""
    return np.array(values, dtype=np.int64).astype(np.uint64) & MASK


def unreduced(a: Poly, small: list[int]) -> Poly:
    """a times a ternary polynomial, 2n coefficients (the last is 0)."""
    n = len(a)
    found = np.zeros(2 * n, dtype=np.uint64)
    for j, factor in enumerate(small):
        if factor == 1:
            found[j : j + n] += a
        elif factor == -1:
            found[j : j + n] -= a
    return found & MASK


def product(a: Poly, small: list[int]) -> Poly:
    """a times a ternary polynomial modulo x^n + 1."""
    full, n = unreduced(a, small), len(a)
    return (full[:n] - full[n:]) & MASK


def round_to_t(c: Poly) -> Poly:
    """floor(c / 2^24 + 1/2) mod 2^8."""
    return (c + np.uint64(DELTA // 2)) // np.uint64(DELTA) % np.uint64(T)


def scaled(message: npt.NDArray[np.int64] | list[int]) -> Poly:
    """Delta m."""
    return poly(message) * np.uint64(DELTA) & MASK


def encrypt(key: tuple[Poly, Poly], message: Poly, seed: bytes, run: int, k: int) -> list[Poly]:
    """(c0, c1) of plaintext k of a run; `message` is scaled already."""
    drawn = device_randomness.plaintext(seed, run, k, len(message))
    c0 = product(key[0], drawn["u"]) + poly(drawn["e1"]) + message
    c1 = product(key[1], drawn["u"]) + poly(drawn["e2"])
    return [c0 & MASK, c1 & MASK]


def lfsr_samples(state: int) -> Iterator[int]:
    """Noise of the paper's mode, in the order of the results."""
    return (value for _, value in lfsr_noise.run(lfsr_noise.GENERATORS["split20"], state))


def encrypt_paper(
    key: tuple[Poly, Poly], addends: list[Poly], u: list[int], state: int
) -> list[Poly]:
    """Paper mode: results p0 u + e + addend 0, p1 u + e + addend 1, p0 u + ... one u for all."""
    noise = lfsr_samples(state)
    products = [product(part, u) for part in key]
    return [
        (products[i % 2] + poly(list(islice(noise, len(u)))) + addend) & MASK
        for i, addend in enumerate(addends)
    ]


def decrypt(c0: Poly, c1: Poly, s: list[int]) -> Poly:
    return round_to_t((c0 + product(c1, s)) & MASK)


def code_words(small: list[int]) -> list[int]:
    """Words of the multiplier window: 16 codes each, lowest degree in the lowest bits."""
    return [
        sum(CODES[value] << (2 * i) for i, value in enumerate(small[first : first + 16]))
        for first in range(0, len(small), 16)
    ]
