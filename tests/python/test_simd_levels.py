"""tools/simd_levels.py agrees with the levels of crates/ring/src/simd.rs."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("simd_levels", ROOT / "tools" / "simd_levels.py")
assert spec is not None
assert spec.loader is not None
simd_levels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(simd_levels)


@pytest.mark.parametrize(
    ("flags", "levels"),
    [
        ("fpu sse2", ["scalar"]),
        ("fpu sse2 avx avx2", ["scalar", "avx2"]),
        ("avx2 avx512f avx512dq", ["scalar", "avx2"]),
        ("avx2 avx512f avx512dq avx512bw avx512vl", ["scalar", "avx2", "avx512"]),
        (
            "avx2 avx512f avx512dq avx512bw avx512vl avx512ifma",
            ["scalar", "avx2", "avx512", "avx512ifma"],
        ),
    ],
)
def test_levels_of_a_processor(flags: str, levels: list[str]) -> None:
    assert simd_levels.levels(f"processor\t: 0\nflags\t\t: {flags}\n") == levels


def test_a_processor_without_flags_is_scalar() -> None:
    assert simd_levels.levels("Features\t: fp asimd\n") == ["scalar"]


def test_the_names_are_those_of_the_ring_crate() -> None:
    source = (ROOT / "crates" / "ring" / "src" / "simd.rs").read_text(encoding="utf-8")
    assert re.findall(r'Self::\w+ => "(\w+)"', source) == list(simd_levels.NEEDS)
