"""The BGV device, from docs/bgv-word.md alone: whole integers and the schoolbook product."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from model import device_randomness, ring
from model.ring import Poly

TERNARY_BITS = 42


def centred(value: int, modulus: int) -> int:
    """The representative nearest to zero, for an odd modulus."""
    value %= modulus
    return value - modulus if 2 * value > modulus else value


@dataclass(frozen=True)
class Parameters:
    n: int
    factors: tuple[int, ...]
    log_p: int
    digit_bits: int
    error: str

    @property
    def p(self) -> int:
        return 1 << self.log_p

    @property
    def top(self) -> int:
        return len(self.factors) - 1

    def modulus(self, level: int) -> int:
        return prod(self.factors[: level + 1])

    @property
    def digits(self) -> int:
        return -(-self.modulus(self.top).bit_length() // self.digit_bits)


def errors(words: list[int], kind: str) -> Poly:
    """One sample of every word."""
    if kind == "binomial":
        return [device_randomness.noise(word) for word in words]
    return [(0, 1, -1)[3 * (word % 2**TERNARY_BITS) // 2**TERNARY_BITS] for word in words]


def samples(parameters: Parameters, seed: bytes, run: int, k: int) -> dict[str, Poly]:
    """`u`, `e1` and `e2` of encryption `k` of a run."""
    n = parameters.n
    words = device_randomness.words(seed, run, k, 2 * n)
    e = errors(words, parameters.error)
    u = [device_randomness.ternary(*words[2 * i : 2 * i + 2]) for i in range(n)]
    return {"u": u, "e1": e[:n], "e2": e[n:]}


def key_body(parameters: Parameters, a: Poly, s: Poly, e: Poly) -> Poly:
    """-(a s + p e) modulo Q."""
    masked = ring.add(ring.mul(a, s), ring.scale(e, parameters.p))
    return ring.mod(ring.scale(masked, -1), parameters.modulus(parameters.top))


def relinearization_row(parameters: Parameters, i: int, a: Poly, s: Poly, e: Poly) -> Poly:
    weighted = ring.scale(ring.mul(s, s), 2 ** (parameters.digit_bits * i))
    body = ring.add(key_body(parameters, a, s, e), weighted)
    return ring.mod(body, parameters.modulus(parameters.top))


def encrypt(
    parameters: Parameters, key: tuple[Poly, Poly], drawn: dict[str, Poly], message: Poly
) -> list[Poly]:
    q, p = parameters.modulus(parameters.top), parameters.p
    lifted = [m - p if m >= p // 2 else m for m in message]
    c0 = ring.add(ring.add(ring.mul(key[0], drawn["u"]), ring.scale(drawn["e1"], p)), lifted)
    c1 = ring.add(ring.mul(key[1], drawn["u"]), ring.scale(drawn["e2"], p))
    return [ring.mod(c0, q), ring.mod(c1, q)]


def decrypt(parameters: Parameters, level: int, s: Poly, parts: list[Poly]) -> Poly:
    q = parameters.modulus(level)
    phase = ring.add(parts[0], ring.mul(parts[1], s))
    return [centred(v, q) % parameters.p for v in phase]


def add(parameters: Parameters, level: int, a: list[Poly], b: list[Poly]) -> list[Poly]:
    q = parameters.modulus(level)
    return [ring.mod(ring.add(x, y), q) for x, y in zip(a, b, strict=True)]


def tensor(parameters: Parameters, level: int, a: list[Poly], b: list[Poly]) -> list[Poly]:
    q = parameters.modulus(level)
    cross = ring.add(ring.mul(a[0], b[1]), ring.mul(a[1], b[0]))
    return [ring.mod(x, q) for x in (ring.mul(a[0], b[0]), cross, ring.mul(a[1], b[1]))]


def digits(parameters: Parameters, level: int, value: int, signed: bool) -> list[int]:
    """The digits of one coefficient, the lowest first; the last one takes what is left."""
    base = 2**parameters.digit_bits
    rest = centred(value, parameters.modulus(level)) if signed else value
    found = []
    for _ in range(parameters.digits - 1):
        digit = (rest + base // 2) % base - base // 2 if signed else rest % base
        found.append(digit)
        rest = (rest - digit) // base
    return [*found, rest]


def decompose(parameters: Parameters, level: int, d2: Poly, signed: bool) -> list[Poly]:
    columns = [digits(parameters, level, value, signed) for value in d2]
    return [list(row) for row in zip(*columns, strict=True)]


def key_switch(
    parameters: Parameters,
    level: int,
    rows: list[tuple[Poly, Poly]],
    parts: list[Poly],
    signed: bool,
) -> list[Poly]:
    """Rows are (b, a)."""
    q = parameters.modulus(level)
    out = [parts[0], parts[1]]
    digit_rows = decompose(parameters, level, parts[2], signed)
    for digit, row in zip(digit_rows, rows, strict=True):
        out = [ring.add(x, ring.mul(digit, y)) for x, y in zip(out, row, strict=True)]
    return [ring.mod(x, q) for x in out]


def mod_switch(parameters: Parameters, level: int, parts: list[Poly]) -> list[Poly]:
    """From `level` to the one below."""
    q, p = parameters.factors[level], parameters.p
    below = parameters.modulus(level - 1)

    def switched(c: int) -> int:
        residue = centred(c, q)
        k = -residue % p
        if k > p // 2:
            k -= p
        quotient, remainder = divmod(c - residue, q)
        assert remainder == 0
        return (quotient - k) % below

    return [[switched(c) for c in part] for part in parts]


def transform(values: Poly, root: int, modulus: int) -> Poly:
    """a(root^(2 brv(i) + 1)) for i in order: the definition, not an algorithm."""
    n = len(values)
    bits = n.bit_length() - 1
    out = []
    for i in range(n):
        point = pow(root, 2 * int(f"{i:0{bits}b}"[::-1], 2) + 1, modulus)
        total = 0
        for coefficient in reversed(values):
            total = (total * point + coefficient) % modulus
        out.append(total)
    return out
