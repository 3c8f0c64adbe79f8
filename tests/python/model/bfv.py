"""BFV, scale-invariant: Fan and Vercauteren, eprint 2012/144; messages embedded as round(Q m / t),
eprint 2021/204."""

from __future__ import annotations

from math import inf, log2

from model import ring
from model.ring import Poly, divide_round
from model.rlwe import Ciphertext, Scheme


class Bfv(Scheme):
    error_scale = 1

    def embed(self, message: Poly, level: int, factor: int) -> Poly:
        assert factor == 1
        q, t = self.parameters.q(level), self.parameters.t
        return [divide_round(q * (m % t), t) for m in message]

    def decrypt(self, ciphertext: Ciphertext) -> Poly:
        q, t = self.parameters.q(ciphertext.level), self.parameters.t
        return [divide_round(t * x, q) % t for x in self.phase(ciphertext)]

    def noise(self, ciphertext: Ciphertext) -> float:
        """e in c(s) = (Q/t) m + e, a fraction with the denominator t."""
        q, t = self.parameters.q(ciphertext.level), self.parameters.t
        scaled = [t * x - q * divide_round(t * x, q) for x in self.phase(ciphertext)]
        most = ring.largest(scaled)
        return log2(most) - log2(t) if most else -inf

    def capacity(self, level: int) -> float:
        return log2(self.parameters.q(level)) - log2(self.parameters.t) + log2(3 / 8)

    def mul(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        """round(t/Q c) of the product over the integers."""
        assert a.level == b.level
        q, t = self.parameters.q(a.level), self.parameters.t
        (a0, a1), (b0, b1) = ([ring.centre(part, q) for part in x.parts] for x in (a, b))
        cross = ring.add(ring.mul(a0, b1), ring.mul(a1, b0))
        parts = [
            [divide_round(t * x, q) % q for x in part]
            for part in (ring.mul(a0, b0), cross, ring.mul(a1, b1))
        ]
        return Ciphertext(parts, a.level)

    def drop(self, a: Ciphertext) -> Ciphertext:
        q, small = self.parameters.q(a.level), self.parameters.q(a.level - 1)
        parts = [[divide_round(small * x, q) % small for x in part] for part in a.parts]
        return Ciphertext(parts, a.level - 1)
