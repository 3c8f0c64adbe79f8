"""noise_source: the chosen source, samples in order and only when taken, the state wiped."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import cocotb
import crypt_model as model
from cocotb.triggers import Timer
from crypt_bench import cycle, drive, up

from bench import run_bench

QUIET = {
    "paper_i": 0,
    "load_i": 0,
    "seed_i": 0,
    "wipe_i": 0,
    "pop_i": 0,
    "cbd_i": 0,
    "cbd_valid_i": 0,
}


@cocotb.test()
async def paper(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(1)
    for state in (1, 0xFFFFF, 0x80000, 0xABCDE):
        drive(dut, **{**QUIET, "paper_i": 1, "load_i": 1, "seed_i": state})
        await cycle(dut)
        drive(dut, load_i=0, seed_i=0)
        await cycle(dut, 2)
        found: list[int] = []
        while len(found) < 300:
            pop = int(source.random() < 0.6)
            drive(dut, pop_i=pop, cbd_i=source.randrange(-21, 22))
            await Timer(1, unit="ns")
            assert not int(dut.cbd_pop_o.value)
            if pop:
                found.append(dut.e_o.value.to_signed())
            await cycle(dut)
        drive(dut, pop_i=0)
        assert found == list(islice(model.lfsr_samples(state), 300))


@cocotb.test()
async def stream(dut: Any) -> None:
    await up(dut, **QUIET)
    for value in range(-21, 22):
        for pop in (0, 1):
            drive(dut, cbd_i=value, cbd_valid_i=1, pop_i=pop)
            await Timer(1, unit="ns")
            assert dut.e_o.value.to_signed() == value
            assert int(dut.cbd_pop_o.value) == pop
            await cycle(dut)


@cocotb.test()
async def wipe(dut: Any) -> None:
    await up(dut, **QUIET)
    drive(dut, **{**QUIET, "paper_i": 1, "load_i": 1, "seed_i": 0x12345})
    await cycle(dut)
    drive(dut, load_i=0, wipe_i=1)
    await cycle(dut)
    drive(dut, wipe_i=0)
    await cycle(dut, 2)
    assert dut.e_o.value.to_signed() == next(model.lfsr_samples(1))


def test_noise() -> None:
    run_bench(block="bfv_crypt", dut="noise_source")
