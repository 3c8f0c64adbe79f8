"""The demo: it runs, within its limits, and fails when a result differs."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

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


def load() -> ModuleType:
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
        assert demo.main() == code
    assert "RESULTS DIFFER" in capsys.readouterr().out


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
