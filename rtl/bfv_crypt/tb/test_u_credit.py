"""u_credit: a step is never allowed before its coefficient is drawn, and is allowed soon after.

The bench plays the sampler (one coefficient in a memory of 2n, drawn at random times) and the
control (periods of n steps, as many as `avail_o` allows), over several plaintexts.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from crypt_bench import cycle, drive, parameter, up

from bench import run_bench

N = 1 << parameter("LogN", 4)
PLAINTEXTS = 6
QUIET = {"restart_i": 0, "take_i": 0, "free_i": 0, "need_i": 0, "fresh_i": 1, "u_count_i": 0}
# A free counts in the sampler a cycle later, in the module three: it may be late by the difference.
LATE = 4


def needed(step: int) -> bool:
    """Even periods take; the period after the last product takes nothing."""
    return step // N % 2 == 0 and step // N < 2 * PLAINTEXTS


async def whole_run(dut: Any, pace: float, seed: int) -> None:
    source = random.Random(seed)
    drive(dut, **{**QUIET, "restart_i": 1, "need_i": 1})
    await cycle(dut)
    drawn = freed = taken = step = 0
    there_for = 0  # cycles for which the next coefficient has been there
    while step < (2 * PLAINTEXTS + 1) * N:
        avail = bool(int(dut.avail_o.value))
        period = step // N
        if needed(step):
            assert not avail or drawn > taken, f"step {step} too early"
            there_for = there_for + 1 if drawn > taken else 0
            assert avail or there_for <= LATE, f"step {step} waits for nothing"
        else:
            assert avail
        take = avail and needed(step)
        free = avail and period % 2 == 0 and period > 0
        if avail:
            there_for = 0
        drive(
            dut,
            restart_i=0,
            take_i=int(take),
            free_i=int(free),
            need_i=int(needed(step + avail)),
            u_count_i=drawn - freed,
        )
        await cycle(dut)
        # The sampler: counts what it wrote in this cycle, and sees the free.
        taken, freed, step = taken + take, freed + free, step + avail
        if drawn - freed < 2 * N and source.random() < pace:
            drawn += 1
    assert taken == freed == PLAINTEXTS * N


@cocotb.test()
async def runs(dut: Any) -> None:
    await up(dut, **QUIET)
    for seed, pace in enumerate((1.0, 0.5, 0.45, 0.1)):
        await whole_run(dut, pace, seed)


@cocotb.test()
async def stale_counts(dut: Any) -> None:
    """What the sampler holds for another run is not for this one."""
    await up(dut, **QUIET)
    drive(dut, **{**QUIET, "need_i": 1, "fresh_i": 0, "u_count_i": 2 * N})
    for _ in range(5):
        await cycle(dut)
        assert not int(dut.avail_o.value)
    drive(dut, fresh_i=1)
    await cycle(dut)
    assert int(dut.avail_o.value)


@pytest.mark.parametrize("log_n", [4, 5])
def test_credit(log_n: int) -> None:
    run_bench(block="bfv_crypt", dut="u_credit", parameters={"LogN": log_n})
