"""The library against the independent model: the same keys, ciphertexts exchanged as files.

The model reads what the library writes (docs/file-format.md), decrypts it, and measures its noise
exactly; it writes what the library reads; and both run the same random circuits.
"""

from __future__ import annotations

from math import log, prod, sqrt

import cyclotron as cy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model import files, ring, slots
from model.bfv import Bfv
from model.bgv import Bgv
from model.rlwe import Ciphertext, Parameters, Scheme

SCHEMES: dict[str, type[Scheme]] = {"bfv": Bfv, "bgv": Bgv}


def parameters(scheme: str, n: int = 16, **changes: object) -> Parameters:
    """Four 30-bit primes in Q, one in P, t = 97 (slots up to n = 16) unless said otherwise."""
    primes = ring.primes_below(1 << 30, 2 * n, 6)
    defaults: dict[str, object] = {
        "t": 97,
        "moduli": primes[:4],
        "special": primes[4:5],
        "digits": {"limbs": 1},
    }
    return Parameters(scheme, n, **(defaults | changes))  # type: ignore[arg-type]


def context(p: Parameters, plaintext_moduli: list[int] | None = None) -> cy.Context:
    return cy.Context.from_literal(
        p.literal(), plaintext_moduli=plaintext_moduli, acknowledge_insecure=True, threads=1
    )


class Pair:
    """Library and model with one secret key."""

    def __init__(self, p: Parameters) -> None:
        self.parameters = p
        self.context = context(p)
        self.keys = self.context.keygen()
        secret = files.read_secret(self.keys.secret.to_bytes(), p)
        self.model = SCHEMES[p.scheme](p, secret, seed=1)

    def read(self, x: cy.Ciphertext) -> files.Vector:
        return files.read_ciphertext(x.to_bytes(), [self.parameters])

    def check(self, x: cy.Ciphertext) -> list[int]:
        """The slots (or coefficients) as the model decrypts them, after comparing what both say of
        the noise."""
        vector = self.read(x)
        (ciphertext,), (bounds,) = vector.channels, vector.noise
        noise, capacity = self.model.noise(ciphertext), self.model.capacity(ciphertext.level)
        assert ciphertext.level == x.level
        # What the library measures is the noise; the bound that it carries is above the noise.
        assert self.keys.secret.measured_margin(x) == pytest.approx(capacity - noise, abs=1e-6)
        assert x.margin == pytest.approx(capacity - bounds[0], abs=1e-6)
        assert noise <= bounds[0] + 1e-9
        message = self.model.decrypt(ciphertext)
        return slots.decode(message, self.parameters.t) if vector.encoding == 0 else message

    def agree(self, x: cy.Ciphertext, expected: list[int]) -> None:
        """Library, model and plain arithmetic."""
        t = self.parameters.t
        expected = [v % t for v in expected]
        assert [int(v) % t for v in self.keys.decrypt(x)] == expected[: len(x)]
        assert self.check(x)[: len(expected)] == expected


@pytest.fixture(scope="module", params=["bfv", "bgv"])
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair(parameters(request.param))


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("n", [8, 16, 64])
def test_the_model_decrypts_the_library(scheme: str, n: int) -> None:
    t = 97 if n <= 16 else 257
    pair = Pair(parameters(scheme, n, t=t))
    values = [(7 * i + 3) % t for i in range(n)]
    for key in (pair.keys.secret, pair.keys.public):
        fresh = key.encrypt(values, signed=False)
        # Without keys, products keep three parts.
        pair.agree(fresh * fresh, [v * v for v in values])
        pair.agree((fresh * fresh).mod_switch(1), [v * v for v in values])
        x = pair.keys.evaluator.attach(fresh)
        pair.agree(x, values)
        pair.agree(x + x, [2 * v for v in values])
        pair.agree(x * x, [v * v for v in values])
        pair.agree((x * x).mod_switch(1), [v * v for v in values])
        pair.agree(-x * values + 5, [5 - v * v for v in values])
        half = n // 2
        rows = np.array(values).reshape(2, half)
        pair.agree(x.rotate(3), np.roll(rows, -3, axis=1).ravel().tolist())
        pair.agree(x.swap_rows(), rows[::-1].ravel().tolist())
        pair.agree(x.sum(), [sum(values)] * n)


def test_coefficients(pair: Pair) -> None:
    n, t = pair.parameters.n, pair.parameters.t
    a, b = [3 * i % t for i in range(n)], [5 * i + 1 for i in range(n)]
    x = pair.keys.encrypt(a, signed=False, encoding="coefficients")
    y = pair.keys.encrypt(b, signed=False, encoding="coefficients")
    pair.agree(x * y, ring.mul(a, b))
    pair.agree(x * b - 1, ring.sub(ring.mul(a, b), [1] + [0] * (n - 1)))


def test_several_plaintext_moduli() -> None:
    p = parameters("bgv")
    moduli = [97, 193, 257]
    channels = [parameters("bgv", t=t) for t in moduli]
    ctx = context(p, moduli)
    keys = ctx.keygen()
    identities = b"".join(files.identity(channel) for channel in channels)
    identity = files.blake3(identities, derive_key_context="cyclotron channels v1").hexdigest()
    assert ctx.id == identity

    values = [100_000 * i - 700_000 for i in range(16)]
    x = keys.secret.encrypt(values) + 5
    secret = files.read_secret(keys.secret.to_bytes(), p)
    vector = files.read_ciphertext(x.to_bytes(), channels)
    residues, margins = [], []
    for channel, ciphertext in zip(channels, vector.channels, strict=True):
        model = Bgv(channel, secret)
        residues.append(slots.decode(model.decrypt(ciphertext), channel.t))
        margins.append(model.capacity(ciphertext.level) - model.noise(ciphertext))
    product = prod(moduli)
    joined = [ring.centred(v, product) for v in ring.crt(residues, moduli)]
    assert joined == [v + 5 for v in values] == keys.decrypt(x).tolist()
    assert keys.secret.measured_margin(x) == pytest.approx(min(margins), abs=1e-6)


def test_identities_and_layouts_in_files(pair: Pair) -> None:
    assert pair.context.id == files.identity(pair.parameters).hex()
    x = pair.keys.secret.encrypt([1, 2, 3], signed=False)
    vector = pair.read(x)
    assert (vector.length, vector.encoding, vector.signed) == (3, 0, 0)
    assert (vector.seeded, vector.transparent, vector.clean) == ([1], [0], 1)
    assert pair.check(x)[3:] == [0] * 13
    total = pair.read(pair.keys.evaluator.attach(x).sum())
    assert (total.length, total.replicated, total.clean, total.seeded) == (1, 1, 0, [0])
    assert pair.read(x * 0).transparent == [1]
    product = pair.keys.public.encrypt([1]) * pair.keys.public.encrypt([1])
    assert len(pair.read(product).channels[0].parts) == product.parts == 3


DIGITS = [
    ({"limbs": 1}, 1),
    ({"limbs": 2}, 2),
    ({"limbs": 3}, 1),
    ({"words": 10}, 0),
    ({"words": 7}, 1),
]


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize(("digits", "specials"), DIGITS)
def test_keys_hold_their_equations(scheme: str, digits: dict[str, int], specials: int) -> None:
    """b + a s = -scale e for the public key, b_j + a_j s = P g_j s' - scale e_j for the others."""
    primes = ring.primes_below(1 << 30, 32, 6)
    p = parameters(scheme, special=primes[4 : 4 + specials], digits=digits)
    pair = Pair(p)
    secret, scale = pair.model.secret, pair.model.error_scale
    errors: list[int] = []

    def error(b: ring.Poly, a: ring.Poly, target: ring.Poly, modulus: int) -> None:
        e = ring.centre(ring.sub(target, ring.add(b, ring.mul(a, secret))), modulus)
        assert all(value % scale == 0 for value in e)
        errors.extend(value // scale for value in e)

    ((b, a),) = files.read_public(pair.keys.public.to_bytes(), [p])
    error(b, a, [0] * p.n, p.q(p.top))

    special, total = prod(p.special), p.q(p.top) * prod(p.special)
    gadget = files.gadget(p)
    keys = files.read_evaluation(pair.keys.evaluation.to_bytes(), p)
    assert {key.element for key in keys} == {None, 31, 5, 25, 17}
    for key in keys:
        source = (
            pair.model.square if key.element is None else ring.automorphism(secret, key.element)
        )
        for g, (b, a) in zip(gadget, key.pairs, strict=True):
            error(b, a, ring.scale(source, special * g), total)
    # Gaussian of deviation 3.19: never far, never zero.
    assert max(map(abs, errors)) < 10 * 3.19
    deviation = sqrt(sum(e * e for e in errors) / len(errors))
    assert 3.19 * 0.75 < deviation < 3.19 * 1.25
    # And the library multiplies and rotates right with them.
    values = list(range(16))
    x = pair.keys.encrypt(values, signed=False)
    pair.agree(x * x, [v * v for v in values])
    pair.agree(x.sum(), [sum(values)] * 16)


def secret_of_the_model(model: Scheme) -> ring.Poly:
    """A ternary polynomial whose canonical norm the file format admits."""
    n = model.parameters.n
    bound = sqrt(2 * n / 3 * (log(n / 2) + 1))
    while True:
        s = model.ternary()
        twisted = np.array(s) * np.exp(1j * np.pi * np.arange(n) / n)
        if np.abs(np.fft.fft(twisted)).max() < 0.99 * bound:
            return s


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_the_library_decrypts_the_model(scheme: str) -> None:
    """A secret key and ciphertexts that the library has never seen."""
    p = parameters(scheme)
    secret = secret_of_the_model(SCHEMES[scheme](p, seed=9))
    model = SCHEMES[scheme](p, secret, seed=10)
    ctx = context(p)
    key = cy.SecretKey.from_bytes(ctx, files.write_secret(secret, p))
    assert key.to_bytes() == files.write_secret(secret, p)
    values = [5 * i % 97 for i in range(16)]
    fresh = model.encrypt(slots.encode(values, 16, 97))
    square = [v * v % 97 for v in values]
    product = model.mul(fresh, fresh)
    low = model.mod_switch(model.relinearize(product), 1)
    for ciphertext, expected in ((fresh, values), (product, square), (low, square)):
        # A true claim: the measured noise, and the norms that follow from the largest coefficient.
        inf = model.noise(ciphertext) + 0.01
        noise = (inf, inf + 2, inf + 4)
        vector = files.Vector([ciphertext], 16, signed=0, noise=[noise])
        data = files.write_ciphertext(vector, p)
        x = cy.Ciphertext.from_bytes(ctx, data)
        assert x.to_bytes() == data
        assert key.decrypt(x).tolist() == expected
        assert key.measured_margin(x) == pytest.approx(x.margin + 0.01, abs=1e-6)
    # A false claim is found out.
    q = p.q(p.top)
    far = [c + (q // 2 if scheme == "bgv" else q // 2 // 97) for c in fresh.parts[0]]
    garbage = Ciphertext([ring.mod(far, q), fresh.parts[1]], fresh.level)
    vector = files.Vector([garbage], 16, signed=0, noise=[(10.0, 12.0, 14.0)])
    with pytest.raises(cy.NoiseMeasuredError, match="claimed noise bound"):
        key.decrypt(cy.Ciphertext.from_bytes(ctx, files.write_ciphertext(vector, p)))


def test_products_are_the_papers_formula(pair: Pair) -> None:
    """Coefficient by coefficient, not only after decryption."""
    x = pair.keys.public.encrypt([1, 2, 3])
    y = pair.keys.public.encrypt([4, 5, 6])
    strict = cy.Evaluator(pair.context, mode="strict")
    product = strict.attach(x) * strict.attach(y)
    (a,), (b,), (c,) = (pair.read(v).channels for v in (x, y, product))
    assert c.parts == pair.model.mul(a, b).parts


def test_modulus_switching_is_the_papers_formula(pair: Pair) -> None:
    x = pair.keys.public.encrypt([1, 2, 3])
    (high,), (low,) = (pair.read(v).channels for v in (x, x.mod_switch(x.level - 1)))
    expected = pair.model.drop(high)
    assert low.factor == expected.factor
    assert low.parts == expected.parts


# ---- random circuits ----------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "sub", "mul", "square", "add plain", "mul plain", "neg", "rotate", "switch"]
        ),
        st.integers(0, 7),
        st.integers(0, 7),
        st.integers(0, 96),
    ),
    max_size=10,
)


class Circuit:
    """Values held three times: by the library, by the model (its own ciphertexts, noise and key
    switching), and in the clear."""

    def __init__(self, pair: Pair) -> None:
        self.pair, self.n, self.t = pair, pair.parameters.n, pair.parameters.t
        self.values: list[tuple[cy.Ciphertext, Ciphertext, list[int]]] = []
        for i in range(3):
            clear = [(11 * i + 5 * j * j + 2) % self.t for j in range(self.n)]
            source = pair.keys.secret if i == 0 else pair.keys.public
            x = pair.keys.evaluator.attach(source.encrypt(clear, signed=False))
            self.values.append((x, pair.model.encrypt(slots.encode(clear, self.n, self.t)), clear))

    def step(self, name: str, i: int, j: int, number: int) -> None:
        model = self.pair.model
        x, a, p = self.values[i % len(self.values)]
        y, b, q = self.values[j % len(self.values)]
        plain = [(number + 3 * k) % self.t for k in range(self.n)]
        encoded = slots.encode(plain, self.n, self.t)
        if name in ("add", "sub"):
            sign = 1 if name == "add" else -1
            z = x + y if sign == 1 else x - y
            c, r = model.combine(a, b, sign), [u + sign * v for u, v in zip(p, q, strict=True)]
        elif name in ("mul", "square"):
            if name == "square":
                y, b, q = x, a, p
            z, c = x * y, model.relinearize(model.mul(a, b))
            r = [u * v for u, v in zip(p, q, strict=True)]
        elif name == "add plain":
            z, c = x + plain, model.add_plain(a, encoded)
            r = [u + v for u, v in zip(p, plain, strict=True)]
        elif name == "mul plain":
            z, c = x * plain, model.mul_plain(a, encoded)
            r = [u * v for u, v in zip(p, plain, strict=True)]
        elif name == "neg":
            zero = Ciphertext([[0] * self.n] * 2, a.level, a.factor)
            z, c, r = -x, model.combine(zero, a, -1), [-u for u in p]
        elif name == "rotate":
            steps = number % (self.n // 2)
            z = x.rotate(steps)
            c = model.automorphism(a, pow(5, steps, 2 * self.n))
            r = np.roll(np.array(p).reshape(2, -1), -steps, axis=1).ravel().tolist()
        else:
            # The library's alone: the model stays where all levels and factors agree.
            z, c, r = x.mod_switch(max(x.level - 1, 0)), a, p
        self.values.append((z, c, [v % self.t for v in r]))

    def check(self) -> None:
        z, c, r = self.values[-1]
        self.pair.agree(z, r)
        model = self.pair.model
        if model.noise(c) < model.capacity(c.level):
            assert slots.decode(model.decrypt(c), self.t) == r


def run(pair: Pair, steps: list[tuple[str, int, int, int]]) -> None:
    circuit = Circuit(pair)
    for step in steps:
        try:
            circuit.step(*step)
        except cy.NoiseExhaustedError:
            return
        circuit.check()


CIRCUITS = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@settings(CIRCUITS, max_examples=25)
@given(steps=STEPS)
def test_random_circuits_agree_until_the_bound_refuses(pair: Pair, steps) -> None:
    run(pair, steps)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize(("digits", "specials"), DIGITS)
def test_random_circuits_with_every_gadget(scheme, digits, specials) -> None:
    primes = ring.primes_below(1 << 30, 32, 6)
    pair = Pair(parameters(scheme, special=primes[4 : 4 + specials], digits=digits))

    @settings(CIRCUITS, max_examples=15)
    @given(steps=STEPS)
    def circuits(steps) -> None:
        run(pair, steps)

    circuits()


def test_circuits_do_reach_the_refusal(pair: Pair) -> None:
    """The property above is not empty: squarings come to the bound, some of them right before."""
    circuit = Circuit(pair)
    rounds = 0

    def square() -> None:
        circuit.step("square", len(circuit.values) - 1, 0, 0)
        circuit.check()

    refused = None
    while refused is None:
        try:
            square()
        except cy.NoiseExhaustedError as error:
            refused = error
        else:
            rounds += 1
    assert refused.bound > refused.capacity
    assert 2 <= rounds <= 8
