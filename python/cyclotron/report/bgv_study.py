"""Measurements of the BGV accelerator: what is counted, and what no schedule goes below.

Cycles are those of the simulated RTL through its bus (``cyclotron rtl run bgv-core --json``), after
every word was compared with the processor's; failures are counted on the processor, whose words
are the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from cyclotron import bgv_word
from cyclotron.report import tables
from cyclotron.report.bgv_paper import DEGREE

DEVICE = "bgv-core"

STAGE = DEGREE // 2  # cycles of a stage with one butterfly
STAGES = DEGREE.bit_length() - 1
TRANSFORM = STAGE * STAGES
UNITS = 7


@dataclass(frozen=True)
class Kind:
    """An operation: what it is here and in the paper, and what no schedule goes below."""

    name: str
    title: str
    #: Transforms one after another.
    depth: int
    #: Transforms in all.
    transforms: int
    #: Numbers of items whose difference gives the interval.
    items: tuple[int, int]
    #: Most cycles of one operation alone, and between two; None where nothing is promised.
    goals: tuple[int | None, int | None]

    @property
    def floor_alone(self) -> int:
        """Each transform begins on the results of the last stage of the one before."""
        return TRANSFORM * self.depth - STAGE * (self.depth - 1) if self.depth else STAGE

    @property
    def floor_interval(self) -> float:
        """Every unit has a butterfly in every cycle; without transforms, two words in and out."""
        return TRANSFORM * self.transforms / UNITS if self.transforms else float(STAGE)


KINDS = (
    Kind("encrypt", "Encryption", 2, 3, (8, 16), (None, 512)),
    Kind("decrypt", "Decryption", 2, 2, (16, 32), (None, 512)),
    Kind("add", "HomAdd", 0, 0, (16, 32), (None, 128)),
    Kind("multiply", "HomMult", 2, 7, (16, 32), (None, 512)),
    Kind("key-switch", "KeySwitch", 2, 4, (16, 32), (None, 512)),
    Kind("mod-switch", "ModSwitch", 0, 0, (16, 32), (None, 160)),
    Kind("add-chain", "HomAdd_Enc_Dec", 4, 8, (4, 8), (None, 512)),
    Kind("multiply-chain", "HomMult_Enc_Dec", 8, 19, (4, 8), (3900, 512)),
)
BY_NAME = {kind.name: kind for kind in KINDS}

#: Operations with the fewest units that hold one of them.
FEWEST = (("multiply", 7), ("key-switch", 4), ("encrypt", 3), ("decrypt", 2))

#: Failure counts: parameter set, digits, circuit.
FAILURES: tuple[tuple[str, Literal["signed", "unsigned"], str], ...] = (
    ("PAPER_128", "unsigned", "product"),
    ("PAPER_128", "signed", "product"),
    ("PAPER_128_P2_W6", "signed", "product-by-fresh"),
    ("TOY_128_DEPTH2", "signed", "product-by-fresh"),
)
CIRCUITS = {"product": "a b", "product-by-fresh": "(a b) c"}


@dataclass(frozen=True)
class Count:
    """Cycles of an operation."""

    #: The first that the device runs: its randomness is not drawn yet.
    first: int
    #: A later one, with nothing before or after it.
    alone: int
    interval: float
    processor_us: float

    @property
    def cycles(self) -> tuple[int, float]:
        """One alone, and between two."""
        return self.alone, self.interval


@dataclass(frozen=True)
class Study:
    """What was measured."""

    description: str
    processor: str
    counts: dict[str, Count]
    #: The chains with ciphertexts kept as evaluations.
    kept: dict[str, Count]
    #: Intervals with the fewest units.
    fewest: dict[str, float]
    #: Cycles in which the host carries a message, a ciphertext, a result, the keys.
    carried: dict[str, int]
    failures: list[dict[str, Any]]


def measure(*, quick: bool) -> Study:
    """All measurements; ``quick`` counts fewer failures."""
    reports: list[dict[str, Any]] = []

    def count(kind: Kind, *options: str) -> Count:
        arguments = ["rtl", "run", DEVICE, "--json", "--acknowledge-insecure"]
        arguments += ["--operation", kind.name, "--items", ",".join(map(str, (1, 1, *kind.items)))]
        report = tables.run_command([*arguments, *options])
        reports.append(report)
        first, one, few, many = report["rows"]
        if any(row["compute_cycles"] is None for row in report["rows"]):
            raise tables.StudyError(f"{DEVICE} counts no cycles; study a simulated device")
        difference = many["compute_cycles"] - few["compute_cycles"]
        return Count(
            first=first["compute_cycles"],
            alone=one["compute_cycles"],
            interval=difference / (many["items"] - few["items"]),
            processor_us=many["processor_seconds"] * 1e6 / many["items"],
        )

    counts = {kind.name: count(kind) for kind in KINDS}
    chain = BY_NAME["multiply-chain"]
    return Study(
        description=reports[0]["description"],
        processor=reports[0]["processor"],
        counts=counts,
        kept={chain.name: count(chain, "--form", "evaluations")},
        fewest={
            name: count(BY_NAME[name], "--units", str(units)).interval for name, units in FEWEST
        },
        carried=reports[0]["carried"],
        failures=[count_failures(*case, quick=quick) for case in FAILURES],
    )


def count_failures(
    preset: str, digits: Literal["signed", "unsigned"], circuit: Any, *, quick: bool
) -> dict[str, Any]:
    """How often a circuit decrypts wrongly at these parameters."""
    literal = json.loads(bgv_word.Context(preset, acknowledge_insecure=True).to_json())
    word = bgv_word.Context.from_literal(literal | {"digits": digits})
    found = word.count_failures(circuit, operations=200 if quick else 4000, per_key=20)
    return {"preset": preset, "digits": digits, "circuit": CIRCUITS[circuit], **found}
