"""The modular sum: edges, random residues."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from modular_bench import MODULI, combinational, modulus, pairs

from bench import run_bench


@cocotb.test()
async def results(dut: Any) -> None:
    q = modulus()
    await combinational(dut, [({"a_i": a, "b_i": b}, (a + b) % q) for a, b in pairs(q, 3000)])


@pytest.mark.parametrize("q", MODULI)
def test_add(q: int) -> None:
    run_bench(block="modular", dut="mod_add", parameters={"Q": q})
