"""Puts one fault at a time into the RTL and demands that the bench named fails.

`rtl/<block>/tb/mutants.yaml` is a list of

    - file: rtl/random/lfsr.sv        a path from the repository or from the block
      replace: "s0 ^ s3"              stands exactly once in the file
      with: "s0 & s3"
      bench: test_lfsr                a file of the same folder, `test_lfsr`, or one of its pytest
                                      functions, `test_lfsr::test_width_20`
      why: what would be wrong

A mutant that does not build is a fault of the list: it shows nothing about the bench. Benches run
on a copy of `rtl/`, without the tests marked full; as many mutants at once as there are jobs
(CARGO_BUILD_JOBS, set by make). First each bench runs unchanged (not with `--quick`, which takes
one mutant a bench and leaves the unchanged run to `make test-rtl`).

    python tools/rtl/mutate.py [--quick] [BLOCK ...]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Concatenate, ParamSpec, TypeVar

import yaml

from core_files import REPOSITORY, CoreError
from programs import ToolError, build_root, environment

_KEYS = {"file", "replace", "with", "bench", "why"}
Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Mutant:
    """One fault: `before` becomes `after` in `file` (from the root); `bench` must fail."""

    block: str
    file: Path
    before: str
    after: str
    bench: str
    why: str


def read_mutants(path: Path, root: Path) -> list[Mutant]:
    """Reads one list. Raises `CoreError` for an entry that cannot be applied."""
    block = path.parts[-3]
    found = []
    for number, entry in enumerate(yaml.safe_load(path.read_text(encoding="utf-8")) or (), 1):
        where = f"{path}, entry {number}"
        if set(entry) != _KEYS:
            raise CoreError(f"{where}: has {sorted(entry)}, needs {sorted(_KEYS)}")
        file = root / entry["file"]
        file = file if file.is_file() else path.parents[1] / entry["file"]
        if not file.is_file():
            raise CoreError(f"{where}: no file {entry['file']}")
        times = file.read_text(encoding="utf-8").count(entry["replace"])
        if times != 1:
            raise CoreError(
                f"{where}: {entry['replace']!r} stands {times} times in {file}, not once"
            )
        bench = str(entry["bench"])
        if not (path.parent / f"{bench.partition('::')[0].removesuffix('.py')}.py").is_file():
            raise CoreError(f"{where}: no bench {bench} in {path.parent}")
        mutant = Mutant(
            block, file.relative_to(root), entry["replace"], entry["with"], bench, entry["why"]
        )
        found.append(mutant)
    return found


def copy_tree(root: Path, place: Path) -> None:
    """A copy of `rtl/`; everything else of the repository by links."""
    shutil.copytree(root / "rtl", place / "rtl", ignore=shutil.ignore_patterns("__pycache__"))
    for entry in REPOSITORY.iterdir():
        if entry.name not in {"rtl", "target", ".git"}:
            (place / entry.name).symlink_to(entry)


def run_bench_file(copy: Path, block: str, bench: str) -> tuple[int, str]:
    """Runs a bench on the copy, what it builds below it: pytest's exit status and output."""
    file, _, test = bench.partition("::")
    path = copy / "rtl" / block / "tb" / f"{file.removesuffix('.py')}.py"
    objects = os.environ.get("CYCLOTRON_OBJECT_CACHE", str(build_root() / "objects"))
    env = environment(
        {
            "RTL_ROOT": str(copy),
            "CARGO_TARGET_DIR": str(copy / "built"),
            # One bench and one test after the other, to the first failure.
            "CARGO_BUILD_JOBS": "1",
            "COCOTB_MAX_FAILURES": "1",
            "CYCLOTRON_OBJECT_CACHE": objects,
        }
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "not full",
    ]
    command += [f"--rootdir={copy}", "-c", str(REPOSITORY / "pyproject.toml")]
    command.append(f"{path}::{test}" if test else str(path))
    done = subprocess.run(
        command,
        cwd=copy,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def try_mutant(copy: Path, mutant: Mutant) -> str | None:
    """None when the bench found the fault, else what is wrong."""
    file = copy / mutant.file
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace(mutant.before, mutant.after), encoding="utf-8")
    try:
        status, output = run_bench_file(copy, mutant.block, mutant.bench)
    finally:
        file.write_text(whole, encoding="utf-8")
    if status == 0:
        return "SURVIVED: the bench passes"
    # 1 is "tests ran and failed"; anything else, or a failed build, shows nothing.
    if status != 1 or "programs.ToolError" in output:
        return f"not tried, the bench did not run:\n{output[-3000:]}"
    return None


def on_a_copy(
    copies: SimpleQueue[Path],
    pool: ThreadPoolExecutor,
    job: Callable[Concatenate[Path, Given], Result],
    *given: Given.args,
    **named: Given.kwargs,
) -> Future[Result]:
    """Runs a job of the pool on a copy of its own."""

    def work() -> Result:
        copy = copies.get()
        try:
            return job(copy, *given, **named)
        finally:
            copies.put(copy)

    return pool.submit(work)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="default: all")
    parser.add_argument("--quick", action="store_true", help="one mutant a bench")
    parser.add_argument("--bench", help="only the mutants of this bench")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    lists = sorted((root / "rtl").glob("*/tb/mutants.yaml"))
    failed = tried = 0
    try:
        mutants = [
            mutant
            for path in lists
            if not options.blocks or path.parts[-3] in options.blocks
            for mutant in read_mutants(path, root)
        ]
        if options.bench:
            mutants = [m for m in mutants if m.bench.partition("::")[0] == options.bench]
        if options.quick:
            mutants = list({(m.block, m.bench.partition("::")[0]): m for m in mutants}.values())
        with tempfile.TemporaryDirectory(prefix="cyclotron-mutants-") as place:
            jobs = max(1, int(os.environ.get("CARGO_BUILD_JOBS", "2")))
            copies: SimpleQueue[Path] = SimpleQueue()
            for number in range(jobs):
                copy = Path(place).resolve() / str(number)
                copy_tree(root, copy)
                copies.put(copy)
            with ThreadPoolExecutor(jobs) as pool:
                benches = (
                    [] if options.quick else dict.fromkeys((m.block, m.bench) for m in mutants)
                )
                unchanged = [
                    (*bench, on_a_copy(copies, pool, run_bench_file, *bench)) for bench in benches
                ]
                trials = [(m, on_a_copy(copies, pool, try_mutant, m)) for m in mutants]
                for block, bench, result in unchanged:
                    status, output = result.result()
                    if status:
                        print(
                            f"{block}/{bench}: fails unchanged\n{output[-3000:]}", file=sys.stderr
                        )
                        failed += 1
                for mutant, trial in trials:
                    fault = trial.result()
                    tried += 1
                    failed += fault is not None
                    name = f"{mutant.file} -> {mutant.after!r} ({mutant.why}), {mutant.bench}"
                    print(f"{'FAULT' if fault else 'found'}: {name}", flush=True)
                    if fault:
                        print(f"    {fault}", file=sys.stderr, flush=True)
    except (CoreError, ToolError) as fault:
        print(f"mutate: {fault}", file=sys.stderr)
        return 1
    print(f"mutate: {tried} mutants, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
