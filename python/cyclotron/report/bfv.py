"""The study of the BFV device of degree 1024 (``rtl/bfv_crypt``): tables 5 and 6 of its paper.

The paper is "BFV homomorphic encryption accelerator with integrated Gaussian PRNG on FPGA" (S-BFV),
section VI. Its figures are quoted, ours are measured: cycles on the RTL, the processor on this
machine in the same run.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from cyclotron.report import charts, tables
from cyclotron.report.tables import Measurement, cycles, number, quoted

DEVICE = "bfv-crypt"
DEGREE = 1024
#: The paper's clock, at which cycles are shown as times.
MHZ = 100.0
#: Plaintexts and ciphertexts that one run holds.
RUN = {"encrypt": 16, "decrypt": 32}

# Table 5 of the paper, microseconds: encryption, decryption, both.
PAPER_SEAL = (371.85, 73.27, 419.83)
PAPER_DEVICE = (40.97, 20.50, 61.47)

# Table 6 of the paper: reference, method, FPGA, n, q bits, LUT / DSP / BRAM, MHz, us, cycles.
PAPER_TABLE_6 = (
    ("[13]", "iterative NTT", "Virtex-6", 65536, 30, "72K / 250 / 106", 100, 3376.0, "337.6K"),
    ("[9]", "Karatsuba", "Stratix-6", 2560, 125, "30K / 100 / -", 331, 583.0, "192.0K"),
    ("[14]", "iterative NTT", "UltraScale", 4096, 30, "64K / 200 / 400", 225, 171.0, "38.5K"),
    ("[46]", "FFT", "Spartan-6", 1024, 30, "1644 / 1 / 6.5", 200, 110.0, "22.0K"),
    ("[47]", "SHE", "Spartan-6", 1024, 31, "6689 / 4 / 8", 241, 33.0, "7.9K"),
    ("[16]", "iterative NTT", "Spartan-6", 1024, 32, "1208 / 14 / 14", 212, 37.0, "7.8K"),
    ("S-BFV", "convolution", "PYNQ-Z1", 1024, 32, "37K / 0 / 96", 100, 10.24, "1.0K"),
)


@dataclass(frozen=True)
class Study:
    """Measurements by operation and number of items."""

    default: dict[tuple[str, int], Measurement]
    #: The first run of one item after the device was opened: the key is carried, nothing prepared.
    cold: dict[str, Measurement]
    paper: dict[str, Measurement]

    def one(self, operation: str) -> Measurement:
        """A single item."""
        return self.default[operation, 1]

    def full(self, operation: str) -> Measurement:
        """A full run."""
        return self.default[operation, RUN[operation]]


def run(out: Path, *, quick: bool = False) -> None:
    """Measures, draws, and writes the section ``bfv`` of the page below ``out``."""
    study = measure(quick=quick)
    figures = out / "figures"
    times_figure(study, figures / "bfv-times.png")
    break_even_figure(study, figures / "bfv-break-even.png")
    page = tables.write_section(out, "bfv", section(study, quick=quick))
    print(f"written: {page}, {figures / 'bfv-times.png'}, {figures / 'bfv-break-even.png'}")


def measure(*, quick: bool) -> Study:
    """All measurements; ``quick`` leaves out the batches of more than one run."""
    default: dict[tuple[str, int], Measurement] = {}
    cold: dict[str, Measurement] = {}
    for operation, full in RUN.items():
        items = [1, full] if quick else sorted({1, 2, 4, 8, 16, 32, 64, 256, full})
        for found in tables.measure_device(
            DEVICE, degree=DEGREE, items=[1, *items], operations=[operation]
        ):
            cold.setdefault(operation, found)
            default[operation, found.items] = found
    paper = tables.measure_device(
        DEVICE, degree=DEGREE, items=[1], operations=["paper-encrypt", "paper-decrypt"]
    )
    by_operation = {found.operation.removeprefix("paper-"): found for found in paper}
    return Study(default, cold, by_operation)


def section(study: Study, *, quick: bool) -> str:
    """The Markdown of the study."""
    first = study.cold["encrypt"]
    cold = f"{first.compute_cycles:,} + {first.transfer_cycles:,}"
    shortened = "\nThis was a shortened run (`--quick`).\n" if quick else ""
    return f"""\
## BFV, n = 1024

{tables.circumstances(study.full("encrypt").processor)}
- device: simulated RTL, {study.full("encrypt").description}
{shortened}
### Table 5: running time

{table_5(study)}

Quoted rows are the paper's own figures. Times of our device are measured cycles at an assumed
clock of {MHZ:g} MHz, the paper's (no timing run of an open tool stands behind it), from start to
done without transfers, as in the paper. "Both" is the sum of the columns, except in the paper's
SEAL row. SEAL here: {seal()}.

![Times of one encryption and decryption](figures/bfv-times.png)

### Compute and transfer

{transfer_table(study)}

Cycles of all items, measured; the bus carries at most one word of 32 bits a cycle, and nothing is
carried while the device computes. The first run of one item, which also carries the public key,
is not among them: {cold} cycles for an encryption. A run whose randomness and first
product are ready when it starts (primed) takes n cycles a polynomial; after a run of one item the
next comes too soon for that.

![Time of an item against the number of items](figures/bfv-break-even.png)

Points are measured; the dotted lines go on with the last full run.
{break_even(study)}

### Table 6: other FPGA designs

{table_6(study)}

Quoted from the paper, but for the last rows. Cycles are of one polynomial product. LUTs of our rows
are those of the whole device, Yosys' counts before placement."""


def table_5(study: Study) -> str:
    """Table 5 with our rows."""
    rows: list[list[str]] = [
        ["SEAL 3.7 on a Core i7 (quoted)", "-", "-", *map(quoted, PAPER_SEAL)],
        [
            "S-BFV on PYNQ-Z1, 100 MHz (quoted)",
            *(quoted(us * MHZ) for us in PAPER_DEVICE[:2]),
            *map(quoted, PAPER_DEVICE),
        ],
    ]
    ours = [
        ("ours, paper's mode, one item", study.paper),
        ("ours, default, one item, first run", study.cold),
        ("ours, default, one item, later runs", {op: study.one(op) for op in RUN}),
        ("ours, default, an item of a full run", {op: study.full(op) for op in RUN}),
    ]
    for name, found in ours:
        times = [found[operation].device_us(MHZ, transfer=False) for operation in RUN]
        counts = [cycles(found[operation].cycles_an_item) for operation in RUN]
        rows.append([name, *counts, *(number(us) for us in (*times, sum(times)))])
    times = [study.full(operation).processor_us for operation in RUN]
    rows.append(["our processor device, one thread", "-", "-", *map(number, (*times, sum(times)))])
    header = ["", "cycles enc.", "cycles dec.", "encrypt, us", "decrypt, us", "both, us"]
    return tables.table(header, rows)


def transfer_table(study: Study) -> str:
    """Cycles of computing and carrying, by number of items."""
    rows = []
    for (operation, items), found in sorted(study.default.items(), reverse=True):
        rows.append(
            [
                operation,
                items,
                f"{found.compute_cycles:,}",
                f"{found.transfer_cycles:,}",
                number(found.device_us(MHZ, transfer=False)),
                number(found.device_us(MHZ, transfer=True)),
                number(found.processor_us),
            ]
        )
    rows.sort(key=lambda row: (row[0] != "encrypt", row[1]))
    header = [
        "",
        "items",
        "compute",
        "transfer",
        "us, compute",
        "us, with transfer",
        "us, processor",
    ]
    return tables.table(header, rows)


def table_6(study: Study) -> str:
    """Table 6 with our rows."""
    header = ["design", "method", "FPGA", "n", "q, bits", "LUT / DSP / BRAM", "MHz", "us", "cycles"]
    rows: list[list[object]] = [list(row) for row in PAPER_TABLE_6]
    found = tables.resources("bfv_crypt.paper_1024")
    area = "not synthesised yet"
    if found is not None:
        lut = found["lut"] + found.get("lutram", 0)
        area = f"{lut / 1000:.1f}K / {found['dsp']:g} / {found['bram']:g}"
    # A decryption is one product and a rounding.
    product = study.full("decrypt").cycles_an_item
    rows.append(
        [
            "ours, default",
            "convolution",
            "xc7z020 (not run)",
            DEGREE,
            32,
            area,
            f"{MHZ:g} assumed",
            number(product / MHZ),
            cycles(product),
        ]
    )
    product = study.paper["decrypt"].cycles_an_item
    rows.append(
        [
            "ours, paper's mode",
            "convolution",
            "xc7z020 (not run)",
            DEGREE,
            32,
            "the same device",
            f"{MHZ:g} assumed",
            number(product / MHZ),
            cycles(product),
        ]
    )
    return tables.table(header, rows, left=3)


def seal() -> str:
    """Whether SEAL could be measured on this machine."""
    if importlib.util.find_spec("seal") is None:
        return "not installed"
    return "a Python module `seal` is installed, but this study does not drive it"


def break_even(study: Study) -> str:
    """From which number of items on the device is faster than the processor."""
    lines = []
    for operation in RUN:
        found = sorted(
            (m for (op, _), m in study.default.items() if op == operation), key=lambda m: m.items
        )
        for transfer in (False, True):
            slower = [
                i
                for i, m in enumerate(found)
                if m.device_us(MHZ, transfer=transfer) >= m.processor_us
            ]
            first = slower[-1] + 1 if slower else 0
            what = "with transfers" if transfer else "computing alone"
            if first < len(found):
                result = f"the device is faster from {found[first].items} on"
            else:
                result = f"the processor is faster up to {found[-1].items}, where measuring ends"
            lines.append(f"- {operation}, {what}: {result}")
    return "\n" + "\n".join(lines)


def times_figure(study: Study, path: Path) -> Path:
    """Bars: one encryption and one decryption, quoted and measured."""
    names = [
        "SEAL 3.7, Core i7 (quoted)",
        "S-BFV device (quoted)",
        "ours, paper's mode",
        "ours, default, one, later",
        "ours, default, full run",
        "our processor device",
    ]
    colours = [charts.GREY, charts.GREY, charts.SKY, charts.BLUE, charts.BLUE, charts.ORANGE]
    made, plots = charts.figure(1, 2, 9.5, 3.2)
    for i, (operation, axis) in enumerate(zip(RUN, plots, strict=True)):
        values = [
            PAPER_SEAL[i],
            PAPER_DEVICE[i],
            study.paper[operation].device_us(MHZ, transfer=False),
            study.one(operation).device_us(MHZ, transfer=False),
            study.full(operation).device_us(MHZ, transfer=False),
            study.full(operation).processor_us,
        ]
        positions = list(range(len(names)))[::-1]
        axis.barh(positions, values, color=colours, height=0.65)
        charts.bar_labels(axis, positions, values)
        axis.set_yticks(positions, names if i == 0 else [""] * len(names), fontsize="small")
        axis.set_xlim(0, 1.15 * max(values))
        axis.set_xlabel(
            f"microseconds an item (device: cycles at {MHZ:g} MHz, assumed)", fontsize=8
        )
        axis.set_title(f"{operation.capitalize()}, n = {DEGREE}", fontsize=10)
        axis.grid(visible=False, axis="y")
    return charts.save(made, path)


def break_even_figure(study: Study, path: Path) -> Path:
    """Lines: time of an item against the number of items, 1 to 4096."""
    made, plots = charts.figure(1, 2, 9.5, 4.0)
    for operation, axis in zip(RUN, plots, strict=True):
        found = sorted(
            (m for (op, _), m in study.default.items() if op == operation), key=lambda m: m.items
        )
        items = [m.items for m in found]
        series = [
            ("processor, one thread", charts.ORANGE, "s", [m.processor_us for m in found]),
            (
                "device with transfers",
                charts.VERMILION,
                "o",
                [m.device_us(MHZ, transfer=True) for m in found],
            ),
            (
                "device, computing alone",
                charts.BLUE,
                "^",
                [m.device_us(MHZ, transfer=False) for m in found],
            ),
        ]
        for name, colour, marker, values in series:
            axis.plot(items, values, color=colour, marker=marker, markersize=4, label=name)
            # Full runs repeat: beyond what is measured an item takes what the last ones took.
            axis.plot([items[-1], 4096], [values[-1]] * 2, color=colour, linestyle=":")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        ticks = [4**i for i in range(7)]
        axis.set_xticks(ticks, labels=[str(tick) for tick in ticks])
        charts.plain_log_ticks(axis)
        axis.set_xlabel("items")
        axis.set_ylabel(f"microseconds an item ({MHZ:g} MHz assumed)")
        axis.set_title(f"{operation.capitalize()}, n = {DEGREE}", fontsize=10)
    charts.legend_below(made, plots[0], 3)
    return charts.save(made, path, bottom=0.07)
