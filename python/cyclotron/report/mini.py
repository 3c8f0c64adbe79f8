"""The study of the BFV devices of degree 4, 8 and 16 (``rtl/bfv_mini``).

The paper is H. Fadhli, "Accelerating FHE BFV Decryptor and Encryptor" (S-MINI), sections IV and V:
50 to 1000 items in steps of 50, mean time of an item on several platforms. Its figures are quoted.
Computing and carrying are apart here, because on the paper's board the carrying was all that
showed: 1.2 ms an item at n = 4, where the array computes for 28 ns.
"""

from __future__ import annotations

from pathlib import Path

from cyclotron.report import charts, tables
from cyclotron.report.tables import Measurement, number, quoted

DEVICE = "bfv-mini"
DEGREES = (4, 8, 16)
OPERATIONS = ("encrypt", "decrypt")
#: Clocks at which cycles are shown as times: the sister device's, and the one of the paper's 28 ns.
CLOCKS = (100.0, 250.0)
STEPS = tuple(range(50, 1001, 50))

#: Mean milliseconds an item in the paper: PYNQ-Z1 processor, PYNQ-Z1 with the accelerator, Core i5,
#: Raspberry Pi 3B+; by degree.
PAPER_MS = {
    "encrypt": {
        4: (4.562, 1.2025, 0.205, 1.639),
        8: (8.328, 1.945, 0.346, 1.84),
        16: (16.1, 3.94, 0.724, 2.28),
    },
    "decrypt": {
        4: (3.439, 0.387, 0.202, 1.482),
        8: (6.293, 0.744, 0.369, 1.705),
        16: (12.427, 1.407, 0.701, 1.654),
    },
}
PAPER_PLATFORMS = ("PYNQ-Z1 processor", "PYNQ-Z1 + FPGA", "Core i5", "Raspberry Pi 3B+")

Study = dict[tuple[int, str], list[Measurement]]


def run(out: Path, *, quick: bool = False) -> None:
    """Measures, draws, and writes the section ``mini`` of the page below ``out``."""
    steps = (50, 500, 1000) if quick else STEPS
    study = measure(steps)
    figure = times_figure(study, out / "figures" / "mini-times.png")
    page = tables.write_section(out, "mini", section(study, quick=quick))
    print(f"written: {page}, {figure}")


def measure(steps: tuple[int, ...]) -> Study:
    """All measurements, by degree and operation, in the order of ``steps``."""
    study: Study = {}
    for degree in DEGREES:
        found = tables.measure_device(DEVICE, degree=degree, items=steps, operations=OPERATIONS)
        for operation in OPERATIONS:
            study[degree, operation] = [m for m in found if m.operation == operation]
    return study


def section(study: Study, *, quick: bool) -> str:
    """The Markdown of the study."""
    first = study[DEGREES[0], OPERATIONS[0]][0]
    shortened = "\nThis was a shortened run (`--quick`).\n" if quick else ""
    clocks = " and ".join(f"{clock:g}" for clock in CLOCKS)
    return f"""\
## BFV, n = 4, 8, 16

{tables.circumstances(first.processor)}
- device: simulated RTL, {first.description.split(":")[0]}
{shortened}
Mean of {len(study[4, "encrypt"])} batches of 50 to 1000 items, q = 2^32, t = 2^16. Such degrees
have no security whatever: they are here because the paper has them. Cycles are measured on the RTL;
times are these at assumed clocks of {clocks} MHz (no timing run of an open tool stands behind
them). The paper's times are quoted: its accelerator behind Python on the PYNQ-Z1, which writes word
by word. This device takes `u`, `e1`, `e2` from the host: drawing them is in the processor's time of
an encryption, and not in the device's cycles.

{summary(study)}

![Time of an item against the number of items](figures/mini-times.png)

### By number of items: cycles an item, compute / transfer

{cycles_table(study)}"""


def summary(study: Study) -> str:
    """Our device and processor, then the paper's platforms: a row for each operation and degree."""
    cases = [(operation, degree) for operation in OPERATIONS for degree in DEGREES]
    ours, theirs = [], []
    for operation, degree in cases:
        found = study[degree, operation]
        items = sum(m.items for m in found)
        compute = sum(m.compute_cycles for m in found) / items
        both = compute + sum(m.transfer_cycles for m in found) / items
        times = [cycles / clock for cycles in (compute, both) for clock in CLOCKS]
        processor = sum(m.processor_us for m in found) / len(found)
        ours.append([operation, degree, *map(number, (compute, both - compute, *times, processor))])
        paper = PAPER_MS[operation][degree]
        theirs.append([operation, degree, *(quoted(1000 * ms) for ms in paper)])
    header = ["", "n", "cycles, compute", "cycles, transfer"]
    for what in ("compute", "with transfer"):
        header += [f"us, {what}, {clock:g} MHz" for clock in CLOCKS]
    return "\n\n".join(
        (
            tables.table([*header, "us, our processor"], ours),
            "The paper's means, microseconds an item (quoted):",
            tables.table(["", "n", *PAPER_PLATFORMS], theirs),
        )
    )


def cycles_table(study: Study) -> str:
    """Compute and transfer cycles an item, by number of items."""
    columns = [(degree, operation) for operation in OPERATIONS for degree in DEGREES]
    header = ["items", *(f"{operation}, n = {degree}" for degree, operation in columns)]
    rows = []
    for found in zip(*(study[column] for column in columns), strict=True):
        cells = [f"{m.cycles_an_item:.1f} / {m.transfer_cycles / m.items:.1f}" for m in found]
        rows.append([found[0].items, *cells])
    return tables.table(header, rows, left=0)


def times_figure(study: Study, path: Path) -> Path:
    """Six plots: time of an item against the number of items, by operation and degree."""
    made, plots = charts.figure(len(OPERATIONS), len(DEGREES), 10.5, 6.2)
    cases = [(operation, degree) for operation in OPERATIONS for degree in DEGREES]
    for (operation, degree), axis in zip(cases, plots, strict=True):
        found = study[degree, operation]
        items = [m.items for m in found]
        paper = dict(zip(PAPER_PLATFORMS, PAPER_MS[operation][degree], strict=True))
        for name, colour, style in (
            ("PYNQ-Z1 + FPGA", charts.PURPLE, "--"),
            ("Core i5", charts.GREY, "--"),
        ):
            axis.axhline(
                1000 * paper[name], color=colour, linestyle=style, label=f"{name} (quoted)"
            )
        series = [
            (
                "our processor device, one thread",
                charts.ORANGE,
                "s",
                [m.processor_us for m in found],
            ),
            (
                "device with transfers, 100 MHz assumed",
                charts.VERMILION,
                "o",
                [m.device_us(100, transfer=True) for m in found],
            ),
            (
                "device, computing alone, 100 MHz assumed",
                charts.BLUE,
                "^",
                [m.device_us(100, transfer=False) for m in found],
            ),
            (
                "device, computing alone, 250 MHz assumed",
                charts.GREEN,
                "v",
                [m.device_us(250, transfer=False) for m in found],
            ),
        ]
        for name, colour, marker, values in series:
            axis.plot(items, values, color=colour, marker=marker, markersize=3, label=name)
        axis.set_yscale("log")
        axis.set_ylim(0.005, 20000)
        axis.set_title(f"{operation.capitalize()}, n = {degree}", fontsize=10)
        axis.set_xlabel("items", fontsize="small")
        if degree == DEGREES[0]:
            axis.set_ylabel("microseconds an item", fontsize="small")
    charts.legend_below(made, plots[0], 3)
    return charts.save(made, path, bottom=0.1)
