"""poly_reduce: both modes at full rate, stages in step, the delay line wiped."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge
from crypt_bench import cycle, drive, parameter, up
from crypt_model import Q

from bench import run_bench

N = 1 << parameter("LogN", 4)
QUIET = {
    "paper_i": 0,
    "addr_i": 0,
    "addend_i": 0,
    "y_i": 0,
    "store_i": 0,
    "store_addr_i": 0,
    "wipe_i": 0,
    "wipe_addr_i": 0,
}


async def stream(dut: Any, paper: bool, y: list[int], addend: list[int]) -> list[int]:
    """Step i: R0 in cycle i, R1 in i + 1, R2 in i + 2. Paper: 2n steps a product."""
    source = random.Random(len(y))
    found = []
    for now in range(len(y) + 2):
        drive(dut, **{**QUIET, "paper_i": int(paper)})
        dut.addr_i.value = now % N
        dut.addend_i.value = addend[now - 1] if 1 <= now <= len(y) else source.randrange(Q)
        at = now - 2
        if at >= 0:
            dut.y_i.value = y[at]
            dut.store_i.value = int(paper and at % (2 * N) < N)
            dut.store_addr_i.value = at % N
        # The result is combinational in R2, before the edge that ends it.
        await RisingEdge(dut.clk_i)
        if at >= 0:
            found.append(int(dut.c_o.value))
        await cycle(dut)
    return found


@cocotb.test()
async def overlap(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(1)
    y = [source.choice((0, 1, Q - 1, source.randrange(Q))) for _ in range(8 * N)]
    addend = [source.choice((0, 1, Q - 1, source.randrange(Q))) for _ in y]
    found = await stream(dut, False, y, addend)
    assert found == [(a + b) % Q for a, b in zip(y, addend, strict=True)]


@cocotb.test()
async def paper(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(2)
    y = [source.choice((0, 1, Q - 1, source.randrange(Q))) for _ in range(6 * N)]
    addend = [source.randrange(Q) for _ in y]
    found = await stream(dut, True, y, addend)
    for product in range(0, len(y), 2 * N):
        for i in range(N):
            hold = product + N + i
            assert found[hold] == (addend[hold] + y[product + i] - y[hold]) % Q


@cocotb.test()
async def wipe(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(3)
    y = [source.randrange(1, Q) for _ in range(2 * N)]
    await stream(dut, True, y, [0] * len(y))
    for address in range(N):
        drive(dut, **{**QUIET, "wipe_i": 1, "wipe_addr_i": address, "y_i": source.randrange(Q)})
        await cycle(dut)
    # In hold right away: what is delayed is 0.
    for address in range(N + 2):
        drive(dut, **{**QUIET, "paper_i": 1, "addr_i": address % N})
        await cycle(dut)
        await ReadOnly()
        if address >= 2:
            assert int(dut.c_o.value) == 0
        await cycle(dut)


@pytest.mark.parametrize("log_n", [4, 5])
def test_reduction(log_n: int) -> None:
    run_bench(block="bfv_crypt", dut="poly_reduce", parameters={"LogN": log_n})
