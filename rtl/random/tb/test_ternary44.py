"""The ternary code: both thresholds from all sides, every bit at each of them, random numbers."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import Timer
from random_bench import rng

from bench import run_bench

TOP = 2**44 - 1
CODES = (0b00, 0b01, 0b11)


async def check(dut: Any, numbers: list[int]) -> None:
    for x in numbers:
        dut.x_i.value = x
        await Timer(1, "ns")
        assert int(dut.code_o.value) == CODES[3 * x // 2**44], f"{x:044b}"


@cocotb.test()
async def around_the_thresholds(dut: Any) -> None:
    edges = [0, TOP // 3, 2 * TOP // 3, TOP]
    await check(dut, [min(max(edge + step, 0), TOP) for edge in edges for step in range(-64, 65)])


@cocotb.test()
async def every_bit_decides(dut: Any) -> None:
    """The thresholds with one bit turned, and with all bits below one turned."""
    for edge in (TOP // 3, TOP // 3 + 1, 2 * TOP // 3, 2 * TOP // 3 + 1):
        await check(dut, [edge ^ 1 << i for i in range(44)])
        await check(dut, [edge ^ (1 << i) - 1 for i in range(45)])


@cocotb.test()
async def random_numbers(dut: Any) -> None:
    random = rng()
    await check(dut, [random.getrandbits(44) for _ in range(3000)])


def test_ternary() -> None:
    run_bench(block="random", dut="ternary44")
