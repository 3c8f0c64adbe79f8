"""Contexts: chosen, named, spelled out, pinned; and what is refused."""

from __future__ import annotations

import copy
import json
import math

import cyclotron as cy
import numpy as np
import pytest

LITERAL = {"scheme": "bgv", "degree": 16, "plaintext_modulus": 97, "moduli": [65537, 114689]}


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_real_parameters_do_the_main_job(scheme: str) -> None:
    """Ten lines at 128 bits of security."""
    ctx = cy.Context(scheme, bits=40, depth=2)
    assert ctx.scheme == scheme
    assert ctx.plaintext_modulus > 2**39
    assert "bits by guidelines-2024" in repr(ctx)
    keys = ctx.keygen()
    rng = np.random.default_rng(1)
    a, b = rng.integers(-9000, 9000, (2, 500))
    x, y = keys.encrypt(a), keys.encrypt(b)
    result = ((x * x + 3 * x - 1) * 2 + y).sum()
    assert keys.decrypt(result).tolist() == [((a * a + 3 * a - 1) * 2 + b).sum()]
    assert 0 < result.margin <= keys.secret.measured_margin(result)


def test_explanations_name_what_was_chosen() -> None:
    ctx = cy.Context("bfv", bits=17, depth=1)
    text = ctx.explain()
    for part in (f"n = {ctx.degree}", "security", "noise", "guidelines-2024", "slots"):
        assert part in text
    given = cy.Context.preset("TOY_64", acknowledge_insecure=True).explain()
    assert "log2 Q = 100.0" in given
    assert "insecure" in given


def test_requests_are_honoured() -> None:
    ctx = cy.Context(
        "bgv", 17, 1, security=192, table="standard-2018", slots=10_000, terms=1, limb_bits=30
    )
    assert ctx.capacity >= 10_000
    assert "for 192 bits by standard-2018" in ctx.explain()
    assert "bits by standard-2018" in repr(ctx)
    assert all(q < 2**30 for q in ctx.literal["moduli"])
    narrow = cy.Context("bgv", 60, 0, channel_bits=20)
    assert len(narrow.plaintext_moduli) == 4
    assert narrow.plaintext_modulus == math.prod(narrow.plaintext_moduli)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scheme": "ckks"}, "scheme is ckks; choose bfv or bgv"),
        ({"security": 100}, "security level is 100; choose 128, 192 or 256"),
        ({"table": "guess"}, "security table is guess"),
        ({"limb_bits": 10}, "width of ciphertext primes is 10"),
    ],
)
def test_requests_out_of_range(change: dict[str, object], words: str) -> None:
    request = {"scheme": "bfv", "bits": 17, "depth": 1} | change
    with pytest.raises(cy.ParameterError, match=words) as caught:
        cy.Context(**request)
    assert caught.value.value == str(next(iter(change.values())))
    assert caught.value.what in str(caught.value)
    assert caught.value.remedy in str(caught.value)


def test_impossible_requests_say_why() -> None:
    with pytest.raises(cy.NoParametersError, match="depth 500") as caught:
        cy.Context("bfv", bits=60, depth=500)
    assert "depth 500" in caught.value.request
    assert "room" in caught.value.reason


def test_presets() -> None:
    names = cy.presets()
    assert names[0] == "TOY_64"
    assert "STANDARD_2018_4096" in names
    ctx = cy.Context.preset("STANDARD_2018_4096", "bgv")
    assert (ctx.scheme, ctx.degree) == ("bgv", 4096)
    assert "128 bits by standard-2018" in repr(ctx)
    with pytest.raises(cy.InsecureParametersError) as caught:
        cy.Context.preset("TOY_1024")
    error = caught.value
    assert isinstance(error, cy.ParameterError)
    assert (error.degree, error.security, error.limit) == (1024, 128, 26)
    assert error.log_qp == pytest.approx(250, abs=1)
    assert error.table == "guidelines-2024"
    with pytest.raises(cy.ParameterError, match="TOY_64"):
        cy.Context.preset("NOBODY")


def test_literals_have_defaults_and_round_trip() -> None:
    ctx = cy.Context.from_literal(LITERAL, acknowledge_insecure=True)
    literal = ctx.literal
    assert literal["digits"] == {"limbs": 1}
    assert literal["special_moduli"] == []
    assert literal["error"] == {"gaussian": 3.19}
    assert literal["security"] == "insecure-acknowledged"
    assert cy.Context.from_literal(literal) == ctx
    assert cy.Context.from_literal(json.dumps(literal)) == ctx
    other = cy.Context.from_literal(literal | {"error": {"binomial": 21}})
    assert other != ctx
    assert other.id != ctx.id


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"degree": 12}, "power of two"),
        ({"moduli": []}, "number of primes"),
        ({"moduli": [65537, 65537]}, "once"),
        ({"moduli": [65539]}, "65539"),
        ({"moduli": [2**64]}, "literal"),
        ({"plaintext_modulus": 1}, "plaintext modulus is 1"),
        ({"digits": {"limbs": 5}}, "limbs a digit is 5"),
        ({"surprise": 1}, "surprise"),
        ({"scheme": "rsa"}, "rsa"),
    ],
)
def test_literals_are_checked(change: dict[str, object], words: str) -> None:
    with pytest.raises(cy.ParameterError, match=words):
        cy.Context.from_literal(LITERAL | change, acknowledge_insecure=True)
    with pytest.raises(cy.ParameterError, match="literal"):
        cy.Context.from_literal("{not json")


def test_without_slots_vectors_are_coefficients() -> None:
    ctx = cy.Context.from_literal(LITERAL | {"plaintext_modulus": 10}, acknowledge_insecure=True)
    assert ctx.encoding == "coefficients"
    assert ctx.range() == (-5, 4)
    secret = ctx.secret_key()
    assert secret.decrypt(secret.encrypt([1, 2, -5])).tolist() == [1, 2, -5]
    with pytest.raises(cy.NoSlotsError) as caught:
        secret.encrypt([1], encoding="slots")
    assert (caught.value.modulus, caught.value.degree) == (10, 16)
    with pytest.raises(cy.ParameterError, match="encoding is"):
        secret.encrypt([1], encoding="rows")


def test_several_plaintext_moduli_are_one_range() -> None:
    ctx = cy.Context.from_literal(LITERAL, plaintext_moduli=[97, 193], acknowledge_insecure=True)
    assert ctx.plaintext_moduli == [97, 193]
    assert ctx.plaintext_modulus == 97 * 193
    secret = ctx.secret_key()
    low, high = ctx.range()
    assert (low, high) == (-(97 * 193 // 2), 97 * 193 // 2)
    assert secret.decrypt(secret.encrypt([low, high])).tolist() == [low, high]
    with pytest.raises(cy.ParameterError, match="97"):
        cy.Context.from_literal(LITERAL, plaintext_moduli=[97, 97], acknowledge_insecure=True)


def test_equality_is_of_parameters(tiny: cy.Context) -> None:
    again = cy.Context.preset("TOY_64", acknowledge_insecure=True)
    assert again == tiny
    assert hash(again) == hash(tiny)
    assert again.id == tiny.id
    assert len(tiny.id) == 64
    assert cy.Context.preset("TOY_64", "bgv", acknowledge_insecure=True) != tiny
    assert tiny != 1
    assert copy.copy(tiny) is tiny
    assert copy.deepcopy([tiny])[0] is tiny


def test_engine_options(tiny: cy.Context) -> None:
    levels = cy.engines()[0]["simd"]
    assert levels[0] == "scalar"
    results = []
    for simd in levels:
        ctx = cy.Context.preset("TOY_64", acknowledge_insecure=True, simd=simd, threads=1)
        assert f"SIMD {simd}, 1 thread" in ctx.engine
        keys = ctx.keygen(insecure_seed=1)
        x = keys.encrypt([1, 2, 3], insecure_seed=2)
        results.append((x * x).to_bytes())
    assert len(set(results)) == 1, "every level gives the same integers"
    with pytest.raises(cy.EngineError, match="sse9"):
        cy.Context.preset("TOY_64", acknowledge_insecure=True, simd="sse9")
    with pytest.raises(cy.EngineMemoryError) as caught:
        cy.Context.preset("TOY_1024", acknowledge_insecure=True, memory_limit=10**6).keygen()
    assert caught.value.requested > caught.value.available
    assert isinstance(caught.value, MemoryError)


def test_memory_is_returned() -> None:
    ctx = cy.Context.preset("TOY_1024", acknowledge_insecure=True)
    before = ctx.bytes_in_use
    keys = ctx.keygen()
    assert ctx.bytes_in_use > before
    x = keys.encrypt([1]) * 2
    del keys, x
    ctx.trim()
    assert ctx.bytes_in_use == before


def test_rotations_are_checked(tiny: cy.Context) -> None:
    for bad in ("all", 3, ["a"]):
        with pytest.raises(cy.ParameterError, match="rotations is"):
            tiny.keygen(rotations=bad)


def test_seeds_repeat_and_nothing_else_does(tiny: cy.Context) -> None:
    secret = tiny.secret_key(insecure_seed=7)
    assert secret.to_bytes() == tiny.secret_key(insecure_seed=7).to_bytes()
    assert secret.to_bytes() != tiny.secret_key(insecure_seed=8).to_bytes()
    assert tiny.secret_key().to_bytes() != tiny.secret_key().to_bytes()
    public = secret.public_key(insecure_seed=3)
    assert public.to_bytes() == secret.public_key(insecure_seed=3).to_bytes()
    for key in (secret, public):
        seeded = key.encrypt([1], insecure_seed=5).to_bytes()
        assert seeded == key.encrypt([1], insecure_seed=5).to_bytes()
        assert key.encrypt([1]).to_bytes() != key.encrypt([1]).to_bytes()


def test_mixed_contexts_are_refused(tiny_keys: cy.Keys, keys: cy.Keys) -> None:
    x, y = tiny_keys.encrypt([1]), keys.encrypt([1])
    for mixed in (
        lambda: x + y,
        lambda: keys.decrypt(x),
        lambda: keys.secret.measured_margin(x),
        lambda: keys.evaluator.attach(x),
        lambda: cy.Evaluator(keys.context, tiny_keys.evaluation),
        lambda: cy.Keys(keys.secret, tiny_keys.public, keys.evaluation),
        lambda: cy.Keys(keys.secret, keys.public, tiny_keys.evaluation),
        lambda: cy.SecretKey.from_bytes(keys.context, tiny_keys.secret.to_bytes()),
        lambda: cy.Ciphertext.from_bytes(keys.context, x.to_bytes()),
    ):
        with pytest.raises(cy.ParameterMismatchError) as caught:
            mixed()
        error = caught.value
        assert error.found != error.expected
        assert error.found in str(error)
        assert error.expected in str(error)
        assert {tiny_keys.context.id[:16], keys.context.id[:16]} == {error.found, error.expected}


def test_a_wrong_key_is_noticed(tiny: cy.Context, tiny_keys: cy.Keys) -> None:
    with pytest.raises(cy.NoiseMeasuredError, match="another key") as caught:
        tiny.secret_key().decrypt(tiny_keys.encrypt([1]))
    assert caught.value.fraction > caught.value.limit
    assert isinstance(caught.value, cy.NoiseError)


def test_every_exception_is_exported_and_derived() -> None:
    classes = [value for value in vars(cy.errors).values() if isinstance(value, type)]
    assert len(classes) > 20
    for error in classes:
        assert issubclass(error, cy.CyclotronError)
        assert getattr(cy, error.__name__) is error
        assert error.__name__ in cy.__all__
    assert issubclass(cy.MissingKeyError, LookupError)
    assert issubclass(cy.FileFormatError, ValueError)


def test_a_plaintext_modulus_may_be_given_instead_of_bits() -> None:
    ctx = cy.Context("bfv", depth=1, plaintext_modulus=65537)
    assert ctx.plaintext_modulus == 65537
    for arguments in ({}, {"bits": 10, "plaintext_modulus": 65537}):
        with pytest.raises(cy.ParameterError, match="one of bits and plaintext_modulus"):
            cy.Context("bfv", depth=1, **arguments)
