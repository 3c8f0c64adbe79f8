"""The reducer by folding: windows of bits, around multiples of Q, random numbers."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from modular_bench import reduces

from bench import run_bench

LATENCY = 3


@cocotb.test()
async def residues(dut: Any) -> None:
    await reduces(dut, LATENCY)


@pytest.mark.parametrize("bits", [49, 50, 54])
def test_ranges(bits: int) -> None:
    run_bench(block="modular", dut="mod_reduce_fold", parameters={"XBits": bits})
