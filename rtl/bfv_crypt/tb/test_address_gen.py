"""address_gen: every address of a run in both modes and directions, against the schedule's text."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import Timer
from crypt_bench import cycle, drive, parameter, up

from bench import run_bench

LOG_N = parameter("LogN", 4)
N = 1 << LOG_N
QUIET = {"paper_i": 0, "decrypt_i": 0, "restart_i": 0, "advance_i": 0}
OUTPUTS = (
    *("mult_raddr_o", "u_raddr_a_o", "u_raddr_b_o", "s_raddr_o", "padd_re_o", "padd_raddr_o"),
    *("next_odd_o", "next_period_o", "index_last_o", "period_o", "product_o"),
    *("wipe_addr_o", "result_addend_o", "result_hold_o", "result_addr_o"),
)


async def look(dut: Any) -> dict[str, int]:
    await Timer(1, unit="ns")
    return {name: int(getattr(dut, name).value) for name in OUTPUTS}


def check_next_overlap(out: dict[str, int], step: int, decrypt: int) -> None:
    period, j = divmod(step, N)
    operand = period % 32 if decrypt else period % 2
    assert out["mult_raddr_o"] == operand * N + N - 1 - j
    assert out["s_raddr_o"] == j
    assert (out["next_period_o"], out["next_odd_o"]) == (period, period % 2)
    # U: plaintext of the product before; V: plaintext of this product; two in the memory.
    if period:
        assert out["u_raddr_a_o"] == (period - 1) // 2 % 2 * N + j
        assert out["padd_raddr_o"] == (period - 1) * N + j
        assert out["padd_re_o"] == int(decrypt or (period - 1) % 2 == 0)
    assert out["u_raddr_b_o"] == period // 2 % 2 * N + j


def check_overlap(out: dict[str, int], step: int, decrypt: int) -> None:
    period, j = divmod(step, N)
    assert (out["period_o"], out["index_last_o"]) == (period, int(j == N - 1))
    if period:
        assert out["result_addr_o"] == (period - 1) * N + j
        assert out["result_addend_o"] == int(decrypt or (period - 1) % 2 == 0)


@cocotb.test()
async def overlap(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(1)
    for decrypt in (0, 1):
        drive(dut, **{**QUIET, "decrypt_i": decrypt, "restart_i": 1})
        check_next_overlap(await look(dut), 0, decrypt)
        await cycle(dut)
        step = 0
        while step < 33 * N - 1:
            advance = int(source.random() < 0.8)
            drive(dut, restart_i=0, advance_i=advance)
            out = await look(dut)
            check_overlap(out, step, decrypt)
            check_next_overlap(out, step + advance, decrypt)
            await cycle(dut)
            step += advance


@cocotb.test()
async def paper(dut: Any) -> None:
    await up(dut, **QUIET)
    for decrypt in (0, 1):
        drive(dut, **{**QUIET, "paper_i": 1, "decrypt_i": decrypt, "restart_i": 1})
        await cycle(dut)
        for step in range(64 * N):
            drive(dut, restart_i=0, advance_i=1)
            out = await look(dut)
            product, place = divmod(step, 2 * N)
            j = place % N
            assert out["product_o"] == product
            assert out["index_last_o"] == int(j == N - 1)
            assert out["padd_raddr_o"] == product * N + j
            assert out["padd_re_o"] == 1
            following = (step + 1) % (64 * N)
            operand = following // (2 * N)
            if following // N % 2 == 0:
                wanted = (operand if decrypt else operand % 2) * N + following % N
                assert out["mult_raddr_o"] == wanted
            if step:
                # Results are one step behind the operand.
                product, place = divmod(step - 1, 2 * N)
                assert out["result_hold_o"] == place // N
                assert out["result_addr_o"] == product * N + place % N
                assert out["result_addend_o"] == 1
            await cycle(dut)


@cocotb.test()
async def wipe(dut: Any) -> None:
    await up(dut, **QUIET)
    drive(dut, restart_i=1)
    await cycle(dut)
    walked = []
    for _ in range(32 * N):
        drive(dut, restart_i=0, advance_i=1)
        out = await look(dut)
        assert out["period_o"] < 32
        walked.append(out["wipe_addr_o"])
        await cycle(dut)
    assert walked == list(range(32 * N))
    assert (await look(dut))["period_o"] == 32


@pytest.mark.parametrize("log_n", [4, 5])
def test_addresses(log_n: int) -> None:
    run_bench(block="bfv_crypt", dut="address_gen", parameters={"LogN": log_n})
