"""The studies' numpy generators against the shared vectors."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotron.report import generators

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
NAMES = {
    "split20": generators.SPLIT_20,
    "split60": generators.SPLIT_60,
    "rotation11": generators.ROTATION_11,
    "rotation20": generators.ROTATION_20,
}


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / name).read_text())["cases"]
    return found


@pytest.mark.parametrize("case", cases("lfsr_noise.json"), ids=lambda case: case["generator"])
def test_lfsr_vectors(case: dict[str, Any]) -> None:
    generator = NAMES[case["generator"]]
    states = generator.states(int(case["states"][0], 16), len(case["samples"]))
    assert [f"{state:x}" for state in states.tolist()[:8]] == case["states"]
    assert generator.samples(states).tolist() == case["samples"]


@pytest.mark.parametrize("generator", [generators.SPLIT_20, generators.ROTATION_11])
def test_the_period_is_maximal(generator: generators.LfsrGenerator) -> None:
    period = 2**generator.width - 1
    states = generator.states(1, period + 1)
    assert states[period] == 1
    assert len(np.unique(states[:period])) == period


def test_device_vectors() -> None:
    for case in cases("device_randomness.json"):
        n = case["n"]
        seed = bytes.fromhex(case["seed"])
        found = generators.binomial_noise(seed, int(case["run_counter"]), case["k"], n)
        for vector, values in ((case["e1"], found[:n]), (case["e2"], found[n:])):
            if "values" in vector:
                assert values.tolist() == vector["values"]
            else:
                assert values[:16].tolist() == vector["first"]
                digest = hashlib.sha256(values.astype(np.int8).tobytes()).hexdigest()
                assert digest == vector["sha256"]
