"""gauss_rotation against the shared vectors and the bit-by-bit model of the paper's text."""

from __future__ import annotations

from typing import Any

import cocotb
import gauss_bench
import pytest

from bench import run_bench

KIND, DEFAULT = "rotation", 11


@cocotb.test()
async def shared_vectors_a_sample_a_cycle(dut: Any) -> None:
    await gauss_bench.check_vectors(dut, gauss_bench.name(KIND, DEFAULT))


@cocotb.test()
async def moves_only_when_a_sample_is_taken(dut: Any) -> None:
    await gauss_bench.check_pauses(dut, gauss_bench.name(KIND, DEFAULT))


@pytest.mark.parametrize("width", [11, 20])
def test_gauss(width: int) -> None:
    run_bench(block="random", dut="gauss_rotation", parameters={"Width": width})
