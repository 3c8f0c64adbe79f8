"""The modular product: edges against edges, random pairs."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from modular_bench import MODULI, modulus, pairs, pipeline

from bench import run_bench

LATENCY = 5


@cocotb.test()
async def products(dut: Any) -> None:
    q = modulus()
    cases = [({"a_i": a, "b_i": b}, a * b % q) for a, b in pairs(q, 4000)]
    await pipeline(dut, LATENCY, cases)


@pytest.mark.parametrize("q", MODULI)
def test_mul(q: int) -> None:
    run_bench(block="modular", dut="mod_mul", parameters={"Q": q})
