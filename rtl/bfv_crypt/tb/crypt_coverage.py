"""The coverage plan's bins (coverage.yaml): a bench marks them, and fails when one was missed."""

from __future__ import annotations

from pathlib import Path

import yaml

PLAN = Path(__file__).with_name("coverage.yaml")


class Bins:
    """The bins of one bench. A name that is not in the plan is an error, not a new bin."""

    def __init__(self, bench: str) -> None:
        plan = yaml.safe_load(PLAN.read_text(encoding="utf-8"))["bins"]
        self.planned = set(plan[bench])
        self.found: set[str] = set()

    def hit(self, name: str) -> None:
        if name not in self.planned:
            raise KeyError(f"{name!r} is not in {PLAN.name}")
        self.found.add(name)

    def check(self) -> None:
        missed = sorted(self.planned - self.found)
        assert not missed, f"not covered: {missed}"
