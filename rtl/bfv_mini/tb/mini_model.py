"""Integer model of the small BFV device, written from its equations and nothing of the RTL.

Polynomials are lists of Python integers, lowest degree first. Small operands are signed integers;
`codes` turns them into the two-bit codes of the bus.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

Q = 1 << 32
NOISE = range(-64, 64)
MAX_ITEMS = 64
CODE = {0: 0b00, 1: 0b01, -1: 0b11}

Polynomial = Sequence[int]


def core_latency(n: int) -> int:
    """Cycles from operands to results: one for the addends, n for the array, one to reduce."""
    return n + 2


def device_cycles(n: int, count: int) -> int:
    """Cycles of a run of the device, from the start command to done."""
    return n * count + core_latency(n) + n + 3


def value(code: int) -> int:
    """What a two-bit code stands for; 10 acts as zero."""
    return {0b00: 0, 0b01: 1, 0b10: 0, 0b11: -1}[code]


def product(a: Polynomial, b: Polynomial) -> list[int]:
    """The 2n - 1 coefficients of a b over the integers."""
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def negacyclic(a: Polynomial, b: Polynomial) -> list[int]:
    """a b modulo x^n + 1, over the integers."""
    n = len(a)
    full = [*product(a, b), 0]
    return [full[i] - full[n + i] for i in range(n)]


def pack(values: Sequence[int], width: int) -> int:
    """One bus value of fields of `width` bits, the first one lowest."""
    word = 0
    for index, one in enumerate(values):
        word |= (one % (1 << width)) << (width * index)
    return word


def unpack(word: int, width: int, count: int) -> list[int]:
    return [word >> (width * index) & ((1 << width) - 1) for index in range(count)]


@dataclass(frozen=True)
class Encryption:
    """What one encryption takes, beside the public key."""

    message: list[int]
    u: list[int]
    e1: list[int]
    e2: list[int]

    def words(self) -> list[int]:
        """The input words of the device."""
        fields = zip(self.message, self.u, self.e1, self.e2, strict=True)
        return [m | CODE[u] << 16 | e1 % 128 << 18 | e2 % 128 << 25 for m, u, e1, e2 in fields]


@dataclass(frozen=True)
class Scheme:
    """BFV with q = 2^32, t = 2^log_t, in degree n; `bits` is 1 (binary) or 2 (ternary)."""

    n: int
    log_t: int
    bits: int

    @property
    def alphabet(self) -> list[int]:
        return [0, 1] if self.bits == 1 else [0, 1, -1]

    @property
    def delta(self) -> int:
        return Q >> self.log_t

    def encrypt(
        self, p0: Polynomial, p1: Polynomial, item: Encryption
    ) -> tuple[list[int], list[int]]:
        x0, x1 = negacyclic(p0, item.u), negacyclic(p1, item.u)
        terms = zip(x0, item.e1, item.message, strict=True)
        c0 = [(x + e + self.delta * m) % Q for x, e, m in terms]
        c1 = [(x + e) % Q for x, e in zip(x1, item.e2, strict=True)]
        return c0, c1

    def decrypt(self, c0: Polynomial, c1: Polynomial, s: Polynomial) -> list[int]:
        x = negacyclic(c1, s)
        t = 1 << self.log_t
        # Exact: half up of the representative in [0, q).
        return [(2 * ((a + b) % Q) * t + Q) // (2 * Q) % t for a, b in zip(c0, x, strict=True)]

    def random_small(self, source: random.Random) -> list[int]:
        return [source.choice(self.alphabet) for _ in range(self.n)]

    def random_item(self, source: random.Random, noise: int = 21) -> Encryption:
        message = [source.randrange(1 << self.log_t) for _ in range(self.n)]
        e1, e2 = ([source.randint(-noise, noise) for _ in range(self.n)] for _ in range(2))
        return Encryption(message, self.random_small(source), e1, e2)

    def keys(self, source: random.Random) -> tuple[list[int], list[int], list[int]]:
        """A true key pair: p0 = -(p1 s + e), p1, s."""
        s = self.random_small(source)
        p1 = [source.randrange(Q) for _ in range(self.n)]
        x = negacyclic(p1, s)
        p0 = [-(a + source.randint(-3, 3)) % Q for a in x]
        return p0, p1, s

    def extremes(self) -> list[Encryption]:
        """Boundary items: all fields at each end of their ranges."""
        top = (1 << self.log_t) - 1
        found = []
        for m in (0, 1, top >> 1, (top >> 1) + 1, top):
            for u in self.alphabet:
                for e in (NOISE[0], -1, 0, 1, NOISE[-1]):
                    parts = ([m] * self.n, [u] * self.n, [e] * self.n, [-e - 1] * self.n)
                    found.append(Encryption(*parts))
        return found
