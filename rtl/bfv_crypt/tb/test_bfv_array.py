"""bfv_array: whole products in both modes, with steps that wait, against numpy."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import crypt_model as model
import numpy as np
import pytest
from crypt_bench import cycle, drive, parameter, up
from crypt_model import Poly

from bench import run_bench

LOG_N = parameter("LogN", 4)
N = 1 << LOG_N
QUIET = {
    "step_i": 0,
    "paper_i": 0,
    "sel_clr_i": 0,
    "sum_clr_i": 0,
    "wipe_i": 0,
    "u_i": 0,
    "v_i": 0,
    "bus_i": 0,
    "code_we_i": 0,
}
LATENCY, PAPER_LATENCY = 2, 3


async def paper_product(dut: Any, a: Poly, small: list[int]) -> list[int]:
    """2n outputs of count and hold."""
    for group, word in enumerate(model.code_words(small)):
        drive(dut, **{**QUIET, "bus_i": word, "code_we_i": 1 << group})
        await cycle(dut)
    drive(dut, **{**QUIET, "paper_i": 1, "sum_clr_i": 1})
    await cycle(dut, 2)
    found = []
    for i in range(2 * N + PAPER_LATENCY):
        # The operand goes one cycle ahead of its step.
        step = 1 <= i <= 2 * N
        drive(dut, **{**QUIET, "paper_i": 1, "step_i": int(step), "u_i": int(1 <= i <= N)})
        if i < N:
            dut.bus_i.value = int(a[i])
        await cycle(dut)
        if i >= PAPER_LATENCY - 1:
            found.append(int(dut.sum_o.value))
    return found[: 2 * N]


@cocotb.test()
async def paper_products(dut: Any) -> None:
    await up(dut, **QUIET)
    source = np.random.default_rng(3)
    cases = [[1] * N, [-1] * N, [0] * N]
    cases += [[1 if i == j else 0 for i in range(N)] for j in (0, 1, N - 1)]
    cases += [[int(v) for v in source.integers(-1, 2, N)] for _ in range(4)]
    for small in cases:
        a = source.integers(0, model.Q, N, dtype=np.uint64)
        assert await paper_product(dut, a, small) == [int(y) for y in model.unreduced(a, small)]


@cocotb.test()
async def example_of_the_paper(dut: Any) -> None:
    """The two-dimensional array's example, H = 2 + 5x + 3x^2 + x^3 times G = 1 + 2x + x^2 + 3x^3.

    G is not ternary: it is the sum of the ternary 1 + x + x^2 + x^3, x + x^3 and x^3.
    """
    await up(dut, **QUIET)
    total = np.zeros(2 * N, dtype=np.uint64)
    h = model.poly([2, 5, 3, 1] + [0] * (N - 4))
    for part in ([1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]):
        found = await paper_product(dut, h, part + [0] * (N - 4))
        total = (total + np.array(found, dtype=np.uint64)) & model.MASK
    assert [int(v) for v in total[:8]] == [2, 9, 15, 18, 20, 10, 3, 0]
    assert not np.any(total[8:])


async def overlap_products(dut: Any, pairs: list[tuple[Poly, list[int]]], wait: float) -> None:
    source = random.Random(N)
    drive(dut, **{**QUIET, "sel_clr_i": 1})
    await cycle(dut, 2)
    found: list[int] = []
    steps: list[bool] = []  # of the last cycles, newest last
    for period in range(len(pairs) + 1):
        for j in range(N):
            stepped = False
            while not stepped:
                stepped = source.random() >= wait
                drive(dut, **{**QUIET, "step_i": int(stepped)})
                if stepped:
                    dut.sel_clr_i.value = int(j == N - 1)
                    u = pairs[period - 1][1][j] if period else source.choice((-1, 0, 1))
                    v = -pairs[period][1][j] if period < len(pairs) else source.choice((-1, 0, 1))
                    drive(dut, u_i=model.CODES[u], v_i=model.CODES[v])
                    if period < len(pairs):
                        dut.bus_i.value = int(pairs[period][0][N - 1 - j])
                else:
                    drive(dut, u_i=1, v_i=3, bus_i=source.randrange(model.Q))
                await cycle(dut)
                steps.append(stepped)
                if len(steps) >= LATENCY and steps[-LATENCY]:
                    found.append(int(dut.sum_o.value))
    drive(dut, **QUIET)
    await cycle(dut)
    found.append(int(dut.sum_o.value))
    for number, (a, small) in enumerate(pairs):
        emerged = found[(number + 1) * N : (number + 2) * N]
        assert emerged == [int(y) for y in model.product(a, small)], f"product {number}"


@cocotb.test()
async def overlap(dut: Any) -> None:
    """A product every n steps, back to back and with steps that wait."""
    await up(dut, **QUIET)
    source = np.random.default_rng(4)

    def pairs(count: int) -> list[tuple[Poly, list[int]]]:
        return [
            (
                source.integers(0, model.Q, N, dtype=np.uint64),
                [int(v) for v in source.integers(-1, 2, N)],
            )
            for _ in range(count)
        ]

    await overlap_products(dut, pairs(6), wait=0.0)
    await overlap_products(dut, pairs(3), wait=0.4)
    top = model.poly([-1] * N)
    extremes = [(top, [1] * N), (top, [-1] * N), (top, [0] * N), (model.poly([1] * N), [1] * N)]
    await overlap_products(dut, extremes, wait=0.0)


@cocotb.test()
async def modes_leave_no_trace(dut: Any) -> None:
    await up(dut, **QUIET)
    a, small = model.poly(list(range(1, N + 1))), [1, -1] * (N // 2)
    for _ in range(2):
        await overlap_products(dut, [(a, small)], wait=0.0)
        assert await paper_product(dut, a, small) == [int(y) for y in model.unreduced(a, small)]


@pytest.mark.parametrize("log_n", [4, 5, 6])
def test_array(log_n: int) -> None:
    run_bench(block="bfv_crypt", dut="bfv_array", parameters={"LogN": log_n}, public_depth=1)
