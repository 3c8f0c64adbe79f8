#!/usr/bin/env python3
"""The SIMD levels this machine has, slowest first: the names that CYCLOTRON_SIMD takes.

python3 tools/simd_levels.py
"""

from __future__ import annotations

import re
from pathlib import Path

# Each level with the processor flags it needs (crates/ring/src/simd.rs asks the same).
AVX512 = {"avx512f", "avx512dq", "avx512vl", "avx512bw"}
NEEDS: dict[str, set[str]] = {
    "scalar": set(),
    "avx2": {"avx2"},
    "avx512": AVX512,
    "avx512ifma": AVX512 | {"avx512ifma"},
}


def levels(cpuinfo: str) -> list[str]:
    """The levels of a machine with this /proc/cpuinfo (other processors know `scalar` alone)."""
    match = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    flags = set(match[1].split()) if match else set()
    return [name for name, needed in NEEDS.items() if needed <= flags]


def here() -> list[str]:
    """The levels of this machine."""
    path = Path("/proc/cpuinfo")
    return levels(path.read_text(encoding="utf-8") if path.exists() else "")


if __name__ == "__main__":
    print("\n".join(here()))
