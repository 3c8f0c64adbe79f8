"""mini_element: its whole truth table at the boundaries, random operands, each alphabet."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
import mini_model as model
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import run_bench

PARAMETERS = json.loads(os.environ.get("RTL_PARAMETERS", "{}"))


@cocotb.test()
async def multiplies_and_adds(dut: Any) -> None:
    width = int(PARAMETERS.get("Width", 32))
    bits = int(PARAMETERS.get("OperandBits", 2))
    modulus = 1 << width
    source = random.Random(1)
    edges = [0, 1, modulus // 2 - 1, modulus // 2, modulus - 1]
    smalls = list(range(1 << bits)) if bits <= 3 else [0, 1, (1 << bits) - 1]
    cases = [(a, s, x) for a in edges for s in smalls for x in edges]
    cases += [
        (source.randrange(modulus), source.randrange(1 << bits), source.randrange(modulus))
        for _ in range(2000)
    ]
    Clock(dut.clk_i, 10, unit="ns").start()
    before: tuple[int, int, int] | None = None
    for case in [*cases, (0, 0, 0)]:
        dut.a_i.value, dut.small_i.value, dut.sum_i.value = case
        await RisingEdge(dut.clk_i)
        # Registers of the edge before: the operands that were given one cycle ago.
        if before is not None:
            a, small, total = before
            factor = model.value(small) if bits == 2 else small
            assert int(dut.a_o.value) == a
            found = int(dut.sum_o.value)
            assert found == (total + a * factor) % modulus, f"{total} + {a} * {factor}: {found}"
        before = case


@pytest.mark.parametrize(
    "parameters",
    [{"OperandBits": 1}, {"OperandBits": 2}, {"Width": 8, "OperandBits": 3}, {"OperandBits": 32}],
    ids=str,
)
def test_mini_element(parameters: dict[str, object]) -> None:
    run_bench(block="bfv_mini", dut="mini_element", parameters=parameters, public_depth=1)
