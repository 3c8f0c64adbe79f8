"""Collects what criterion measured into `docs/benchmarks.md`, with machine, versions and date.

Reads the estimates that `cargo bench` left under the target folder and prints one Markdown page of
medians; `--write FILE` also writes it. Figures are of this machine: compare ratios, not times.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Group -> benchmark -> median, in nanoseconds.
Medians = dict[str, dict[str, float]]

LEVELS = ["scalar", "avx2", "avx512", "avx512ifma"]
OPERATIONS = [
    "encode",
    "encrypt",
    "encrypt_symmetric",
    "decrypt",
    "add",
    "mul_plain",
    "mul",
    "mul_relin",
    "rotate",
]
# What, goal in nanoseconds, group, benchmark.
GOALS = [
    ("NTT forward, n = 32768, 50-bit prime", 65e3, "ntt/50-bit/avx512ifma", "forward/32768"),
    ("NTT inverse, n = 32768, 50-bit prime", 65e3, "ntt/50-bit/avx512ifma", "inverse/32768"),
    ("BFV multiply and relinearise, n = 16384", 40e6, "bfv/n=16384/logQP=438", "mul_relin"),
    ("BGV multiply and relinearise, n = 32768", 62e6, "bgv/n=32768/logQP=879", "mul_relin"),
]
INTRODUCTION = """# Benchmarks

`make bench` measures with criterion; `.venv/bin/python bench/run.py --write docs/benchmarks.md`
collects the medians into this page. Times are of one machine: compare ratios. The schemes are
measured at the presets `STANDARD_2018_*` (t = 65537, the table of 2018, because the sets that other
libraries are measured at exceed the rows of 2024), on one thread.
"""
NOTES = """
`mul` leaves three polynomials, `mul_relin` two. Decryption includes the check of the noise. Peers
are not yet measured beside these in one run, so no ratio to them is claimed.
"""


def read(criterion: Path) -> Medians:
    """Every benchmark with a present estimate."""
    medians: Medians = {}
    for path in sorted(criterion.glob("**/new/estimates.json")):
        about = json.loads((path.parent / "benchmark.json").read_text())
        name = "/".join(part for part in (about["function_id"], about["value_str"]) if part)
        estimates = json.loads(path.read_text())
        medians.setdefault(about["group_id"], {})[name] = estimates["median"]["point_estimate"]
    return medians


def human(nanoseconds: float | None) -> str:
    """A time with three significant digits."""
    if nanoseconds is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def processor() -> str:
    """Name of the processor, as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Machine, versions, date, load."""

    def output(*command: str) -> str:
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        return done.stdout.strip()

    flags = Path("/proc/cpuinfo")
    ifma = flags.exists() and "avx512ifma" in flags.read_text()
    return "\n".join(
        [
            f"- date: {datetime.datetime.now(datetime.timezone.utc).date()}",
            f"- commit: {output('git', 'rev-parse', '--short', 'HEAD')}",
            f"- machine: {processor()}, {os.cpu_count()} cores, "
            f"AVX-512 IFMA: {'yes' if ifma else 'no'}",
            f"- compiler: {output('rustc', '--version')}",
            f"- SIMD level forced: {os.environ.get('CYCLOTRON_SIMD', 'no (the fastest found)')}",
            f"- load over five minutes when collected: {os.getloadavg()[1]:.1f}",
            "",
        ]
    )


def goals(medians: Medians) -> str:
    """The goals of this version beside what was measured."""
    rows = []
    for what, goal, group, name in GOALS:
        measured = medians.get(group, {}).get(name)
        ratio = "-" if measured is None else f"{measured / goal:.2f}"
        rows.append([what, human(goal), human(measured), ratio])
    return table(["what (AVX-512 IFMA, one thread)", "goal", "measured", "ratio"], rows)


def transforms(medians: Medians) -> str:
    """Microseconds, forward / inverse, by level and degree."""
    pages = []
    for bits in (50, 60):
        groups = {level: medians.get(f"ntt/{bits}-bit/{level}", {}) for level in LEVELS}
        names = {name for group in groups.values() for name in group}
        degrees = sorted({int(name.split("/")[1]) for name in names})
        rows = []
        for level, group in groups.items():
            cells = []
            for degree in degrees:
                pair = [group.get(f"{way}/{degree}") for way in ("forward", "inverse")]
                cells.append(" / ".join("-" if v is None else f"{v / 1e3:.3g}" for v in pair))
            rows.append([level, *cells])
        head = [f"{bits}-bit prime", *(f"n = {degree}" for degree in degrees)]
        pages.append(table(head, rows))
    return "\n".join(pages)


def schemes(medians: Medians) -> str:
    """One column a scheme and set."""
    groups = [name for name in medians if name.startswith(("bfv/", "bgv/"))]
    groups.sort(key=lambda name: (name[:3], int(name.split("n=")[1].split("/")[0])))
    titles = [name.replace("/n=", " ").replace("/logQP=", " / ") for name in groups]
    rows = [[op, *(human(medians[group].get(op)) for group in groups)] for op in OPERATIONS]
    return table(["operation (n / log QP)", *titles], rows)


def others(medians: Medians) -> str:
    """Everything else, one line each."""
    rows = [
        [f"{group} {name}".strip(), human(median)]
        for group, benchmarks in medians.items()
        if not group.startswith(("ntt/", "bfv/", "bgv/"))
        for name, median in benchmarks.items()
    ]
    return table(["benchmark", "median"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="also write the page to this file")
    arguments = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    medians = read(target / "criterion")
    if not medians:
        raise SystemExit(f"no measurements under {target / 'criterion'}: run `make bench` first")
    page = "\n".join(
        [
            INTRODUCTION,
            machine(),
            "## Goals of this version\n",
            goals(medians),
            "## Negacyclic transform, microseconds, forward / inverse\n",
            transforms(medians),
            "At 60 bits the IFMA level runs the plain AVX-512 code.\n",
            "## Schemes\n",
            schemes(medians) + NOTES,
            "## Parts\n",
            others(medians),
        ]
    )
    print(page)
    if arguments.write:
        arguments.write.write_text(page)


if __name__ == "__main__":
    main()
