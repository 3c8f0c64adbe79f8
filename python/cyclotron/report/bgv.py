"""The study of the BGV accelerator (``rtl/bgv_core``): tables 2 to 7 of its paper, and ours.

The paper is "complete leveled BGV accelerator" (S-BGV), section V. Its figures are quoted, ours are
measured (`bgv_study`); resources are those of the last synthesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cyclotron.report import bgv_paper, charts, tables
from cyclotron.report.bgv_paper import DEGREE, MHZ, TABLE_4
from cyclotron.report.bgv_study import (
    BY_NAME,
    FEWEST,
    KINDS,
    STAGES,
    TRANSFORM,
    UNITS,
    Count,
    Kind,
    Study,
    measure,
)
from cyclotron.report.tables import cycles, number

CONFIGURATION = "bgv_core.paper_128"
PAGE = "performance-bgv-device.md"


def run(out: Path, *, quick: bool = False) -> None:
    """Measures, prints the tables, and writes the section ``bgv`` of the page below ``out``."""
    study = measure(quick=quick)
    figure = cycles_figure(study, out / "figures" / "bgv-cycles.png")
    text = section(study, quick=quick)
    print(text)
    page = tables.write_section(
        out, "bgv", text, page=PAGE, title="Performance of the BGV accelerator"
    )
    print(f"\nwritten: {page}, {figure}")


def section(study: Study, *, quick: bool) -> str:
    """The Markdown of the study."""
    shortened = "\nThis was a shortened run (`--quick`).\n" if quick else ""
    same = all(found.cycles == study.counts[name].cycles for name, found in study.kept.items())
    kept = ", which this one does not: its counts are the same" if same else ""
    return f"""\
## BGV, n = 128, Q = 257^3

{tables.circumstances(study.processor)}
- device: simulated RTL, {study.description}, {UNITS} transform units of one butterfly
{shortened}
n = 128 has no security whatever: it is here because the paper has it. The paper's figures are
quoted; its times are at {MHZ:g} MHz on a Virtex UltraScale. Ours are measured cycles at the same
clock, ASSUMED: no timing run of an open tool stands behind it. "/ paper" is ours over the paper's:
above 1 ours is worse.

### Table 2: passes of a product of polynomials

{table_2()}

### Table 3: resources

{table_3()}

Ours are Yosys' counts before placement, LUTs with those used as memory; the paper's were
implemented by Vivado. Transform units, reducers, memory for 16 ciphertexts, keys, sampler,
ModSwitch and bus are in our complete design; its operations share {UNITS} transform units, so that
none has a row of its own.

### Table 4: cycles

One operation alone, from start to done; "first" is the first of all, whose randomness is not drawn
yet, the others are measured after it:

{alone_table(study)}

Between two operations when one follows another:

{interval_table(study)}

The floor alone: transforms one after another, each of {TRANSFORM} cycles, beginning on the results
of the last stage of the one before; additions take two words a cycle. The floor of an interval: a
butterfly in every cycle of all {UNITS} units. A transform alone is no command of the device: its
bench counts it ([rtl/bgv_core](../rtl/bgv_core/README.md)). Chains go from two encryptions to one
decryption; "as evaluations" asks the device to keep ciphertexts in that form between
commands{kept}.

![Cycles of the operations](figures/bgv-cycles.png)

With the fewest units that hold one operation, cycles between two:
{fewest(study)}. Over the bus the host carries a message in
{study.carried["message"]} cycles, a ciphertext in {study.carried["ciphertext"]} (reading one
{study.carried["result"]}) and all keys in {study.carried["keys"]}.

### Table 5: modular reduction

{table_5()}

### Table 6: multipliers of polynomials

{table_6(study)}

Throughput is the paper's: n times the bits of a coefficient over the time. Our row is the whole
device multiplying ciphertexts (four products of polynomials, counted as one); the others are
multipliers alone.

### Table 7: accelerators

{table_7(study)}

Times with full pipelines. Throughput and throughput by LUT are of HomMult, or of Enc where there
is none, computed by the paper's formula from its times; it prints 3.02 Mbit/s for FV, and by LUT
counts its evaluation units alone (381,068).

### Throughput at an assumed {MHZ:g} MHz

{throughput_table(study)}

### How often decryption fails

{failures_table(study)}

Counted on the processor, whose words are the device's, in this run: random keys (one for 20
operations) and messages of full range; strict noise bounds refuse the first three. Larger counts
are in [bgv-word.md](bgv-word.md). The paper does not mention failures."""


def ratio(ours: float, paper: float | None) -> str:
    """Ours over the paper's, marked where ours is worse."""
    if paper is None:
        return "-"
    text = f"{ours / paper:.2f}"
    return f"**{text}, worse**" if ours > paper else text


def table_2() -> str:
    """Table 2 with our passes and the sums."""
    full = DEGREE * STAGES
    sums = ("sum", 2 * full + 4 * DEGREE, 2 * full + DEGREE, 2 * TRANSFORM)
    rows: list[Sequence[object]] = [*bgv_paper.TABLE_2, (sums[0], *map(cycles, sums[1:]))]
    return tables.table(["", "original (quoted)", "S-BGV (quoted)", "ours"], rows)


def area(found: dict[str, float] | None) -> str:
    """LUT / FF / BRAM / DSP."""
    if found is None:
        return "not synthesised"
    lut = found["lut"] + found.get("lutram", 0)
    return f"{lut:,.0f} / {found['ff']:,.0f} / {found['bram']:g} / {found['dsp']:g}"


def table_3() -> str:
    """Table 3: the paper's modules, and what we have of each."""
    ours = {
        "NTT": "bgv_core.ntt_128",
        "reduction after addition": "modular.add",
        "reduction after multiplication": "modular.reduce_lut_54",
        "complete design, without ModSwitch": CONFIGURATION,
    }
    rows = []
    for name, paper in bgv_paper.TABLE_3.items():
        key = ours.get(name)
        cells = ["in the complete design"] * 2
        if key is not None:
            cells = [area(tables.resources(key, target)) for target in ("xcu", "xc7")]
        quoted = f"{paper.lut:,} / {paper.ff:,} / {paper.bram:g} / {paper.dsp:g}"
        rows.append([name, quoted, *cells, lut_ratio(key, paper.lut)])
    header = ["LUT / FF / BRAM / DSP", "S-BGV (quoted)", "ours, UltraScale", "ours, Xilinx 7"]
    return tables.table([*header, "LUT / paper"], rows)


def luts(key: str | None) -> float | None:
    """LUTs of a configuration for UltraScale, or for Xilinx 7 where that is all there is."""
    for target in ("xcu", "xc7"):
        found = tables.resources(key, target) if key is not None else None
        if found is not None:
            return found["lut"] + found.get("lutram", 0)
    return None


def lut_ratio(key: str | None, paper: float) -> str:
    """Our LUTs over the paper's."""
    ours = luts(key)
    return "-" if ours is None else ratio(ours, paper)


def alone_table(study: Study) -> str:
    """Cycles of one operation, with nothing before or after it."""
    rows = []
    for name, (paper, _) in TABLE_4.items():
        kind = BY_NAME.get(name)
        if kind is None:
            why = f"{TRANSFORM} at least" if name == "transform" else "no command"
            rows.append([name, why, *4 * ["-"], cycles(paper), "-"])
            continue
        found = study.counts[name]
        rows.append(alone_row(kind, kind.title, found, paper))
        if name in study.kept:
            title = f"{kind.title}, as evaluations"
            rows.append(alone_row(kind, title, study.kept[name], paper))
    header = ["", "floor", "first", "measured", "/ floor", "goal", "paper", "/ paper"]
    return tables.table(header, rows)


def alone_row(kind: Kind, title: str, found: Count, paper: float) -> list[str]:
    """Floor, count, goal and paper of one operation alone."""
    floor, goal = kind.floor_alone, kind.goals[0]
    if title != kind.title:
        # Kept as evaluations, a product and a key switch need no transform but that of the digits.
        counts = [cycles(found.first), cycles(found.alone)]
        return [title, "-", *counts, "-", "-", cycles(paper), ratio(found.alone, paper)]
    return [
        title,
        cycles(floor),
        cycles(found.first),
        cycles(found.alone),
        f"{found.alone / floor:.2f}",
        goal_text(goal, found.alone),
        cycles(paper),
        ratio(found.alone, paper),
    ]


def interval_table(study: Study) -> str:
    """Cycles between two operations."""
    rows = []
    for kind in KINDS:
        _, paper = TABLE_4[kind.name]
        ways = [(kind.title, study.counts[kind.name])]
        if kind.name in study.kept:
            ways.append((f"{kind.title}, as evaluations", study.kept[kind.name]))
        for title, found in ways:
            same = title == kind.title
            rows.append(
                [
                    title,
                    cycles(kind.floor_interval) if same else "-",
                    cycles(found.interval),
                    f"{found.interval / kind.floor_interval:.2f}" if same else "-",
                    goal_text(kind.goals[1], found.interval),
                    "-" if paper is None else cycles(paper),
                    ratio(found.interval, paper),
                ]
            )
    header = ["", "floor", "measured", "/ floor", "goal", "paper", "/ paper"]
    return tables.table(header, rows)


def goal_text(goal: int | None, found: float) -> str:
    """The goal, and whether it is met."""
    if goal is None:
        return "-"
    return f"{goal:,}, met" if found <= goal else f"**{goal:,}, not met**"


def fewest(study: Study) -> str:
    """Intervals with few units."""
    units = dict(FEWEST)
    parts = [
        f"{BY_NAME[name].title} {cycles(found)} with {units[name]}"
        for name, found in study.fewest.items()
    ]
    return ", ".join(parts)


def table_5() -> str:
    """Table 5 with our reducers."""
    rows: list[list[object]] = [
        [name, bits, q, f"{lut:,}", f"{ff:,}", dsp, taken, "quoted"]
        for name, bits, q, lut, ff, dsp, taken in bgv_paper.TABLE_5
    ]
    ours = (
        ("ours, by tables", "reduce_lut_54", 54, 3),
        ("ours, by tables", "reduce_lut_49", 49, 3),
        ("ours, Barrett", "reduce_barrett_54", 54, 5),
        ("ours, Barrett", "reduce_barrett_49", 49, 5),
        ("ours, for 257^3 alone", "reduce_fold_54", 54, 3),
        ("ours, for 257^3 alone", "reduce_fold_49", 49, 3),
    )
    for name, key, bits, latency in ours:
        for target, family in (("xcu", "UltraScale"), ("xc7", "Xilinx 7")):
            found = tables.resources(f"modular.{key}", target)
            if found is None:
                rows.append([name, bits, 25, *3 * ["-"], latency, f"{family}: not synthesised"])
                continue
            lut = found["lut"] + found.get("lutram", 0)
            cells = [f"{lut:,.0f}", f"{found['ff']:,.0f}", f"{found['dsp']:g}"]
            rows.append([name, bits, 25, *cells, latency, family])
    header = ["reduction", "bits in", "bits of q", "LUT", "FF", "DSP", "cycles", "what"]
    return tables.table(header, rows)


def efficiency(throughput: float, lut: float | None) -> str:
    """Throughput by LUT, in kbit/s."""
    return "-" if lut is None else number(1000 * throughput / lut)


def table_6(study: Study) -> str:
    """Table 6 with the product of ciphertexts of our device."""
    rows: list[list[object]] = []
    for name, device, n, bits, lut, dsp, mhz, us in bgv_paper.TABLE_6:
        rate = bgv_paper.megabits(n, bits, us)
        rows.append(
            [name, device, n, bits, f"{lut:,}", dsp, mhz, tables.quoted(us), number(rate),
             efficiency(rate, lut)]
        )  # fmt: skip
    us = study.counts["multiply"].interval / MHZ
    rate = bgv_paper.megabits(DEGREE, bgv_paper.BITS, us)
    whole = luts(CONFIGURATION)
    found = tables.resources(CONFIGURATION, "xcu") or tables.resources(CONFIGURATION)
    rows.append(
        [
            "ours, ciphertexts",
            "not run",
            DEGREE,
            bgv_paper.BITS,
            "not synthesised" if whole is None else f"{whole:,.0f}",
            "-" if found is None else f"{found['dsp']:g}",
            f"{MHZ:g} assumed",
            number(us),
            number(rate),
            efficiency(rate, whole),
        ]
    )
    header = [
        "multiplier",
        "device",
        "n",
        "bits",
        "LUT",
        "DSP",
        "MHz",
        "us",
        "Mbit/s",
        "kbit/s a LUT",
    ]
    return tables.table(header, rows, left=2)


def table_7(study: Study) -> str:
    """Table 7 with our device."""
    ours = [study.counts[name].interval / MHZ for name in ("add", "multiply", "encrypt", "decrypt")]
    all_rows: list[tuple[Any, ...]] = [
        *bgv_paper.TABLE_7,
        (
            "ours, at an assumed clock",
            "not run",
            DEGREE,
            bgv_paper.BITS,
            luts(CONFIGURATION),
            *ours,
        ),
    ]
    rows = []
    for name, device, n, bits, lut, *times in all_rows:
        rate = bgv_paper.megabits(n, bits, times[1] or times[2])
        rows.append(
            [name, device, n, bits, "-" if lut is None else f"{lut:,.0f}",
             *("-" if us is None else number(us) for us in times), number(rate),
             efficiency(rate, lut)]
        )  # fmt: skip
    header = ["", "device", "n", "bits", "LUT", "HomAdd, us", "HomMult, us", "Enc, us", "Dec, us"]
    return tables.table([*header, "Mbit/s", "kbit/s a LUT"], rows, left=2)


def throughput_table(study: Study) -> str:
    """Operations a second, ours and the paper's, and by LUT; the processor beside them."""
    lut, paper_lut = luts(CONFIGURATION), bgv_paper.TABLE_7[-1][4]
    rows = []
    for kind in KINDS:
        found, (_, paper) = study.counts[kind.name], TABLE_4[kind.name]
        rate = MHZ * 1e6 / found.interval
        quoted = None if paper is None else MHZ * 1e6 / paper
        rows.append(
            [
                kind.title,
                number(rate),
                "-" if quoted is None else number(quoted),
                "-" if lut is None else number(1000 * rate / lut),
                "-" if quoted is None or paper_lut is None else number(1000 * quoted / paper_lut),
                number(1e6 / found.processor_us),
            ]
        )
    header = ["operations a second", "ours", "S-BGV", "ours by 1000 LUT", "S-BGV by 1000 LUT"]
    return tables.table([*header, "our processor, one thread"], rows)


def failures_table(study: Study) -> str:
    """How many of how many operations were wrong."""
    rows = [
        [
            f"`{found['preset']}`, {found['digits']} digits",
            found["circuit"],
            f"{found['wrong']:,} of {found['operations']:,}",
            f"{found['deviation']:,.0f} of {found['predicted']:,.0f}",
            f"{found['largest']:.2f}",
        ]
        for found in study.failures
    ]
    header = ["parameters", "circuit", "wrong", "deviation, of predicted", "largest, of limit"]
    return tables.table(header, rows, left=2)


def cycles_figure(study: Study, path: Path) -> Path:
    """Bars: cycles of each operation alone and between two, the paper's and ours."""
    made, plots = charts.figure(1, 2, 9.5, 3.6)
    for i, (title, axis) in enumerate(zip(("alone", "between two"), plots, strict=True)):
        ours = [(c.alone, c.interval)[i] for c in (study.counts[kind.name] for kind in KINDS)]
        theirs = [float(TABLE_4[kind.name][i] or 0) for kind in KINDS]
        for offset, values, colour, name in (
            (0.2, theirs, charts.GREY, "S-BGV (quoted)"),
            (-0.2, ours, charts.BLUE, "ours, measured"),
        ):
            positions = [len(KINDS) - 1 - k + offset for k in range(len(KINDS))]
            axis.barh(positions, values, color=colour, height=0.38, label=name)
            charts.bar_labels(axis, positions, values)
        names = [kind.title for kind in KINDS][::-1]
        axis.set_yticks(range(len(KINDS)), names if i == 0 else [""] * len(KINDS), fontsize="small")
        axis.set_xlim(0, 1.2 * max(*ours, *theirs))
        axis.set_xlabel("cycles", fontsize=8)
        axis.set_title(f"One operation {title}" if i == 0 else f"Cycles {title}", fontsize=10)
        axis.grid(visible=False, axis="y")
    charts.legend_below(made, plots[0], 2)
    return charts.save(made, path, bottom=0.08)
