"""Collects what criterion measured into one table, with machine, versions and date.

Reads the estimates that `cargo bench` left under the target folder; prints a Markdown table
(medians, and the median absolute deviation), and writes it to a file with `--write`. Figures are
of this machine; compare ratios, not times, between machines.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Measurement:
    """One benchmark: times in nanoseconds."""

    group: str
    name: str
    median: float
    spread: float


def read(criterion: Path) -> list[Measurement]:
    """Every benchmark with a present estimate, in the order of its names."""
    found = []
    for path in sorted(criterion.glob("**/new/estimates.json")):
        about = json.loads((path.parent / "benchmark.json").read_text())
        estimates = json.loads(path.read_text())
        name = "/".join(part for part in (about["function_id"], about["value_str"]) if part)
        median = estimates["median"]["point_estimate"]
        spread = estimates["median_abs_dev"]["point_estimate"]
        found.append(Measurement(about["group_id"], name, median, spread))
    return found


def human(nanoseconds: float) -> str:
    """A time with three significant digits."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def processor() -> str:
    """Name of the processor, as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def header() -> list[str]:
    """Machine, versions, date, load."""

    def output(*command: str) -> str:
        return subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=ROOT
        ).stdout.strip()

    flags = Path("/proc/cpuinfo")
    ifma = flags.exists() and "avx512ifma" in flags.read_text()
    load = os.getloadavg()[1]
    return [
        f"- date: {datetime.datetime.now(datetime.UTC).date()}",
        f"- commit: {output('git', 'rev-parse', '--short', 'HEAD')}",
        f"- machine: {processor()}, {os.cpu_count()} cores, "
        f"AVX-512 IFMA: {'yes' if ifma else 'no'}",
        f"- compiler: {output('rustc', '--version')}",
        f"- SIMD level forced: {os.environ.get('CYCLOTRON_SIMD', 'no (the fastest found)')}",
        f"- load over five minutes when collected: {load:.1f}",
    ]


def table(measurements: list[Measurement]) -> list[str]:
    """One section a group."""
    lines: list[str] = []
    group = None
    for measurement in measurements:
        if measurement.group != group:
            group = measurement.group
            lines += ["", f"### {group}", "", "| operation | median | spread |", "|---|---|---|"]
        spread = f"{100 * measurement.spread / measurement.median:.0f} %"
        lines.append(f"| {measurement.name} | {human(measurement.median)} | {spread} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", type=Path, help="also write the table to this file")
    parser.add_argument("--groups", default="", help="only groups whose name contains this")
    arguments = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    measurements = [m for m in read(target / "criterion") if arguments.groups in m.group]
    if not measurements:
        raise SystemExit(f"no measurements under {target / 'criterion'}: run `make bench` first")
    text = "\n".join([*header(), *table(measurements)]) + "\n"
    print(text)
    if arguments.write:
        arguments.write.write_text(text)


if __name__ == "__main__":
    main()
