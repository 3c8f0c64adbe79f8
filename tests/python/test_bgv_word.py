"""Leveled circuits of BGV: the same words on every device, and what is refused."""

from __future__ import annotations

import doctest
import inspect
import json
import pickle

import cyclotron as cy
import numpy as np
import pytest
from cyclotron import bgv_word
from cyclotron.bgv_word import add, decrypt, encrypt, key_switch, mod_switch, multiply

TOY = {
    "degree": 16,
    "factors": [257, 257, 257],
    "log_p": 1,
    "digit_bits": 13,
    "error": "ternary",
}
A, B = np.arange(16) % 2, (np.arange(16) // 2) % 2
#: (a + b) a + b, decrypted one level down; every step in a buffer of its own.
CIRCUIT = [
    encrypt(0, 2),
    encrypt(1, 3),
    add(2, 3, 4),
    multiply(4, 2, 5),
    key_switch(5, 6),
    mod_switch(6, 7),
    mod_switch(3, 8),
    add(7, 8, 9),
    decrypt(9, 10),
]


def context(**changes: object) -> bgv_word.Context:
    return bgv_word.Context.from_literal(TOY | changes, acknowledge_insecure=True)


def opened(word: bgv_word.Context, name: str, seed: int = 7) -> bgv_word.Device:
    """A device with the same keys, seed and messages whenever it is asked for."""
    device = word.open(name)
    device.load_keys(word.keygen(insecure_seed=3))
    device.load_seed(seed, run_counter=5)
    device.write_message(0, A[: word.degree])
    device.write_message(1, B[: word.degree])
    return device


def product(a: np.ndarray, b: np.ndarray, p: int) -> np.ndarray:
    """Modulo x^n + 1 and p, by the definition."""
    n, full = len(a), np.convolve(a, b)
    full = np.concatenate([full, np.zeros(2 * n - len(full), dtype=full.dtype)])
    return (full[:n] - full[n:]) % p


def simulated() -> str:
    """The small configuration, where the build has it."""
    listing = next(d for d in bgv_word.devices() if d["name"] == "bgv-core")
    names = [built["name"] for built in listing["configurations"]]
    if "bgv-core:toy16" not in names:
        pytest.skip(listing["remedy"] or "this build has no bgv-core:toy16")
    return "bgv-core:toy16"


@pytest.mark.parametrize("digits", ["signed", "unsigned"])
def test_a_circuit_gives_the_same_words_on_processor_and_device(digits: str) -> None:
    word = context(digits=digits)
    on_cpu, on_device = opened(word, "cpu"), opened(word, simulated())
    assert on_cpu.run(CIRCUIT).compute_cycles is None
    cost = on_device.run(CIRCUIT)
    assert cost.compute_cycles is not None
    assert cost.compute_cycles > word.degree
    for buffer in range(2, 10):
        left, right = on_cpu.read_ciphertext(buffer), on_device.read_ciphertext(buffer)
        assert left == right
        assert (left.words == right.words).all()
        assert left.words.shape == (left.parts, word.degree)
        assert left.noise_bound <= left.noise_limit
    assert [on_cpu.read_ciphertext(k).level for k in (5, 9)] == [2, 1]
    assert on_cpu.read_ciphertext(5).parts == 3
    expected = (product((A + B) % 2, A, 2) + B) % 2
    for device in (on_cpu, on_device):
        found = device.read_message(10)
        assert found.dtype == np.int64
        assert (found == expected).all()


def test_the_form_of_results_changes_no_word() -> None:
    word = context()
    on_cpu, on_device = opened(word, "cpu"), opened(word, simulated())
    on_cpu.run(CIRCUIT)
    formless = ("mod-switch", "decrypt")
    kept = [c._replace(evaluations=c.operation not in formless) for c in CIRCUIT]
    assert kept[3] == multiply(4, 2, 5, evaluations=True)
    on_device.run(kept)
    for buffer in range(2, 10):
        assert on_cpu.read_ciphertext(buffer) == on_device.read_ciphertext(buffer)
    assert (on_cpu.read_message(10) == on_device.read_message(10)).all()


def test_other_seeds_give_other_ciphertexts_of_the_same_message() -> None:
    word = context()
    devices = [opened(word, "cpu", seed) for seed in (7, 7, 8)]
    for device in devices:
        device.run([encrypt(0, 2), decrypt(2, 3)])
        assert (device.read_message(3) == A).all()
    first, again, other = (device.read_ciphertext(2) for device in devices)
    assert first == again
    assert (first.words != other.words).any()


def test_ciphertexts_go_from_one_device_to_another() -> None:
    word = context()
    client, server = opened(word, "cpu"), word.open(simulated())
    client.run([encrypt(0, 2), encrypt(1, 3)])
    for buffer in (2, 3):
        server.write_ciphertext(buffer, client.read_ciphertext(buffer))
    server.run([add(2, 3, 4)])
    client.write_ciphertext(5, server.read_ciphertext(4))
    client.run([decrypt(5, 6)])
    assert (client.read_message(6) == (A + B) % 2).all()
    with pytest.raises(cy.MissingKeyError, match="secret key"):
        server.run([decrypt(4, 5)])
    with pytest.raises(cy.DeviceMismatchError):
        context(log_p=2).open("cpu").write_ciphertext(2, client.read_ciphertext(2))


def test_what_cannot_run_changes_nothing() -> None:
    word = context()
    device = opened(word, "cpu")
    device.run([encrypt(0, 2), multiply(2, 2, 3)])
    kept = device.read_ciphertext(2)
    with pytest.raises(cy.NotLinearError, match=r"command 1.*decrypt"):
        device.run([encrypt(0, 2), decrypt(3, 4)])
    with pytest.raises(cy.LevelMismatchError) as levels:
        device.run([mod_switch(2, 4), add(2, 4, 5)])
    assert (levels.value.left, levels.value.right) == (2, 1)
    with pytest.raises(cy.LevelOutOfRangeError):
        device.run([mod_switch(2, 4), mod_switch(4, 4), mod_switch(4, 4)])
    with pytest.raises(cy.DeviceError, match="buffer 16 of 16"):
        device.run([encrypt(0, 16)])
    with pytest.raises(cy.ParameterError, match="encrypt of 2 operands"):
        device.run([bgv_word.Command("encrypt", (0, 1), 2)])
    with pytest.raises(cy.RunCounterError):
        device.load_seed(7, run_counter=5)
    assert device.read_ciphertext(2) == kept


def test_noise_is_refused_unless_that_is_waived() -> None:
    word = bgv_word.Context("PAPER_128", acknowledge_insecure=True)
    device = opened(word, "cpu")
    circuit = [encrypt(0, 2), multiply(2, 2, 3)]
    with pytest.raises(cy.NoiseExhaustedError) as refused:
        device.run(circuit)
    assert refused.value.operation == "multiply"
    assert refused.value.bound > refused.value.capacity > 22
    device.run(circuit, strict=False)
    assert device.read_ciphertext(3).noise_bound > device.read_ciphertext(3).noise_limit


def test_messages_are_integers_below_p() -> None:
    device = context(log_p=3).open("cpu")
    device.write_message(0, [1, 7])
    assert device.read_message(0).tolist() == [1, 7] + 14 * [0]
    for value in (8, -1):
        with pytest.raises(cy.ValueOutOfRangeError) as refused:
            device.write_message(0, [0, value])
        assert (refused.value.index, refused.value.value, refused.value.max) == (1, value, 7)
    with pytest.raises(cy.TooManyValuesError):
        device.write_message(0, np.zeros(17, dtype=np.uint8))
    for wrong in ([0.5], "ab", {1: 2}):
        with pytest.raises(cy.ArrayError):
            device.write_message(0, wrong)  # type: ignore[arg-type]


def test_contexts_and_devices_say_what_they_are() -> None:
    with pytest.raises(cy.InsecureParametersError):
        bgv_word.Context("PAPER_128_P2")
    word = bgv_word.Context("TOY_128_DEPTH2", acknowledge_insecure=True)
    assert (word.factors, word.top_level, word.digit_bits) == ([174337, 769], 1, 5)
    assert bgv_word.Context.from_json(word.to_json()) == word
    assert hash(bgv_word.Context.from_json(word.to_json())) == hash(word)
    assert json.loads(word.to_json())["degree"] == word.degree == 128
    assert "TOY_128_DEPTH2" in bgv_word.presets()
    listed = bgv_word.devices()
    assert listed[0]["name"] == "cpu"
    assert listed[1]["name"] == "bgv-core"
    with pytest.raises(cy.DeviceUnsupportedError, match="cpu or bgv-core"):
        word.open("fpga")
    with pytest.raises(cy.DeviceMismatchError) as refused:
        word.open(simulated())
    assert (refused.value.found, refused.value.expected) == ("257 * 257 * 257", "174337 * 769")
    keys = word.keygen()
    with pytest.raises(cy.SecretPickleError):
        pickle.dumps(keys)
    assert "hidden" in repr(keys)


def test_failures_are_counted() -> None:
    unsigned = json.loads(bgv_word.Context("PAPER_128", acknowledge_insecure=True).to_json())
    unsigned["digits"] = "unsigned"
    word = bgv_word.Context.from_literal(unsigned)
    found = word.count_failures("product", operations=400, per_key=20)
    assert found == word.count_failures("product", operations=400, per_key=20)
    # About 1.3 of 100 are wrong: none, or more than 40, of 400 would be another rate.
    assert found["operations"] == 400
    assert 0 < found["wrong"] < 40
    assert 0.8 < found["deviation"] / found["predicted"] < 1.2
    with pytest.raises(cy.ParameterError, match="product-of-products"):
        word.count_failures("sum", operations=1)  # type: ignore[arg-type]


def test_the_examples_of_the_docstrings_run() -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    texts = [bgv_word.__doc__, bgv_word.presets.__doc__, bgv_word.devices.__doc__]
    for cls in (bgv_word.Context, bgv_word.Device, bgv_word.Ciphertext, bgv_word.Keys):
        assert cls.__doc__
        members = [vars(cls)[name] for name in vars(cls) if not name.startswith("_")]
        for member in members:
            assert inspect.getdoc(member), member
        texts += [cls.__doc__, *(inspect.getdoc(member) for member in members)]
    examples = 0
    for text in texts:
        test = parser.get_doctest(text or "", {"cy": cy}, "bgv_word", None, None)
        examples += len(test.examples)
        runner.run(test)
    assert examples > 20
    assert runner.failures == 0
