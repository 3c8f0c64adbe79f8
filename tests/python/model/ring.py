"""Polynomials of Z[x]/(x^n + 1): lists of n Python integers, the constant term first."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

Poly = list[int]


def centred(value: int, modulus: int) -> int:
    """The representative in [-modulus/2, modulus/2)."""
    return (value + modulus // 2) % modulus - modulus // 2


def divide_round(numerator: int, denominator: int) -> int:
    """The integer nearest to the quotient, exactly; halves go up."""
    return (2 * numerator + denominator) // (2 * denominator)


def add(a: Poly, b: Poly) -> Poly:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Poly, b: Poly) -> Poly:
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(a: Poly, factor: int) -> Poly:
    return [x * factor for x in a]


def mod(a: Poly, modulus: int) -> Poly:
    """Coefficients in [0, modulus)."""
    return [x % modulus for x in a]


def centre(a: Poly, modulus: int) -> Poly:
    """Coefficients in [-modulus/2, modulus/2)."""
    return [centred(x, modulus) for x in a]


def mul(a: Poly, b: Poly) -> Poly:
    """The schoolbook product: x^n = -1."""
    n = len(a)
    out = [0] * n
    for i, x in enumerate(a):
        if x == 0:
            continue
        for j, y in enumerate(b):
            if i + j < n:
                out[i + j] += x * y
            else:
                out[i + j - n] -= x * y
    return out


def automorphism(a: Poly, element: int) -> Poly:
    """a(x^element), for an odd element."""
    n = len(a)
    out = [0] * n
    for i, x in enumerate(a):
        power = i * element % (2 * n)
        if power < n:
            out[power] += x
        else:
            out[power - n] -= x
    return out


def largest(a: Poly) -> int:
    """The largest absolute value of a coefficient."""
    return max(abs(x) for x in a)


def crt(residues: Sequence[Poly], moduli: Sequence[int]) -> Poly:
    """The polynomial modulo the product of the moduli with the given residues."""
    product = prod(moduli)
    units = []
    for q in moduli:
        others = product // q
        units.append(others * pow(others, -1, q))
    return [
        sum(r * unit for r, unit in zip(column, units, strict=True)) % product
        for column in zip(*residues, strict=True)
    ]


def is_prime(q: int) -> bool:
    """By trial division: for the small primes of tests."""
    return q > 1 and all(q % d for d in range(2, int(q**0.5) + 1))


def primes_below(bound: int, step: int, count: int) -> list[int]:
    """The largest primes below `bound` that are 1 modulo `step`."""
    found: list[int] = []
    q = (bound - 2) // step * step + 1
    while len(found) < count:
        if is_prime(q):
            found.append(q)
        q -= step
    return found
