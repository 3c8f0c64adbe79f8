"""The last step of the reducers: around multiples of Q and changes of the top bits, random sums."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from modular_bench import MODULI, modulus, pipeline, rng

from bench import run_bench

LATENCY = 1


@cocotb.test()
async def residues(dut: Any) -> None:
    q = modulus()
    limit = 1 << len(dut.s_i)
    source = rng()
    edges = [k * q for k in range(limit // q + 1)] + [k * limit // 32 for k in range(33)]
    numbers = [edge + step for edge in edges for step in range(-4, 5)]
    numbers += [source.randrange(limit) for _ in range(4000)]
    cases = [({"s_i": s}, s % q) for s in numbers if 0 <= s < limit]
    await pipeline(dut, LATENCY, cases)


@pytest.mark.parametrize("q", MODULI)
def test_settle(q: int) -> None:
    run_bench(block="modular", dut="mod_settle", parameters={"Q": q})
