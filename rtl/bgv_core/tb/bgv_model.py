"""BGV modulo a word by its definition (docs/bgv-word.md); the benches compare with it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import prod

from ntt_model import Transform

Polynomial = list[int]


def centred(value: int, q: int) -> int:
    """The representative in (-q/2, q/2); q odd."""
    value %= q
    return value - q if value > q // 2 else value


@dataclass(frozen=True)
class Bgv:
    """Sizes of one accelerator, and the run-time choices."""

    log_n: int
    factors: tuple[int, ...]
    psi: int
    digit_bits: int
    log_p: int
    signed_digits: bool = True
    ternary_noise: bool = True

    @property
    def n(self) -> int:
        return 1 << self.log_n

    @property
    def p(self) -> int:
        return 1 << self.log_p

    @property
    def top(self) -> int:
        return len(self.factors) - 1

    @property
    def q(self) -> int:
        return prod(self.factors)

    @property
    def digits(self) -> int:
        return -(-self.q.bit_length() // self.digit_bits)

    @property
    def ring(self) -> Transform:
        return Transform(self.log_n, self.q, self.psi)

    def modulus(self, level: int) -> int:
        return prod(self.factors[: level + 1])

    def reduce(self, a: Polynomial, level: int) -> Polynomial:
        return [v % self.modulus(level) for v in a]

    def multiply(self, a: Polynomial, b: Polynomial) -> Polynomial:
        ring = self.ring
        products = zip(ring.forward(a), ring.forward(b), strict=True)
        return ring.inverse([x * y % self.q for x, y in products])

    def add(self, *terms: Polynomial) -> Polynomial:
        return [sum(column) % self.q for column in zip(*terms, strict=True)]

    def keys(self, dice: random.Random) -> Keys:
        """A secret, its public key and the rows of its relinearisation key."""

        def small() -> Polynomial:
            return [dice.choice((-1, 0, 1)) for _ in range(self.n)]

        secret = small()

        def sample(message: Polynomial) -> tuple[Polynomial, Polynomial]:
            a = [dice.randrange(self.q) for _ in range(self.n)]
            e = small()
            masked = self.multiply(a, [v % self.q for v in secret])
            return [
                (m - x - self.p * y) % self.q for m, x, y in zip(message, masked, e, strict=True)
            ], a

        square = self.multiply([v % self.q for v in secret], [v % self.q for v in secret])
        rows = [
            sample([(v << (self.digit_bits * i)) % self.q for v in square])
            for i in range(self.digits)
        ]
        return Keys([v % self.q for v in secret], sample([0] * self.n), rows)

    def samples(self, words: list[int]) -> tuple[Polynomial, Polynomial, Polynomial]:
        """u, e1, e2 of a message from the 2n words of its stream (docs/device-randomness.md)."""

        def ternary(x: int, bits: int) -> int:
            return (0, 1, -1)[3 * x >> bits]

        def noise(word: int) -> int:
            if self.ternary_noise:
                return ternary(word & (1 << 42) - 1, 42)
            return (word & (1 << 21) - 1).bit_count() - (word >> 21 & (1 << 21) - 1).bit_count()

        e = [noise(word) for word in words]
        u = [
            ternary((words[2 * i] >> 42) | (words[2 * i + 1] >> 42) << 22, 44)
            for i in range(self.n)
        ]
        return u, e[: self.n], e[self.n :]

    def encrypt(self, keys: Keys, message: Polynomial, words: list[int]) -> list[Polynomial]:
        u, e1, e2 = self.samples(words)
        masks = [self.multiply(p, [v % self.q for v in u]) for p in keys.public]
        embedded = [m - self.p if m >= self.p // 2 else m for m in message]
        return [
            self.add(masks[0], [self.p * e for e in e1], embedded),
            self.add(masks[1], [self.p * e for e in e2]),
        ]

    def phase(self, keys: Keys, c: list[Polynomial], level: int) -> Polynomial:
        """c0 + c1 s, centred."""
        total = self.add(c[0], self.multiply(c[1], keys.secret))
        return [centred(v, self.modulus(level)) for v in total]

    def decrypt(self, keys: Keys, c: list[Polynomial], level: int) -> Polynomial:
        return [v % self.p for v in self.phase(keys, c, level)]

    def tensor(self, c: list[Polynomial], d: list[Polynomial], level: int) -> list[Polynomial]:
        mixed = self.add(self.multiply(c[0], d[1]), self.multiply(c[1], d[0]))
        parts = [self.multiply(c[0], d[0]), mixed, self.multiply(c[1], d[1])]
        return [self.reduce(part, level) for part in parts]

    def decompose(self, a: Polynomial, level: int) -> list[Polynomial]:
        """Digit polynomials, lowest first."""
        base = 1 << self.digit_bits
        found: list[Polynomial] = [[] for _ in range(self.digits)]
        for v in a:
            rest = centred(v, self.modulus(level)) if self.signed_digits else v
            for i in range(self.digits - 1):
                digit = rest % base
                if self.signed_digits and digit >= base // 2:
                    digit -= base
                rest = (rest - digit) // base
                found[i].append(digit)
            found[-1].append(rest)
        return found

    def key_switch(self, keys: Keys, c: list[Polynomial], level: int) -> list[Polynomial]:
        out = [c[0], c[1]]
        for digit, row in zip(self.decompose(c[2], level), keys.rows, strict=True):
            residues = [v % self.q for v in digit]
            out = [self.add(o, self.multiply(residues, r)) for o, r in zip(out, row, strict=True)]
        return [self.reduce(part, level) for part in out]

    def mod_switch(self, c: list[Polynomial], level: int) -> list[Polynomial]:
        q, p, below = self.factors[level], self.p, self.modulus(level - 1)

        def down(v: int) -> int:
            rest = centred(v, q)
            k = -rest % p
            k -= p if k > p // 2 else 0
            return ((v - rest) // q - k) % below

        return [[down(v) for v in part] for part in c]


@dataclass(frozen=True)
class Keys:
    """Coefficient order, residues modulo Q."""

    secret: Polynomial
    public: tuple[Polynomial, Polynomial]
    rows: list[tuple[Polynomial, Polynomial]]
