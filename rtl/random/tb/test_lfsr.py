"""The shift register against the paper's recurrence, and its whole period where it is short."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from random_bench import cycle, parameter, rng, start_clock

from bench import run_bench
from model.lfsr_noise import GENERATORS, step

OF_WIDTH = {20: "split20", 60: "split60", 11: "rotation11"}


async def load(dut: Any, state: int) -> None:
    dut.step_i.value = 1  # loading goes first
    dut.seed_i.value = state
    dut.load_i.value = 1
    await cycle(dut)
    dut.load_i.value = 0
    dut.step_i.value = 0
    assert int(dut.state_o.value) == state


@cocotb.test()
async def follows_the_recurrence(dut: Any) -> None:
    width = parameter("Width", 20)
    generator = GENERATORS[OF_WIDTH[width]]
    random = rng()
    await start_clock(dut, load_i=0, seed_i=1, step_i=0)
    for first in (1, (1 << width) - 1, 1 << (width - 1), random.randrange(1, 1 << width)):
        await load(dut, first)
        state = first
        for _ in range(3 * width):
            go = random.random() < 0.7
            dut.step_i.value = go
            await cycle(dut)
            state = step(generator, state) if go else state
            assert int(dut.state_o.value) == state


@cocotb.test()
async def the_period_of_the_short_register(dut: Any) -> None:
    if parameter("Width", 20) != 11:
        return
    await start_clock(dut, load_i=0, seed_i=1, step_i=0)
    await load(dut, 1)
    dut.step_i.value = 1
    seen = set()
    for _ in range(2**11 - 1):
        seen.add(int(dut.state_o.value))
        await cycle(dut)
    assert int(dut.state_o.value) == 1
    assert len(seen) == 2**11 - 1


@pytest.mark.parametrize("width", [11, 20, 60])
def test_lfsr(width: int) -> None:
    run_bench(block="random", dut="lfsr", parameters={"Width": width})
