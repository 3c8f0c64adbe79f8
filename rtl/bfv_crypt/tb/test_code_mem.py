"""code_mem: every code of every word at its place, one cycle after the address; wiped."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from crypt_bench import cycle, drive, parameter, up

from bench import run_bench

N = 1 << parameter("LogN", 4)
QUIET = {"we_i": 0, "waddr_i": 0, "wdata_i": 0, "wipe_i": 0, "wipe_addr_i": 0, "raddr_i": 0}


async def read(dut: Any, order: list[int]) -> list[int]:
    """The codes at these addresses, one a cycle."""
    found = []
    for address in order:
        drive(dut, **{**QUIET, "raddr_i": address})
        await cycle(dut)
        found.append(int(dut.code_o.value))
    return found


@cocotb.test()
async def write_and_read(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(1)
    codes = [source.choice((0, 1, 3)) for _ in range(N)]
    order = [*range(N), *(source.randrange(N) for _ in range(4 * N))]
    words = [sum(c << 2 * i for i, c in enumerate(codes[w : w + 16])) for w in range(0, N, 16)]
    for _ in range(2):
        for address in source.sample(range(N // 16), N // 16):
            drive(dut, **{**QUIET, "we_i": 1, "waddr_i": address, "wdata_i": words[address]})
            await cycle(dut)
        assert await read(dut, order) == [codes[address] for address in order]
        for address in range(N // 16):
            drive(dut, **{**QUIET, "wipe_i": 1, "wipe_addr_i": address, "wdata_i": 0x55555555})
            await cycle(dut)
        assert not any(await read(dut, order))


@pytest.mark.parametrize("log_n", [4, 6])
def test_codes(log_n: int) -> None:
    run_bench(block="bfv_crypt", dut="code_mem", parameters={"LogN": log_n})
