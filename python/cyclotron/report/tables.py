"""What the device studies share: measurements, tables, the page they are written to.

Measurements come from ``cyclotron rtl run --json``: cycles of the simulated RTL, and the time of
the processor in the same run, after both gave the same words. Times of a device are its cycles at
an *assumed* clock: there is no timing run of an open tool for the paper's FPGA family, and every
table says so.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cyclotron

#: Names the ``cyclotron`` command; the command itself sets it when it starts a study.
COMMAND_VARIABLE = "CYCLOTRON_COMMAND"

#: The page of the studies of the BFV devices, below the output folder.
PAGE = "performance-bfv-device.md"


class StudyError(RuntimeError):
    """A study that cannot be made, and what to do."""


@dataclass(frozen=True)
class Measurement:
    """One operation on ``items`` plaintexts or ciphertexts, on a device and on the processor."""

    device: str
    description: str
    processor: str
    degree: int
    operation: str
    items: int
    runs: int
    #: Cycles from start to done over all runs, without carrying anything.
    compute_cycles: int
    #: Cycles of carrying operands and results over the device's bus.
    transfer_cycles: int
    #: For all items, one thread, each run at its fastest; none for the paper's mode.
    processor_seconds: float | None

    @property
    def cycles_an_item(self) -> float:
        """Compute cycles of one item."""
        return self.compute_cycles / self.items

    def device_us(self, mhz: float, *, transfer: bool) -> float:
        """Microseconds an item on the device at a clock of ``mhz``, with or without transfers."""
        cycles = self.compute_cycles + (self.transfer_cycles if transfer else 0)
        return cycles / self.items / mhz

    @property
    def processor_us(self) -> float:
        """Microseconds an item on the processor; NaN where it was not measured."""
        seconds = self.processor_seconds
        return float("nan") if seconds is None else seconds * 1e6 / self.items


def measure_device(
    device: str,
    *,
    degree: int,
    items: Sequence[int],
    operations: Sequence[str],
) -> list[Measurement]:
    """Measures ``operations`` (``encrypt``, ``decrypt``, ``paper-encrypt``, ``paper-decrypt``) for
    each number of items, on a simulated device and on the processor.

    Raises :class:`StudyError` when the command is missing or refuses, with what it said.
    """
    arguments = ["rtl", "run", "--json", "--device", device, "--degree", str(degree)]
    arguments += ["--items", ",".join(map(str, items)), "--operation", ",".join(operations)]
    report = run_command(arguments)
    rows: list[dict[str, Any]] = report["rows"]
    measurements = []
    for row in rows:
        if row["compute_cycles"] is None or row["transfer_cycles"] is None:
            raise StudyError(f"{device} counts no cycles; study a simulated device")
        measurements.append(
            Measurement(
                device=device,
                description=report["description"],
                processor=report["processor"],
                degree=report["degree"],
                operation=row["operation"].replace("_", "-"),
                items=row["items"],
                runs=row["runs"],
                compute_cycles=row["compute_cycles"],
                transfer_cycles=row["transfer_cycles"],
                processor_seconds=row["processor_seconds"],
            )
        )
    return measurements


def run_command(arguments: Sequence[str]) -> dict[str, Any]:
    """Runs ``cyclotron`` with arguments that make it print one JSON object."""
    command = [command_path(), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StudyError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def command_path() -> str:
    """The command that is named, the one beside this Python, or the first on the path."""
    named = os.environ.get(COMMAND_VARIABLE)
    beside = Path(sys.executable).with_name("cyclotron")
    found = named or (str(beside) if beside.is_file() else shutil.which("cyclotron"))
    if not found:
        raise StudyError(f"no `cyclotron` command: make build, or name it in {COMMAND_VARIABLE}")
    return found


def resources(configuration: str, target: str = "xc7") -> dict[str, float] | None:
    """Cell counts of a synthesised configuration (``make synth``), or None when there are none.

    Keys: ``lut``, ``lutram``, ``ff``, ``bram`` (36 Kbit), ``dsp``. They are Yosys' counts before
    placement.
    """
    for folder in (Path.cwd(), *Path.cwd().parents):
        file = folder / "rtl" / "syn" / "results.json"
        if file.is_file():
            data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            result = data["results"].get(f"{configuration}.{target}")
            return None if result is None else dict(result["counts"])
    return None


def table(header: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> str:
    """A Markdown table; the first ``left`` columns are aligned to the left, others to the right."""
    rule = ["---" if i < left else "---:" for i in range(len(header))]
    lines = [list(header), rule, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """A measured value: three significant digits; a dash for what was not measured."""
    if value != value:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def quoted(value: float) -> str:
    """A value of a paper, as printed there."""
    return f"{value:,g}"


def cycles(value: float) -> str:
    """A mean number of cycles, to a tenth."""
    return f"{value:,.1f}".removesuffix(".0")


def circumstances(processor: str) -> str:
    """When, where and with which versions, as a Markdown list."""
    facts = [
        ("date", datetime.date.today().isoformat()),
        ("machine", f"{machine()}, {os.cpu_count()} cores"),
        ("processor device", f"{processor}, one thread, each run at its fastest of many passes"),
        ("versions", f"cyclotron {cyclotron.__version__}, Python {platform.python_version()}"),
        ("load over one minute", f"{os.getloadavg()[0]:.1f}"),
    ]
    return "\n".join(f"- {name}: {value}" for name, value in facts)


def machine() -> str:
    """Name of the processor, where the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def write_section(
    out: Path,
    name: str,
    text: str,
    *,
    page: str = PAGE,
    title: str = "Performance of the BFV devices",
) -> Path:
    """Puts a study's text between its marks on the page, which is made when missing.

    The rest of the page, which people write, stays as it is.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / page
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    block = f"{begin}\n{text.strip()}\n{end}"
    old = path.read_text(encoding="utf-8") if path.is_file() else f"# {title}\n"
    if begin in old and end in old:
        before, rest = old.split(begin, 1)
        after = rest.split(end, 1)[1]
        new = before + block + after
    else:
        new = f"{old.rstrip()}\n\n{block}\n"
    path.write_text(new, encoding="utf-8")
    return path
