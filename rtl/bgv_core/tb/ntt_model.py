"""Negacyclic transforms modulo a word by their definition, and the sizes the benches use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


def bit_reversed(value: int, bits: int) -> int:
    """The lowest `bits` bits of `value` in the opposite order."""
    return int(format(value, f"0{bits}b")[::-1], 2)


def root_of_two_power(order: int, q: int) -> int:
    """An element of exact order `order` (a power of two) with psi^(order/2) = -1, the least found.

    `q` is a prime, or a power of 257; a composite's units are tried in the same way.
    """
    exponent = 256 * (q // 257) if q % 257 == 0 else q - 1
    for base in range(2, 1000):
        psi = pow(base, exponent // order, q)
        if pow(psi, order // 2, q) == q - 1:
            return psi
    raise ValueError(f"no element of order {order} modulo {q}")


def largest_prime(log_n: int, bits: int) -> int:
    """The largest prime of `bits` bits that is 1 modulo 2n; 0 where there is none."""
    step = 2 << log_n
    q = ((1 << bits) - 1) // step * step + 1
    if q.bit_length() > bits:
        q -= step
    while q.bit_length() == bits and not all(q % d for d in range(2, int(q**0.5) + 1)):
        q -= step
    return q if q.bit_length() == bits else 0


@dataclass(frozen=True)
class Transform:
    """x^n + 1 modulo q, with psi^n = -1; evaluations in bit-reversed order."""

    log_n: int
    q: int
    psi: int

    @cached_property
    def n(self) -> int:
        return 1 << self.log_n

    @cached_property
    def powers(self) -> list[int]:
        """psi^0 .. psi^(2n-1)."""
        found = [1]
        for _ in range(2 * self.n - 1):
            found.append(found[-1] * self.psi % self.q)
        return found

    def evaluate(self, values: list[int]) -> list[int]:
        """By the definition: n^2 products."""
        n, powers = self.n, self.powers
        exponents = [2 * bit_reversed(j, self.log_n) + 1 for j in range(n)]
        return [
            sum(v * powers[i * e % (2 * n)] for i, v in enumerate(values)) % self.q
            for e in exponents
        ]

    def forward(self, values: list[int]) -> list[int]:
        """The same by n/2 log2 n butterflies."""
        a, q = list(values), self.q
        length, k = self.n // 2, 1
        while length:
            for start in range(0, self.n, 2 * length):
                w = self.powers[bit_reversed(k, self.log_n)]
                k += 1
                for i in range(start, start + length):
                    t = w * a[i + length]
                    a[i], a[i + length] = (a[i] + t) % q, (a[i] - t) % q
            length //= 2
        return a

    def inverse(self, values: list[int]) -> list[int]:
        a, q = list(values), self.q
        length = 1
        while length < self.n:
            k = self.n // (2 * length)
            for start in range(0, self.n, 2 * length):
                w = self.powers[2 * self.n - bit_reversed(k, self.log_n)]
                k += 1
                for i in range(start, start + length):
                    x, y = a[i], a[i + length]
                    a[i], a[i + length] = (x + y) % q, (x - y) * w % q
            length *= 2
        scale = pow(self.n, -1, q)
        return [v * scale % q for v in a]

    def product(self, left: list[int], right: list[int]) -> list[int]:
        """Schoolbook, modulo x^n + 1."""
        n = self.n
        found = [0] * n
        for i, a in enumerate(left):
            for j, b in enumerate(right):
                if i + j < n:
                    found[i + j] += a * b
                else:
                    found[i + j - n] -= a * b
        return [v % self.q for v in found]
