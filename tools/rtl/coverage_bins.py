"""The bins of a block's written coverage plan, `rtl/<block>/tb/coverage.yaml`.

    bins:
      test_counter:             one heading a bench; some benches have several
        - count wraps
        - reset while counting

A bench marks bins as its tests reach them, and its last test fails when one was missed:

    BINS = Bins(__file__, "test_counter")
    ...
    BINS.hit("count wraps")
    ...
    @cocotb.test()
    async def every_bin_was_hit(dut): BINS.check()
"""

from __future__ import annotations

from pathlib import Path

import yaml

from core_files import CoreError


class Bins:
    """The bins under these headings of the plan beside a bench."""

    def __init__(self, bench: str, *headings: str) -> None:
        self.plan = Path(bench).with_name("coverage.yaml")
        found = yaml.safe_load(self.plan.read_text(encoding="utf-8"))["bins"]
        missing = [name for name in headings if name not in found]
        if missing or not headings:
            raise CoreError(f"{self.plan}: has no bins {missing}; it has {sorted(found)}")
        self.planned = {str(name) for heading in headings for name in found[heading]}
        self.found: set[str] = set()

    def hit(self, name: str) -> None:
        """Marks a bin. A name outside the plan is an error, not a new bin."""
        if name not in self.planned:
            raise CoreError(f"{name!r} is not in {self.plan}")
        self.found.add(name)

    def check(self) -> None:
        """Fails unless every bin was marked."""
        missed = sorted(self.planned - self.found)
        assert not missed, f"not covered: {missed}"
