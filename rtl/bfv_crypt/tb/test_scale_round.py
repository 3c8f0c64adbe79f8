"""scale_round: all sums of top byte and half bit, and every tie with its neighbours."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from bench import run_bench

LOG_DELTA, T = 24, 256


@cocotb.test()
async def rounds(dut: Any) -> None:
    source = random.Random(1)
    half = 1 << (LOG_DELTA - 1)
    lows = [0, 1, half - 1, half, half + 1, (1 << LOG_DELTA) - 1]
    lows += [1 << i for i in range(LOG_DELTA)]
    values = [(top << LOG_DELTA) + low for top in range(T) for low in lows]
    values += [source.randrange(1 << 32) for _ in range(5000)]
    for value in values:
        dut.c_i.value = value
        await Timer(1, unit="ns")
        # Round half up, by the definition and not by the RTL's trick.
        assert int(dut.m_o.value) == (2 * value + (1 << LOG_DELTA)) // (1 << LOG_DELTA + 1) % T


def test_rounding() -> None:
    run_bench(block="bfv_crypt", dut="scale_round")
