"""BGV: Brakerski, Gentry and Vaikuntanathan, eprint 2011/277.

The factor that modulus switching leaves on the message is kept beside the ciphertext (Gentry,
Halevi and Smart, eprint 2012/099, appendix D).
"""

from __future__ import annotations

from math import inf, log2

from model import ring
from model.ring import Poly, centred
from model.rlwe import Ciphertext, Parameters, Scheme


class Bgv(Scheme):
    def __init__(self, parameters: Parameters, secret: Poly | None = None, seed: int = 0) -> None:
        self.error_scale = parameters.t
        super().__init__(parameters, secret, seed)

    def embed(self, message: Poly, level: int, factor: int) -> Poly:
        return ring.centre(ring.scale(message, factor), self.parameters.t)

    def decrypt(self, ciphertext: Ciphertext) -> Poly:
        t = self.parameters.t
        inverse = pow(ciphertext.factor, -1, t)
        return [x * inverse % t for x in self.phase(ciphertext)]

    def noise(self, ciphertext: Ciphertext) -> float:
        """v in c(s) = v = m + t e."""
        most = ring.largest(self.phase(ciphertext))
        return log2(most) if most else -inf

    def capacity(self, level: int) -> float:
        return log2(self.parameters.q(level)) + log2(3 / 8)

    def mul(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        assert a.level == b.level
        (a0, a1), (b0, b1) = a.parts, b.parts
        cross = ring.add(ring.mul(a0, b1), ring.mul(a1, b0))
        modulus = self.parameters.q(a.level)
        parts = [ring.mod(part, modulus) for part in (ring.mul(a0, b0), cross, ring.mul(a1, b1))]
        return Ciphertext(parts, a.level, a.factor * b.factor % self.parameters.t)

    def drop(self, a: Ciphertext) -> Ciphertext:
        """(c + d) / q with d = -c modulo q, d = 0 modulo t and |d| as small as can be."""
        t, q = self.parameters.t, self.parameters.moduli[a.level]
        small = self.parameters.q(a.level - 1)
        inverse = pow(t, -1, q)
        parts = [
            [(x + t * centred(-x * inverse, q)) // q % small for x in part] for part in a.parts
        ]
        return Ciphertext(parts, a.level - 1, a.factor * pow(q, -1, t) % t)
