"""Writes device_randomness.json and lfsr_noise.json from the independent models.

    python tests/vectors/make_device_randomness.py [--check]

`--check` compares the files with the models instead of writing them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from model import device_randomness, lfsr_noise  # noqa: E402

SEEDS = [
    bytes(range(32)),
    bytes.fromhex("8f14e45fceea167a5a36dedd4bea2543c4ca4238a0b923820dcc509a6f75849b"),
]
RUNS = [0, 1, 0x0123_4567_89AB_CDEF, 2**64 - 2]
PLAINTEXTS = [0, 1, 15]
# Longer polynomials are told by their digests and their first coefficients.
WHOLE = 16
LFSR_COUNT = 64
LFSR_STATES = {
    "split20": [1, 0xABCDE, (1 << 20) - 1],
    "split60": [1, 0x0123_4567_89AB_CDE, (1 << 60) - 1],
    "rotation11": [1, 0x5A5, (1 << 11) - 1],
    "rotation20": [1, 0xABCDE, (1 << 20) - 1],
}


def fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def polynomial(values: list[int]) -> dict[str, object]:
    """The coefficients, or of long polynomials the first and digests of all as signed bytes."""
    if len(values) <= WHOLE:
        return {"values": values}
    as_bytes = b"".join(value.to_bytes(1, "little", signed=True) for value in values)
    return {
        "first": values[:WHOLE],
        "sha256": hashlib.sha256(as_bytes).hexdigest(),
        "fnv1a64": f"{fnv1a(as_bytes):016x}",
    }


def device_cases() -> list[dict[str, object]]:
    cases: list[dict[str, object]] = []
    for n in (4, 16, 1024):
        for seed in SEEDS:
            for run in RUNS:
                for k in PLAINTEXTS:
                    samples = device_randomness.plaintext(seed, run, k, n)
                    head = {"seed": seed.hex(), "run_counter": str(run), "k": k, "n": n}
                    cases.append(head | {key: polynomial(x) for key, x in samples.items()})
    return cases


def lfsr_cases() -> list[dict[str, object]]:
    cases: list[dict[str, object]] = []
    for name, states in LFSR_STATES.items():
        generator = lfsr_noise.GENERATORS[name]
        for state in states:
            trace = list(islice(lfsr_noise.run(generator, state), LFSR_COUNT))
            cases.append(
                {
                    "generator": name,
                    "states": [f"{state:x}" for state, _ in trace[:8]],
                    "samples": [sample for _, sample in trace],
                }
            )
    return cases


def document(about: str, cases: list[dict[str, object]]) -> str:
    lines = ",\n".join(f"    {json.dumps(case)}" for case in cases)
    return f'{{\n  "about": {json.dumps(about)},\n  "cases": [\n{lines}\n  ]\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    files = {
        "device_randomness.json": document(
            "docs/device-randomness.md: u, e1, e2 of plaintext k. Digests are of the coefficients "
            "as signed bytes. Made by make_device_randomness.py.",
            device_cases(),
        ),
        "lfsr_noise.json": document(
            "rtl/random/README.md: the first eight states (hexadecimal) and the first samples of "
            "the S-BFV paper's generators. Made by make_device_randomness.py.",
            lfsr_cases(),
        ),
    }
    wrong = 0
    for name, text in files.items():
        path = HERE / name
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path} differs from the model; run this script without --check and review")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
