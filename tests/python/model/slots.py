"""Slots of Z_t[x]/(x^n + 1), t a prime that is 1 modulo 2n.

With psi the smallest primitive 2n-th root of unity modulo t, slot i of the first row is the value
at psi^(5^i), slot i of the second that at psi^(-5^i) (Smart and Vercauteren, eprint 2011/133).
"""

from __future__ import annotations

from model.ring import Poly


def root(n: int, t: int) -> int:
    """The smallest primitive 2n-th root of unity modulo t."""
    return next(x for x in range(2, t) if pow(x, n, t) == t - 1)


def points(n: int, t: int) -> list[int]:
    """Where a polynomial is evaluated for each slot."""
    psi = root(n, t)
    exponents = [pow(5, i, 2 * n) for i in range(n // 2)]
    return [pow(psi, e, t) for e in exponents] + [pow(psi, -e, t) for e in exponents]


def decode(poly: Poly, t: int) -> list[int]:
    """The values in the slots, by Horner's rule."""
    values = []
    for x in points(len(poly), t):
        value = 0
        for coefficient in reversed(poly):
            value = (value * x + coefficient) % t
        values.append(value)
    return values


def encode(values: list[int], n: int, t: int) -> Poly:
    """The polynomial with the given values in its first slots.

    The points are all primitive 2n-th roots of unity: the sum of x^i x^-j over them is n for i = j,
    and 0 otherwise.
    """
    at = points(n, t)
    full = [v % t for v in values] + [0] * (n - len(values))
    inverse = pow(n, -1, t)
    return [
        inverse * sum(v * pow(x, -j, t) for v, x in zip(full, at, strict=True)) % t
        for j in range(n)
    ]
