#!/usr/bin/env python3
"""Runs the engine's conformance tests once at each SIMD level this machine has.

Every level must give the same integers. A level at which no test ran is a failure: a renamed test
must not pass for a passed one.

    python3 tools/test_conformance.py [--fastest] [--include-ignored]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import simd_levels

ROOT = Path(__file__).parents[1]
CARGO = ["cargo", "test", "--quiet", "--package", "cyclotron-engine", "--release", "--locked"]
PASSED = re.compile(r"^test result: ok\. (\d+) passed", re.MULTILINE)


def selections() -> list[list[str]]:
    """Tests whose path names `conformance`, and all of tests/conformance.rs where there is one."""
    filtered = ["--lib", "conformance"]
    file = ROOT / "crates" / "engine" / "tests" / "conformance.rs"
    return [filtered, ["--test", "conformance"]] if file.exists() else [filtered]


def run(level: str, extra: list[str]) -> int:
    """How many tests passed at a level; leaves when one fails."""
    passed = 0
    for selection in selections():
        command = [*CARGO, *selection, "--", *extra]
        environment = {**os.environ, "CYCLOTRON_SIMD": level}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode != 0:
            print(done.stdout)
            sys.exit(f"test_conformance: failed at level {level}: {' '.join(command)}")
        passed += sum(int(count) for count in PASSED.findall(done.stdout))
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--fastest", action="store_true", help="only the fastest level")
    parser.add_argument("--include-ignored", action="store_true", help="ignored tests too")
    options = parser.parse_args()
    levels = simd_levels.here()
    for level in levels[-1:] if options.fastest else levels:
        start = time.monotonic()
        passed = run(level, ["--include-ignored"] if options.include_ignored else [])
        seconds = time.monotonic() - start
        print(f"    {level:<12}{passed:>4} conformance tests passed, {seconds:.0f} s", flush=True)
        if passed == 0:
            sys.exit("test_conformance: no test of cyclotron-engine is named `conformance`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
