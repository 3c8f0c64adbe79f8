"""What BFV and BGV share: parameters, keys with one modulus, key switching in base 2^w.

The secret is ternary and the errors are rounded Gaussians of deviation 3.19, from Python's
`random`: a model for tests, of no security at all.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import prod

from model import ring
from model.ring import Poly

# Base of the model's own key switching: not the library's gadget.
BASE_BITS = 12


@dataclass
class Parameters:
    """Of one plaintext modulus."""

    scheme: str
    n: int
    t: int
    moduli: list[int]
    special: list[int] = field(default_factory=list)
    digits: dict[str, int] = field(default_factory=lambda: {"limbs": 1})
    sigma: float = 3.19

    def q(self, level: int) -> int:
        """The modulus at a level."""
        return prod(self.moduli[: level + 1])

    @property
    def top(self) -> int:
        return len(self.moduli) - 1

    def literal(self) -> dict[str, object]:
        """As `Context.from_literal` takes it."""
        return {
            "scheme": self.scheme,
            "degree": self.n,
            "plaintext_modulus": self.t,
            "moduli": self.moduli,
            "special_moduli": self.special,
            "digits": self.digits,
            "error": {"gaussian": self.sigma},
        }


@dataclass
class Ciphertext:
    """c_0 + c_1 s (+ c_2 s^2), each polynomial modulo the modulus of the level."""

    parts: list[Poly]
    level: int
    factor: int = 1


class Scheme(ABC):
    """A scheme with one secret key."""

    def __init__(self, parameters: Parameters, secret: Poly | None = None, seed: int = 0) -> None:
        self.parameters = parameters
        self.random = random.Random(seed)
        self.secret = secret if secret is not None else self.ternary()
        self.square = ring.mul(self.secret, self.secret)
        self.switching: dict[object, list[tuple[Poly, Poly]]] = {}

    # ---- randomness -------------------------------------------------------------------------

    def ternary(self) -> Poly:
        return [self.random.randint(-1, 1) for _ in range(self.parameters.n)]

    def error(self) -> Poly:
        return [
            round(self.random.gauss(0, self.parameters.sigma)) for _ in range(self.parameters.n)
        ]

    def uniform(self, modulus: int) -> Poly:
        return [self.random.randrange(modulus) for _ in range(self.parameters.n)]

    # ---- where the schemes differ -----------------------------------------------------------

    error_scale: int

    @abstractmethod
    def embed(self, message: Poly, level: int, factor: int) -> Poly:
        """A plaintext as it is added to c_0."""

    @abstractmethod
    def decrypt(self, ciphertext: Ciphertext) -> Poly:
        """The message, in [0, t)."""

    @abstractmethod
    def noise(self, ciphertext: Ciphertext) -> float:
        """log2 of the largest coefficient of the noise."""

    @abstractmethod
    def capacity(self, level: int) -> float:
        """log2 of the largest noise that decryption accepts: 3/8 of the modulus (or of Q/t)."""

    @abstractmethod
    def mul(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        """The product, in three parts."""

    @abstractmethod
    def drop(self, a: Ciphertext) -> Ciphertext:
        """One level lower."""

    # ---- what they share --------------------------------------------------------------------

    def phase(self, ciphertext: Ciphertext) -> Poly:
        """c(s), centred."""
        powers = [[1] + [0] * (self.parameters.n - 1), self.secret, self.square]
        total = [0] * self.parameters.n
        for part, power in zip(ciphertext.parts, powers, strict=False):
            total = ring.add(total, ring.mul(part, power))
        return ring.centre(total, self.parameters.q(ciphertext.level))

    def zero(self, modulus: int) -> tuple[Poly, Poly]:
        """(-(a s) + scale e, a)."""
        a = self.uniform(modulus)
        error = ring.scale(self.error(), self.error_scale)
        return ring.mod(ring.sub(error, ring.mul(a, self.secret)), modulus), a

    def encrypt(self, message: Poly) -> Ciphertext:
        level = self.parameters.top
        modulus = self.parameters.q(level)
        b, a = self.zero(modulus)
        return Ciphertext([ring.mod(ring.add(b, self.embed(message, level, 1)), modulus), a], level)

    def combine(self, a: Ciphertext, b: Ciphertext, sign: int) -> Ciphertext:
        assert (a.level, a.factor) == (b.level, b.factor)
        modulus = self.parameters.q(a.level)
        zero = [0] * self.parameters.n
        count = max(len(a.parts), len(b.parts))
        left, right = (x.parts + [zero] * (count - len(x.parts)) for x in (a, b))
        parts = [
            ring.mod(ring.add(x, ring.scale(y, sign)), modulus)
            for x, y in zip(left, right, strict=True)
        ]
        return Ciphertext(parts, a.level, a.factor)

    def add_plain(self, a: Ciphertext, message: Poly) -> Ciphertext:
        embedded = self.embed(message, a.level, a.factor)
        body = ring.mod(ring.add(a.parts[0], embedded), self.parameters.q(a.level))
        return Ciphertext([body, *a.parts[1:]], a.level, a.factor)

    def mul_plain(self, a: Ciphertext, message: Poly) -> Ciphertext:
        lifted = ring.centre(message, self.parameters.t)
        modulus = self.parameters.q(a.level)
        parts = [ring.mod(ring.mul(part, lifted), modulus) for part in a.parts]
        return Ciphertext(parts, a.level, a.factor)

    def switch(self, x: Poly, source: Poly, name: object, level: int) -> tuple[Poly, Poly]:
        """A pair with the phase x source: digits of x in base w times encryptions of w^j source
        (Fan and Vercauteren, eprint 2012/144, relinearisation version 1)."""
        modulus = self.parameters.q(level)
        key = (name, level)
        count = -(-modulus.bit_length() // BASE_BITS)
        if key not in self.switching:
            pairs = []
            for j in range(count):
                b, a = self.zero(modulus)
                shifted = ring.scale(source, 1 << (BASE_BITS * j))
                pairs.append((ring.mod(ring.add(b, shifted), modulus), a))
            self.switching[key] = pairs
        low, high = [0] * self.parameters.n, [0] * self.parameters.n
        for j, (b, a) in enumerate(self.switching[key]):
            digit = [(c >> (BASE_BITS * j)) % (1 << BASE_BITS) for c in x]
            low = ring.add(low, ring.mul(digit, b))
            high = ring.add(high, ring.mul(digit, a))
        return ring.mod(low, modulus), ring.mod(high, modulus)

    def relinearize(self, a: Ciphertext) -> Ciphertext:
        if len(a.parts) == 2:
            return a
        modulus = self.parameters.q(a.level)
        pair = self.switch(a.parts[2], self.square, "square", a.level)
        parts = [ring.mod(ring.add(x, y), modulus) for x, y in zip(a.parts, pair, strict=False)]
        return Ciphertext(parts, a.level, a.factor)

    def automorphism(self, a: Ciphertext, element: int) -> Ciphertext:
        modulus = self.parameters.q(a.level)
        body, mask = (ring.mod(ring.automorphism(part, element), modulus) for part in a.parts)
        image = ring.automorphism(self.secret, element)
        low, high = self.switch(mask, image, element, a.level)
        return Ciphertext([ring.mod(ring.add(body, low), modulus), high], a.level, a.factor)

    def mod_switch(self, a: Ciphertext, level: int) -> Ciphertext:
        while a.level > level:
            a = self.drop(a)
        return a
