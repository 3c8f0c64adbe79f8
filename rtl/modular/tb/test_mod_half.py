"""The modular half: edges, random residues."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from modular_bench import MODULI, combinational, edges, modulus, rng

from bench import run_bench


@cocotb.test()
async def results(dut: Any) -> None:
    q, source = modulus(), rng()
    numbers = edges(q) + [source.randrange(q) for _ in range(3000)]
    await combinational(dut, [({"a_i": a}, a * pow(2, -1, q) % q) for a in numbers])


@pytest.mark.parametrize("q", MODULI)
def test_half(q: int) -> None:
    run_bench(block="modular", dut="mod_half", parameters={"Q": q})
