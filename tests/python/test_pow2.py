"""BFV modulo a power of two: arrays, operators, files, pickle, errors, and every device alike."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
import threading
from pathlib import Path

import cyclotron as cy
import numpy as np
import pytest

SMALL = "PAPER_BFV_MINI_16_T8"  # n = 16, q = 2^32, t = 2^8, with relinearisation
PAPER = "PAPER_BFV_1024"
DEVICES = {
    device["name"]: [] if device["available"] else [pytest.mark.skip(reason=str(device["remedy"]))]
    for device in cy.pow2.devices()
}
# Device, preset, values: several runs of small ciphertexts, one of large ones.
RUNS = [
    pytest.param(device, preset, length, marks=DEVICES[device])
    for device, preset, length in [
        ("cpu", SMALL, 1000),
        ("cpu", PAPER, 2500),
        ("bfv-crypt", SMALL, 1000),
        ("bfv-crypt", PAPER, 2500),
        ("bfv-mini", "PAPER_BFV_MINI_4", 250),
        ("bfv-mini", "PAPER_BFV_MINI_8", 500),
        ("bfv-mini", "PAPER_BFV_MINI_16", 1000),
    ]
]
CLASSES = [
    cy.pow2.Ciphertext,
    cy.pow2.Context,
    cy.pow2.Cost,
    cy.pow2.Keys,
    cy.pow2.PublicKey,
    cy.pow2.RelinearizationKey,
    cy.pow2.SecretKey,
]


@pytest.fixture(scope="module")
def ctx() -> cy.pow2.Context:
    return cy.pow2.Context(SMALL, acknowledge_insecure=True)


@pytest.fixture(scope="module")
def keys(ctx: cy.pow2.Context) -> cy.pow2.Keys:
    return ctx.keygen()


def convolve(a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    """The negacyclic product, signed modulo 2^8."""
    full = np.zeros(2 * n, dtype=np.int64)
    product = np.convolve(a, b)
    full[: len(product)] = product
    return (full[:n] - full[n:] + 128) % 256 - 128


@pytest.mark.parametrize(("device", "preset", "length"), RUNS)
def test_every_device_gives_the_same_words(device: str, preset: str, length: int) -> None:
    context = cy.pow2.Context(preset, acknowledge_insecure=True, device=device)
    keys = context.keygen()
    values = np.random.default_rng(1).integers(-128, 128, length)
    ours = keys.encrypt(values, insecure_seed=bytes(range(32)), run_counter=9)
    cpu = keys.encrypt(values, insecure_seed=bytes(range(32)), run_counter=9, device="cpu")
    np.testing.assert_array_equal(ours.words, cpu.words)
    assert ours.words.shape == (-(-length // context.degree), 2, context.degree)
    assert ours.words.dtype == np.uint64
    decrypted, cost = keys.secret.decrypt_with_cost(cpu)
    np.testing.assert_array_equal(decrypted, values)
    np.testing.assert_array_equal(context.decrypt(keys.secret, ours, verify=False), values)
    counted = device != "cpu"
    assert ours.cost is not None
    for one in (cost, ours.cost):
        assert ((one.compute_cycles or 0) > 0) is counted
        assert ((one.transfer_cycles or 0) > 0) is counted
        assert "compute_cycles=" in repr(one)


def test_fresh_encryptions_differ_and_seeded_ones_repeat(keys: cy.pow2.Keys) -> None:
    encrypt = lambda **options: keys.encrypt([1, 2, 3], **options).words.tobytes()  # noqa: E731
    assert encrypt() != encrypt()
    assert encrypt(insecure_seed=5) == encrypt(insecure_seed=5)
    assert encrypt(insecure_seed=5) != encrypt(insecure_seed=6)
    assert encrypt(insecure_seed=5) != encrypt(insecure_seed=5, run_counter=1)
    number = (5).to_bytes(32, "little")
    assert encrypt(insecure_seed=5) == encrypt(insecure_seed=number)


def test_operators(keys: cy.pow2.Keys) -> None:
    rng = np.random.default_rng(2)
    for length in (1, 7, 16, 50):
        a, b = rng.integers(-20, 20, (2, length))
        x, y = keys.encrypt(a), keys.encrypt(b)
        for encrypted, plain in [
            (x + y, a + b),
            (x - y, a - b),
            (x + b, a + b),
            (b + x, a + b),
            (x - b.tolist(), a - b),
            (b - x, b - a),
            (3 - x, 3 - a),
            (x + np.int64(4), a + 4),
            (-x, -a),
            (+x, a),
            (2 * x, 2 * a),
            (x * np.uint8(3), 3 * a),
        ]:
            np.testing.assert_array_equal(keys.decrypt(encrypted), plain)
            assert len(encrypted) == length
            assert encrypted.margin <= keys.secret.measured_margin(encrypted)
            assert encrypted is x or encrypted.cost is None


def test_products_are_negacyclic(keys: cy.pow2.Keys) -> None:
    rng = np.random.default_rng(3)
    for left, right in [(3, 4), (16, 16), (10, 9)]:
        a, b = rng.integers(-3, 4, left), rng.integers(-3, 4, right)
        x, y = keys.encrypt(a), keys.encrypt(b)
        expected = convolve(a, b, 16)[: min(left + right - 1, 16)]
        for product in (x * y, x * b, a * y):
            np.testing.assert_array_equal(keys.decrypt(product), expected)
            assert product.parts == 2
    bare_x, bare_y = (keys.public.encrypt(v) for v in (a, b))
    raw = bare_x * bare_y
    assert raw.parts == 3
    np.testing.assert_array_equal(keys.decrypt(raw), expected)
    with pytest.raises(cy.MissingKeyError):
        raw.relinearize()
    assert keys.relinearization is not None
    linear = raw.attach(keys.relinearization).relinearize()
    assert linear.parts == 2
    np.testing.assert_array_equal(keys.decrypt(linear), expected)


def test_noise_that_could_matter_is_refused() -> None:
    context = cy.pow2.Context(PAPER, acknowledge_insecure=True)
    keys = context.keygen()
    assert keys.relinearization is None
    x = keys.encrypt([1, 2])
    with pytest.raises(cy.NoiseExhaustedError) as caught:
        x * x
    assert caught.value.bound > caught.value.capacity
    stranger = context.keygen()
    with pytest.raises(cy.NoiseMeasuredError):
        stranger.decrypt(x)


def test_arrays_in_and_out(keys: cy.pow2.Keys) -> None:
    for values in (
        np.array([1, -2, 3], dtype=np.int8),
        np.array([1, 2, 3], dtype=np.uint16),
        np.arange(40)[::2],
        np.array([True, False]),
        [1, -2],
        (5,),
        np.zeros(0, dtype=np.int64),
    ):
        decrypted = keys.decrypt(keys.encrypt(values))
        assert decrypted.dtype == np.int64
        assert decrypted.tolist() == [int(v) for v in values]
    frozen = np.arange(5)
    frozen.flags.writeable = False
    assert keys.decrypt(keys.encrypt(frozen)).tolist() == [0, 1, 2, 3, 4]
    assert keys.decrypt(keys.encrypt(np.array([200], dtype=np.uint8))).tolist() == [200]
    assert keys.decrypt(keys.encrypt([200], signed=False)).tolist() == [200]
    for wrong, error in [
        ([1.5], cy.ArrayError),
        (np.array([1.0]), cy.ArrayError),
        (np.zeros((2, 2), dtype=int), cy.ArrayError),
        ("abc", cy.ArrayError),
        (5, cy.ArrayError),
        (None, cy.ArrayError),
        ([200], cy.ValueOutOfRangeError),
        ([2**200], cy.ValueOutOfRangeError),
    ]:
        with pytest.raises(error):
            keys.encrypt(wrong)  # type: ignore[arg-type]


def test_operands_that_do_not_fit(ctx: cy.pow2.Context, keys: cy.pow2.Keys) -> None:
    x = keys.encrypt([1, 2, 3])
    with pytest.raises(cy.EncodingMismatchError):
        x + keys.encrypt([1, 2])
    with pytest.raises(cy.EncodingMismatchError):
        x + np.array([1, 2])
    with pytest.raises(cy.EncodingMismatchError):
        x + keys.encrypt([1, 2, 3], signed=False)
    with pytest.raises(cy.EncodingMismatchError):
        keys.encrypt(np.zeros(50, dtype=int)) * [1, 2]
    with pytest.raises(TypeError):
        x + "a"  # type: ignore[operator]
    with pytest.raises(cy.EvaluatorMismatchError):
        x + ctx.keygen().encrypt([1, 2, 3])
    other = cy.pow2.Context("PAPER_BFV_MINI_8_T8", acknowledge_insecure=True).keygen()
    with pytest.raises(cy.ParameterMismatchError):
        x + other.encrypt([1, 2, 3])
    with pytest.raises(cy.ParameterMismatchError):
        keys.decrypt(other.encrypt([1]))
    with pytest.raises(cy.ParameterMismatchError):
        ctx.decrypt(other.secret, x)
    with pytest.raises(cy.ParameterMismatchError):
        ctx.encrypt(other.public, [1])
    with pytest.raises(cy.ParameterMismatchError):
        cy.pow2.Keys(keys.secret, other.public)
    with pytest.raises(cy.ComparisonError):
        bool(x)
    with pytest.raises(cy.ComparisonError):
        x == x  # noqa: B015


def test_devices_that_do_not_fit(keys: cy.pow2.Keys) -> None:
    with pytest.raises(cy.DeviceUnsupportedError, match="fpga") as unknown:
        keys.encrypt([1], device="fpga")
    assert "cpu" in unknown.value.remedy
    with pytest.raises(cy.DeviceUnsupportedError):
        cy.pow2.Context(SMALL, acknowledge_insecure=True, device="fpga")
    with pytest.raises(cy.DeviceUnsupportedError):
        keys.decrypt(keys.encrypt([1]), device="fpga")
    with pytest.raises(cy.DeviceError, match="seed is zero"):
        keys.encrypt([1], insecure_seed=0)
    with pytest.raises(cy.RunCounterError) as last:
        keys.encrypt([1], insecure_seed=1, run_counter=2**64 - 1)
    assert last.value.given == 2**64 - 1
    with pytest.raises(cy.ParameterError, match="31 bytes"):
        keys.encrypt([1], insecure_seed=bytes(31))
    listed = {device["name"]: device for device in cy.pow2.devices()}
    assert listed["cpu"]["available"]
    if listed["bfv-crypt"]["available"]:
        with pytest.raises(cy.DeviceMismatchError) as mismatch:
            cy.pow2.Context("POW2_2048", device="bfv-crypt")
        assert "2048" in mismatch.value.expected
        raw = keys.public.encrypt([1]) * keys.public.encrypt([1])
        with pytest.raises(cy.NotLinearError):
            keys.decrypt(raw, device="bfv-crypt")
        stranger = keys.context.keygen()
        with pytest.raises(cy.NoiseMeasuredError):
            stranger.decrypt(keys.encrypt([1]), device="bfv-crypt")


def test_parameters(tmp_path: Path, ctx: cy.pow2.Context) -> None:
    with pytest.raises(cy.InsecureParametersError):
        cy.pow2.Context(PAPER)
    with pytest.raises(cy.ParameterError, match="PAPER_BFV_1024"):
        cy.pow2.Context("PAPER_BFV_2")
    secure = cy.pow2.Context("POW2_2048")
    assert "128 bits" in repr(secure)
    assert (secure.degree, secure.log_q, secure.log_t, secure.log_p) == (2048, 32, 8, 0)
    assert secure.range() == (-128, 127)
    assert secure.range(signed=False) == (0, secure.plaintext_modulus - 1)
    literal = {"degree": 16, "log_q": 32, "log_t": 8, "log_p": 32}
    same = cy.pow2.Context.from_literal(literal, acknowledge_insecure=True)
    assert same == ctx
    assert hash(same) == hash(ctx)
    assert same != secure
    with pytest.raises(cy.InsecureParametersError):
        cy.pow2.Context.from_literal(literal)
    with pytest.raises(cy.ParameterError):
        cy.pow2.Context.from_literal(literal | {"degree": 17}, acknowledge_insecure=True)
    with pytest.raises(cy.ParameterError):
        cy.pow2.Context.from_literal({"degree": 16})
    ctx.save(tmp_path / "p.params")
    assert cy.pow2.Context.load(tmp_path / "p.params") == ctx
    assert cy.pow2.Context.from_json(ctx.to_json()).id == ctx.id
    assert cy.inspect(tmp_path / "p.params")[0]["kind"] == "parameters modulo 2^k"
    with pytest.raises(cy.FileFormatError):
        cy.Context.load(tmp_path / "p.params")
    with pytest.raises(FileNotFoundError):
        cy.pow2.Context.load(tmp_path / "none")


def test_files_and_bytes(tmp_path: Path, ctx: cy.pow2.Context, keys: cy.pow2.Keys) -> None:
    x = keys.encrypt(np.arange(50))
    assert keys.relinearization is not None
    for name, thing in [
        ("secret", keys.secret),
        ("public", keys.public),
        ("relinearization", keys.relinearization),
        ("x", x),
    ]:
        thing.save(tmp_path / name)
        data = (tmp_path / name).read_bytes()
        assert data == thing.to_bytes()
        assert len(data) == thing.size_in_bytes
        assert type(thing).from_bytes(ctx, data).to_bytes() == data
        for cut in (0, 50, len(data) // 2, len(data) - 1):
            with pytest.raises(cy.FileFormatError):
                type(thing).from_bytes(ctx, data[:cut])
        other = cy.pow2.Context("PAPER_BFV_MINI_8_T8", acknowledge_insecure=True)
        with pytest.raises(cy.ParameterMismatchError):
            type(thing).from_bytes(other, data)
    secret = cy.pow2.SecretKey.load(ctx, tmp_path / "secret")
    public = cy.pow2.PublicKey.load(ctx, tmp_path / "public")
    key = cy.pow2.RelinearizationKey.load(ctx, tmp_path / "relinearization")
    again = cy.pow2.Ciphertext.load(ctx, tmp_path / "x")
    np.testing.assert_array_equal(secret.decrypt(again + public.encrypt(np.ones(50, int))),
                                  np.arange(50) + 1)  # fmt: skip
    one = public.encrypt([1]).attach(key)
    assert secret.decrypt(one * one).tolist() == [1]
    with pytest.raises(cy.FileFormatError, match="secret key"):
        cy.pow2.PublicKey.load(ctx, tmp_path / "secret")
    with pytest.raises(FileNotFoundError):
        cy.pow2.Ciphertext.load(ctx, tmp_path / "none")


def test_pickles_hold_no_secret(ctx: cy.pow2.Context, keys: cy.pow2.Keys) -> None:
    x = keys.encrypt([1, 2, 3])
    assert keys.relinearization is not None
    restored, public, key, context = pickle.loads(
        pickle.dumps((x, keys.public, keys.relinearization, ctx))
    )
    assert context == ctx
    assert keys.decrypt(restored.attach(key) + public.encrypt([1, 1, 1])).tolist() == [2, 3, 4]
    assert copy.copy(x) is x
    assert copy.deepcopy(keys.secret) is keys.secret
    for secret in (keys, keys.secret):
        with pytest.raises(cy.SecretPickleError):
            pickle.dumps(secret)
        assert "hidden" in repr(keys.secret)


def test_threads_share_keys(keys: cy.pow2.Keys) -> None:
    seen: list[bytes] = []
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(20):
                x = keys.encrypt([number, i])
                seen.append(x.words.tobytes())
                assert keys.decrypt(x + x).tolist() == [2 * number, 2 * i]
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(set(seen)) == 80


def members() -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = [
        ("presets", cy.pow2.presets),
        ("devices", cy.pow2.devices),
        *((cls.__name__, cls) for cls in CLASSES),
    ]
    for cls in CLASSES:
        found += [
            (f"{cls.__name__}.{name}", value)
            for name, value in vars(cls).items()
            if not name.startswith("_")
        ]
    return found


@pytest.mark.parametrize(("name", "member"), members(), ids=[name for name, _ in members()])
def test_examples_in_docstrings(name: str, member: object) -> None:
    text = inspect.getdoc(member)
    assert text, f"{name} has no docstring"
    example = doctest.DocTestParser().get_doctest(text, {"cy": cy, "np": np}, name, None, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(example).failed == 0


def test_the_example_of_the_module() -> None:
    example = doctest.DocTestParser().get_doctest(cy.pow2.__doc__ or "", {}, "pow2", None, 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 4
    assert result.failed == 0
