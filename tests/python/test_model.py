"""The independent model by itself: known answers and laws, before it judges anything."""

from __future__ import annotations

import random

import pytest

from model import files, ring, slots
from model.bfv import Bfv
from model.bgv import Bgv
from model.rlwe import Parameters

N = 16
PRIMES = ring.primes_below(1 << 30, 2 * N, 3)
SCHEMES = {"bfv": Bfv, "bgv": Bgv}


@pytest.fixture(params=["bfv", "bgv"])
def scheme(request):
    return SCHEMES[request.param](Parameters(request.param, N, 97, PRIMES), seed=5)


def messages(count: int) -> list[list[int]]:
    source = random.Random(6)
    return [[source.randrange(97) for _ in range(N)] for _ in range(count)]


def test_ring_by_hand() -> None:
    # (1 + x)(2 + x^3) = 2 + 2x + x^3 + x^4, x^4 = -1
    assert ring.mul([1, 1, 0, 0], [2, 0, 0, 1]) == [1, 2, 0, 1]
    # x -> x^3: x^2 -> x^6 = -x^2
    assert ring.automorphism([1, 2, 3, 4], 3) == [1, 4, -3, 2]
    assert [ring.centred(v, 5) for v in range(5)] == [0, 1, 2, -2, -1]
    assert [ring.centred(v, 4) for v in range(4)] == [0, 1, -2, -1]
    assert [ring.divide_round(v, 4) for v in (-6, -5, -2, 1, 2, 7)] == [-1, -1, 0, 0, 1, 2]
    assert ring.crt([[1, 2], [3, 0]], [5, 7]) == [31, 7]
    assert ring.primes_below(100, 4, 3) == [97, 89, 73]


def test_slots_invert_and_multiply() -> None:
    values = list(range(N))
    poly = slots.encode(values, N, 97)
    assert slots.decode(poly, 97) == values
    square = ring.mod(ring.mul(poly, poly), 97)
    assert slots.decode(square, 97) == [v * v % 97 for v in values]


def test_packing_by_hand() -> None:
    assert files.pack([0b101, 0b011, 0b110], 3) == bytes([0b10011101, 0b1])
    assert files.unpack(bytes([0b10011101, 0b1]), 3, 3) == [0b101, 0b011, 0b110]


def test_uniform_known_answer() -> None:
    """ChaCha20 with key, counter and nonce zero: RFC 8439, appendix A.1, test vector 1."""
    first = int.from_bytes(bytes.fromhex("76b8e0ada0f13d90"), "little")
    assert files.expand(bytes(32), 0, 0, (1 << 61) - 1, 8)[0] == first % (1 << 61)


def test_laws(scheme) -> None:
    t, (a, b) = 97, messages(2)
    x, y = scheme.encrypt(a), scheme.encrypt(b)
    assert scheme.decrypt(x) == a
    assert scheme.noise(x) < scheme.capacity(x.level)
    assert scheme.decrypt(scheme.combine(x, y, -1)) == ring.mod(ring.sub(a, b), t)
    assert scheme.decrypt(scheme.add_plain(x, b)) == ring.mod(ring.add(a, b), t)
    product = ring.mod(ring.mul(a, b), t)
    assert scheme.decrypt(scheme.mul_plain(x, b)) == product
    assert scheme.decrypt(scheme.mul(x, y)) == product
    linear = scheme.relinearize(scheme.mul(x, y))
    assert len(linear.parts) == 2
    for level in (2, 1):
        assert scheme.decrypt(scheme.mod_switch(linear, level)) == product
    rotated = scheme.automorphism(x, 5)
    assert scheme.decrypt(rotated) == ring.mod(ring.automorphism(a, 5), t)


def test_noise_is_what_decryption_ends_at(scheme) -> None:
    """One coefficient at the edge: decryption is right below 1/2 of the limit and wrong above."""
    x = scheme.encrypt([0] * N)
    q = scheme.parameters.q(x.level)
    limit = q // 2 // (97 if scheme.error_scale == 1 else 1)
    # The phase becomes a multiple of the error scale near the limit.
    now = scheme.phase(x)[0]
    for wanted, right in ((limit - 200, True), (limit + 200, False)):
        wanted -= wanted % scheme.error_scale
        parts = [list(x.parts[0]), x.parts[1]]
        parts[0][0] = (parts[0][0] + wanted - now) % q
        moved = type(x)(parts, x.level)
        assert (scheme.decrypt(moved) == [0] * N) == right
