"""The centred binomial sample: every pair of counts, single bits, random numbers."""

from __future__ import annotations

from typing import Any

import cocotb
from random_bench import cycle, rng, start_clock

from bench import run_bench
from coverage_bins import Bins

BINS = Bins(__file__, "test_binomial21")


def reference(bits: int) -> int:
    digits = f"{bits:042b}"[::-1]
    return digits[:21].count("1") - digits[21:].count("1")


async def check(dut: Any, numbers: list[int]) -> None:
    """One number a cycle; each result two cycles later."""
    await start_clock(dut, clear_i=0, bits_i=0)
    late: list[int] = []
    for bits in [*numbers, 0, 0]:
        dut.bits_i.value = bits
        if len(late) >= 2:
            source = late[-2]
            assert dut.e_o.value.to_signed() == reference(source), f"{source:042b}"
            BINS.hit(f"sample {reference(source)}")
        late.append(bits)
        await cycle(dut)


@cocotb.test()
async def every_pair_of_counts(dut: Any) -> None:
    random = rng()
    numbers = []
    for plus in range(22):
        for minus in range(22):
            for _ in range(3):
                places = random.sample(range(21), plus) + [
                    21 + place for place in random.sample(range(21), minus)
                ]
                numbers.append(sum(1 << place for place in places))
    await check(dut, numbers)


@cocotb.test()
async def every_bit_counts_once(dut: Any) -> None:
    full = 2**42 - 1
    await check(dut, [1 << i for i in range(42)] + [full ^ 1 << i for i in range(42)] + [0, full])


@cocotb.test()
async def random_numbers(dut: Any) -> None:
    random = rng()
    await check(dut, [random.getrandbits(42) for _ in range(2000)])


@cocotb.test()
async def clear_empties_both_stages(dut: Any) -> None:
    await start_clock(dut, clear_i=0, bits_i=2**21 - 1)
    for _ in range(3):
        await cycle(dut)
    assert dut.e_o.value.to_signed() == 21
    dut.clear_i.value = 1
    await cycle(dut)
    assert dut.e_o.value.to_signed() == 0
    for register in (dut.ones_q, dut.twos_q, dut.fours_q):
        assert int(register.value) == 0


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_binomial() -> None:
    run_bench(block="random", dut="binomial21")
