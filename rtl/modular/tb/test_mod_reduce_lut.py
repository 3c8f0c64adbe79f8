"""The reducer by tables: every row of every table, around multiples of Q, random numbers."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from modular_bench import MODULI, PAPER, reduces

from bench import run_bench

LATENCY = 3


@cocotb.test()
async def residues(dut: Any) -> None:
    await reduces(dut, LATENCY)


@pytest.mark.parametrize("q", MODULI)
def test_products(q: int) -> None:
    run_bench(block="modular", dut="mod_reduce_lut", parameters={"Q": q})


@pytest.mark.parametrize("bits", [49, 54])
def test_other_ranges(bits: int) -> None:
    run_bench(block="modular", dut="mod_reduce_lut", parameters={"Q": PAPER, "XBits": bits})
