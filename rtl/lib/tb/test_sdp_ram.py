"""sdp_ram: every word, reading while writing, the read register held."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import run_bench

PARAMETERS = json.loads(os.environ.get("RTL_PARAMETERS", "{}"))
WIDTH = int(PARAMETERS.get("Width", 32))
DEPTH = int(PARAMETERS.get("Depth", 1024))


@cocotb.test()
async def reads_and_writes(dut: Any) -> None:
    source = random.Random(1)
    dut.we_i.value = dut.re_i.value = 0
    Clock(dut.clk_i, 10, unit="ns").start()
    await FallingEdge(dut.clk_i)
    stored = [source.randrange(1 << WIDTH) for _ in range(DEPTH)]
    for address in source.sample(range(DEPTH), DEPTH):
        dut.we_i.value, dut.waddr_i.value = 1, address
        dut.wdata_i.value = stored[address]
        await FallingEdge(dut.clk_i)
    shown: int | None = None
    collisions = held = 0
    for _ in range(4 * DEPTH + 400):
        write, read = source.random() < 0.5, source.random() < 0.7
        target, place = source.randrange(DEPTH), source.randrange(DEPTH)
        if source.random() < 0.3:
            target = place
        new = source.randrange(1 << WIDTH)
        dut.we_i.value, dut.waddr_i.value, dut.wdata_i.value = int(write), target, new
        dut.re_i.value, dut.raddr_i.value = int(read), place
        await FallingEdge(dut.clk_i)
        if read:
            shown = stored[place]  # the old word, when it is written in the same cycle
            collisions += write and target == place
        else:
            held += 1
        if write:
            stored[target] = new
        if shown is not None:
            assert int(dut.rdata_o.value) == shown
    assert collisions > 10
    assert held > 10


@pytest.mark.parametrize(("width", "depth"), [(1, 2), (2, 32), (32, 512)])
def test_ram(width: int, depth: int) -> None:
    run_bench(block="lib", dut="sdp_ram", parameters={"Width": width, "Depth": depth})
