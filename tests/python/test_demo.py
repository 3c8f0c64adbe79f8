"""The demo: it runs, within its limits, and fails when a result differs."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace

import cyclotron as cy
import numpy as np
import pytest

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


@pytest.mark.slow
def test_the_demo_is_exact_and_within_its_limits() -> None:
    done = subprocess.run([sys.executable, DEMO], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    closing = re.search(
        r"every result is exact; ([\d.]+) s in all, peak memory (\d+) MB", done.stdout
    )
    assert closing is not None, done.stdout
    assert float(closing[1]) < 60
    assert int(closing[2]) < 1000
    assert done.stdout.count("variance of") == 10
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
    device = next(device for device in cy.pow2.devices() if device["name"] == "bfv-crypt")
    if device["available"]:
        assert "equal to the processor's, bit for bit: yes" in done.stdout
        assert "2276 of 2276 sums exact" in done.stdout
        assert re.search(r"encrypt +8 +[1-9]\d+ +[1-9]\d+", done.stdout), done.stdout


def load() -> ModuleType:
    sys.path.insert(0, str(DEMO.parent))  # as for a script; its other half lies beside it
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["demo"] = module
    spec.loader.exec_module(module)
    return module


def test_a_differing_result_fails_the_demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = load()
    right = demo.Row("bfv", "average radius", Fraction(1, 3), Fraction(1, 3), 1.0, 1, 1.0)
    wrong = demo.Row("bgv", "average radius", Fraction(1, 3), Fraction(1, 4), 1.0, 1, 1.0)
    assert demo.print_table([right])
    assert not demo.print_table([right, wrong])
    for rows, code in (([right], 0), ([wrong], 1)):
        monkeypatch.setattr(demo, "run", lambda *_, rows=rows: rows)
        monkeypatch.setattr(demo, "run_device", lambda *_: True)
        assert demo.main() == code
    assert "RESULTS DIFFER" in capsys.readouterr().out
    monkeypatch.setattr(demo, "run", lambda *_: [right])
    monkeypatch.setattr(demo, "run_device", lambda *_: False)
    assert demo.main() == 1


def device_part(
    monkeypatch: pytest.MonkeyPatch, alter: Callable[[np.ndarray], np.ndarray], name: str
) -> bool:
    """The device's part of the demo with one of its results altered."""
    load()
    part = sys.modules["demo_device"]
    context = cy.pow2.Context(part.PRESET, acknowledge_insecure=True)
    keys = context.keygen()

    class Altered:
        """Keys whose results are altered on the way."""

        secret = keys.secret

        def encrypt(self, values: np.ndarray, **options: object) -> object:
            on_device = options.pop("device", "cpu") != "cpu"
            fresh = keys.encrypt(values, **options)
            words = alter(fresh.words) if name == "words" and on_device else fresh.words
            cost = SimpleNamespace(compute_cycles=5, transfer_cycles=7)
            return Fake(fresh, words, cost)

        def decrypt_with_cost(self, total: Fake, **_: object) -> tuple[np.ndarray, object]:
            values = keys.decrypt(total.inner)
            values = alter(values) if name == "values" else values
            return values, SimpleNamespace(compute_cycles=5, transfer_cycles=7)

    class Fake:
        """A ciphertext whose words may be altered."""

        def __init__(self, inner: cy.pow2.Ciphertext, words: np.ndarray, cost: object) -> None:
            self.inner, self.words, self.cost = inner, words, cost
            self.margin = inner.margin

        def __add__(self, other: Fake) -> Fake:
            return Fake(self.inner + other.inner, self.words, self.cost)

    altered = Altered()
    altered.secret = altered
    fake = SimpleNamespace(
        devices=lambda: [{"name": "bfv-crypt", "available": True, "remedy": None}],
        Context=lambda *_, **__: SimpleNamespace(
            keygen=lambda: altered, plaintext_modulus=256, degree=1024, log_q=32, log_t=8
        ),
    )
    monkeypatch.setattr(part, "cy", SimpleNamespace(pow2=fake))
    data = [np.arange(569), np.arange(569)[::-1].copy()]
    return bool(part.run_device(["a", "b"], data))


def test_the_device_part_notices_every_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def flip(array: np.ndarray) -> np.ndarray:
        altered = array.copy()
        altered.reshape(-1)[7] ^= 1
        return altered

    assert device_part(monkeypatch, lambda array: array, "nothing")
    assert not device_part(monkeypatch, flip, "words")
    assert not device_part(monkeypatch, flip, "values")


def test_the_score_of_every_patient_counts() -> None:
    demo = load()
    columns, target = demo.read_columns()
    weights, bias = demo.fit_score(columns, target)
    rows = list(zip(*[[int(v) for v in column.integers] for column in columns], strict=True))
    exact = [sum(w * v for w, v in zip(weights, row, strict=True)) + bias for row in rows]
    altered = [exact[0] - 1, *exact[1:]]
    for values, equal in ((exact, True), (altered, False)):
        (row,) = demo.table_rows("bfv", "score", columns, weights, bias, values, 0.0, 0, 0.0)
        assert (row.encrypted == row.plain) is equal
