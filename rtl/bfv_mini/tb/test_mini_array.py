"""mini_array: products against integers, one every cycle, and the papers' worked example."""

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
LOG_N = int(PARAMETERS.get("LogN", 4))
WIDTH = int(PARAMETERS.get("Width", 32))
BITS = int(PARAMETERS.get("OperandBits", 2))
N = 1 << LOG_N

Case = tuple[list[int], list[int], list[int]]


def expected(case: Case) -> list[int]:
    a, small, addend = case
    factors = [model.value(code) for code in small] if BITS == 2 else small
    full = model.product(a, factors)
    padded = [*addend, *[0] * (N - 1)]
    return [(y + z) % (1 << WIDTH) for y, z in zip(full, padded, strict=True)]


async def stream(dut: Any, cases: list[Case]) -> list[list[int]]:
    """A case every cycle; the results, each exactly N cycles after its operands."""
    Clock(dut.clk_i, 10, unit="ns").start()
    found = []
    # Operands set after edge k are in cycle k; their result is read at the end of cycle k + N.
    await RisingEdge(dut.clk_i)
    for cycle in range(len(cases) + N):
        if cycle < len(cases):
            a, small, addend = cases[cycle]
            dut.a_i.value = model.pack(a, WIDTH)
            dut.small_i.value = model.pack(small, BITS)
            dut.addend_i.value = model.pack(addend, WIDTH)
        await RisingEdge(dut.clk_i)
        if cycle >= N:
            found.append(model.unpack(int(dut.y_o.value), WIDTH, 2 * N - 1))
    return found


def random_case(source: random.Random) -> Case:
    return (
        [source.randrange(1 << WIDTH) for _ in range(N)],
        [source.randrange(1 << BITS) for _ in range(N)],
        [source.randrange(1 << WIDTH) for _ in range(N)],
    )


@cocotb.test()
async def products(dut: Any) -> None:
    source = random.Random(LOG_N * 100 + BITS)
    top, largest = (1 << WIDTH) - 1, (1 << BITS) - 1
    cases: list[Case] = []
    # Unit vectors: every pair of places, so that no two elements can be exchanged.
    for i in range(N):
        for j in range(N):
            a = [top if k == i else 0 for k in range(N)]
            small = [largest if k == j else 0 for k in range(N)]
            cases.append((a, small, [0] * N))
    cases.append(([top] * N, [largest] * N, [top] * N))
    cases += [random_case(source) for _ in range(1000)]
    found = await stream(dut, cases)
    for case, result in zip(cases, found, strict=True):
        assert result == expected(case)


@cocotb.test(skip=not (LOG_N == 2 and BITS == 4))
async def worked_example(dut: Any) -> None:
    """S-BFV paper, its two-dimensional array: (1 + 2x + x^2 + 3x^3)(2 + 5x + 3x^2 + x^3)."""
    (found,) = await stream(dut, [([1, 2, 1, 3], [2, 5, 3, 1], [0, 0, 0, 0])])
    assert found == [2, 9, 15, 18, 20, 10, 3]


@pytest.mark.parametrize("log_n", [1, 2, 3, 4])
@pytest.mark.parametrize("bits", [1, 2])
def test_mini_array(log_n: int, bits: int) -> None:
    parameters = {"LogN": log_n, "OperandBits": bits}
    run_bench(block="bfv_mini", dut="mini_array", parameters=parameters, public_depth=1)


def test_mini_array_with_multipliers() -> None:
    parameters = {"LogN": 2, "OperandBits": 4}
    run_bench(block="bfv_mini", dut="mini_array", parameters=parameters, public_depth=1)
