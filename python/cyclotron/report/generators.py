"""The noise generators of the devices, many samples at once, in numpy.

The default (``docs/device-randomness.md``) and the S-BFV paper's (``rtl/random/README.md``); held
against ``tests/vectors`` by ``tests/python/test_generators.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int64]


@dataclass(frozen=True)
class LfsrGenerator:
    """A generator of the paper: a register with the connection polynomial 1 + x^a + x^width."""

    name: str
    width: int
    a: int
    rotations: tuple[int, int, int, int]
    split: bool

    @property
    def sample_bits(self) -> int:
        """Bits of the mean of the samples."""
        return self.width // 2 if self.split else self.width

    def states(self, first: int, count: int) -> NDArray[np.uint64]:
        """The states from ``first`` on; bit i of a state is the paper's stage s_i."""
        bits = np.zeros(count + self.width, dtype=np.uint8)
        bits[: self.width] = [first >> i & 1 for i in range(self.width)]
        done = self.width
        while done < len(bits):
            # s_j = s_{j-a} + s_{j-width}, and for the 2^k-th power of the polynomial with both
            # distances 2^k times as long: longer and longer pieces.
            stretch = 1
            while 2 * stretch * self.width <= done:
                stretch *= 2
            step = min(self.a * stretch, len(bits) - done)
            near, far = done - self.a * stretch, done - self.width * stretch
            bits[done : done + step] = bits[near : near + step] ^ bits[far : far + step]
            done += step
        states = np.zeros(count, dtype=np.uint64)
        for i in range(self.width):
            states |= bits[i : i + count].astype(np.uint64) << np.uint64(i)
        return states

    def means(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The mean of the rotated samples of each state, in [0, 2^sample_bits)."""
        one, mask = np.uint64(1), np.uint64((1 << self.width) - 1)
        half = np.uint64(self.width // 2)
        level = []
        for k in self.rotations:
            rotated = (states >> np.uint64(k) | states << np.uint64(self.width - k)) & mask
            if self.split:
                rotated = ((rotated >> half) + (rotated & ((one << half) - one))) >> one
            level.append(rotated)
        while len(level) > 1:
            level = [(level[i] + level[i + 1]) >> one for i in range(0, len(level), 2)]
        return level[0]

    def samples(self, states: NDArray[np.uint64]) -> Samples:
        """The output for each state, in [-16, 16]."""
        shift = self.sample_bits - 5
        rounding = np.uint64((1 << (shift - 1)) + 1)
        return ((self.means(states) + rounding) >> np.uint64(shift)).astype(np.int64) - 16


SPLIT_20 = LfsrGenerator("paper, 20 bits", 20, 17, (0, 2, 5, 7), split=True)
SPLIT_60 = LfsrGenerator("paper, 60 bits", 60, 59, (0, 7, 15, 22), split=True)
ROTATION_11 = LfsrGenerator("rotation only, 11 bits", 11, 9, (0, 3, 6, 9), split=False)
ROTATION_20 = LfsrGenerator("rotation only, 20 bits", 20, 17, (0, 5, 10, 15), split=False)


def chacha20_words(seed: bytes, run: int, k: int, count: int) -> NDArray[np.uint64]:
    """The first ``count`` words of plaintext ``k``'s stream: ChaCha20 (RFC 8439)."""
    blocks = -(-count // 8)
    first = np.empty((16, blocks), dtype=np.uint32)
    first[0:4] = np.frombuffer(b"expand 32-byte k", dtype="<u4")[:, None]
    first[4:12] = np.frombuffer(seed, dtype="<u4")[:, None]
    first[12] = np.arange(blocks)
    first[13:16] = np.array([[k], [run & 0xFFFFFFFF], [run >> 32]], dtype=np.uint32)
    state = first.copy()

    def mix(target: int, source: int, other: int, rotation: int) -> None:
        state[source] += state[other]
        mixed = state[target] ^ state[source]
        state[target] = mixed << np.uint32(rotation) | mixed >> np.uint32(32 - rotation)

    for half in range(20):
        for i in range(4):
            turn = half % 2  # columns, then diagonals
            a, b, c, d = (4 * row + (i + turn * row) % 4 for row in range(4))
            mix(d, a, b, 16)
            mix(b, c, d, 12)
            mix(d, a, b, 8)
            mix(b, c, d, 7)
    words = np.ascontiguousarray((state + first).T).astype("<u4").view("<u8")
    return words.reshape(-1)[:count].astype(np.uint64)


def binomial_noise(seed: bytes, run: int, k: int, n: int) -> Samples:
    """e1 and then e2 of plaintext ``k``, 2n samples: the default noise, in [-21, 21]."""
    words = chacha20_words(seed, run, k, 2 * n)
    counted = np.uint64((1 << 21) - 1)
    plus = np.bitwise_count(words & counted)
    minus = np.bitwise_count(words >> np.uint64(21) & counted)
    noise: Samples = np.subtract(plus, minus, dtype=np.int64)
    return noise
