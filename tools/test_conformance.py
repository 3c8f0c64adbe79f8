#!/usr/bin/env python3
"""Runs the engine's conformance tests once at each SIMD level this machine has.

Every level must give the same integers. A level at which no test ran is a failure: a renamed test
must not pass for a passed one.

    python3 tools/test_conformance.py [--fastest] [--include-ignored]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import simd_levels

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "crates" / "engine"
# The crates of `make test`: a build of the engine alone would choose other features of what it
# stands on, and compile all of it a second time.
BUILD = [
    *("cargo", "test", "--quiet", "--release", "--locked", "--workspace"),
    *("--exclude", "cyclotron-python", "--lib", "--no-run", "--message-format", "json"),
]
PASSED = re.compile(r"^test result: ok\. (\d+) passed", re.MULTILINE)


def build() -> list[list[str]]:
    """Commands: unit tests whose path names `conformance`, all of tests/conformance.rs."""
    file = ENGINE / "tests" / "conformance.rs"
    extra = ["--test", "conformance"] if file.exists() else []
    done = subprocess.run(
        [*BUILD, *extra], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit("test_conformance: the tests do not build")
    commands = []
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] != "compiler-artifact" or not message["executable"]:
            continue
        if message["profile"]["test"] and Path(message["manifest_path"]).parent == ENGINE:
            whole = message["target"]["kind"] == ["test"]
            commands.append([message["executable"], *([] if whole else ["conformance"])])
    return commands


def run(commands: list[list[str]], level: str, extra: list[str]) -> int:
    """How many tests passed at a level; leaves when one fails."""
    passed = 0
    for command in commands:
        environment = {**os.environ, "CYCLOTRON_SIMD": level, "CARGO_MANIFEST_DIR": str(ENGINE)}
        done = subprocess.run(
            [*command, "--quiet", *extra],
            cwd=ENGINE,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
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
    commands = build()
    for level in levels[-1:] if options.fastest else levels:
        start = time.monotonic()
        passed = run(commands, level, ["--include-ignored"] if options.include_ignored else [])
        seconds = time.monotonic() - start
        print(f"    {level:<12}{passed:>4} conformance tests passed, {seconds:.0f} s", flush=True)
        if passed == 0:
            sys.exit("test_conformance: no test of cyclotron-engine is named `conformance`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
