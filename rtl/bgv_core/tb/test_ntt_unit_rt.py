"""ntt_unit_rt: several primes in one run; values by the definition, cycles by the formula."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, Timer
from ntt_model import Transform, bit_reversed, largest_prime, root_of_two_power

from bench import run_bench
from coverage_bins import Bins

LATENCY = 6 + 8  # ntt_pkg::OuterLatency, modular_pkg::MulBarrettRtLatency
BINS = Bins(__file__, "test_ntt_unit_rt")


def parameter(name: str, default: int) -> int:
    return int(json.loads(os.environ["RTL_PARAMETERS"]).get(name, default))


def rings() -> list[Transform]:
    """A prime of full width, others of fewer bits, and the shortest there is."""
    log_n, width = parameter("LogN", 10), parameter("W", 32)
    shortest = next(b for b in range(log_n + 1, width) if largest_prime(log_n, b) > 0)
    chosen = [width, width - 1, 27, shortest]
    primes = [largest_prime(log_n, bits) for bits in dict.fromkeys(chosen)]
    assert all(primes)
    return [Transform(log_n, q, root_of_two_power(2 << log_n, q)) for q in primes]


def transform_cycles() -> int:
    """First butterfly read to last write, both counted."""
    log_n = parameter("LogN", 10)
    steps = 1 << (log_n - 1)
    gap = max(0, LATENCY + 1 - steps // 2)
    return log_n * steps + (log_n - 1) * gap + LATENCY


def shift(ring: Transform) -> int:
    return parameter("W", 32) - ring.q.bit_length()


def roots(ring: Transform) -> list[int]:
    """The table by its definition; word 0 is not used."""
    found = [0]
    for a in range(1, ring.n):
        p = (a & -a).bit_length() - 1
        odd = 2 * bit_reversed(a >> (p + 1), ring.log_n - 1 - p) + 1 if p < ring.log_n - 1 else 1
        found.append(pow(ring.psi, odd << p, ring.q))
    return found


async def start(dut: Any) -> None:
    for name in ("rst_ni", "q_i", "mu_i", "host_we_i", "host_root_i", "host_index_i"):
        getattr(dut, name).value = Immediate(0)
    for name in ("host_word_i", "start_i", "inverse_i", "clk_i"):
        getattr(dut, name).value = Immediate(0)
    await Timer(1, "ns")
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start(start_high=False))
    for _ in range(4):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await FallingEdge(dut.clk_i)


async def write(dut: Any, words: list[int], root: bool) -> None:
    dut.host_we_i.value = 1
    dut.host_root_i.value = int(root)
    for index, word in enumerate(words):
        dut.host_index_i.value = index
        dut.host_word_i.value = word
        await FallingEdge(dut.clk_i)
    dut.host_we_i.value = 0


async def choose(dut: Any, ring: Transform) -> None:
    """Gives the modulus and its roots."""
    bits = parameter("W", 32)
    q = ring.q << shift(ring)
    dut.q_i.value = q
    dut.mu_i.value = (1 << 2 * bits) // q - (1 << bits)
    await write(dut, roots(ring), root=True)


async def read(dut: Any, ring: Transform) -> list[int]:
    found = []
    for index in range(ring.n + 2):
        if index >= 2:
            found.append(int(dut.host_word_o.value))
        dut.host_index_i.value = index % ring.n
        await FallingEdge(dut.clk_i)
    k = shift(ring)
    assert all(word % (1 << k) == 0 for word in found)
    return [word >> k for word in found]


async def run(dut: Any, inverse: bool) -> int:
    """One transform; first butterfly read to last write, on the pipeline's own marks."""
    dut.start_i.value = 1
    dut.inverse_i.value = int(inverse)
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 0
    dut.inverse_i.value = int(not inverse)
    busy = first = last = 0
    while int(dut.busy_o.value):
        busy += 1
        flight = int(dut.in_flight.value)
        if flight & 1 and not first:
            first = busy
        if flight >> LATENCY:
            last = busy
        await FallingEdge(dut.clk_i)
    assert busy == last, "busy until the last write"
    assert first == 2, "the first read is in the second cycle"
    return last - first + 1


async def transformed(dut: Any, ring: Transform, values: list[int], inverse: bool) -> list[int]:
    await write(dut, [v << shift(ring) for v in values], root=False)
    cycles = await run(dut, inverse)
    width = "shorter" if shift(ring) else "full width"
    BINS.hit(f"{'inverse' if inverse else 'forward'}, {width}")
    assert cycles == transform_cycles()
    if ring.n >= 64:
        half = ring.n // 2 * ring.log_n
        assert cycles == half + 14
        assert cycles <= half + (20 if inverse else 18)  # the goal
    return await read(dut, ring)


@cocotb.test()
async def values_in_both_directions(dut: Any) -> None:
    dice = random.Random(int(os.environ.get("RTL_SEED", "1")))
    await start(dut)
    for ring in rings():
        n, q = ring.n, ring.q
        await choose(dut, ring)
        cases = [[q - 1] * n, [0] * (n - 1) + [q - 1], [dice.randrange(q) for _ in range(n)]]
        for number, values in enumerate(cases):
            expected = ring.forward(values)
            if n <= 64:
                assert expected == ring.evaluate(values)
            found = await transformed(dut, ring, values, inverse=False)
            assert found == expected, f"q = {q}: forward, case {number}"
            found = await transformed(dut, ring, values, inverse=True)
            assert found == ring.inverse(values), f"q = {q}: inverse, case {number}"


@cocotb.test()
async def there_and_back_in_place(dut: Any) -> None:
    """Transforms without anything written between: the results are where the operands were."""
    dice = random.Random(3)
    await start(dut)
    ring = rings()[1]
    await choose(dut, ring)
    values = [dice.randrange(ring.q) for _ in range(ring.n)]
    await write(dut, [v << shift(ring) for v in values], root=False)
    assert await run(dut, inverse=False) == await run(dut, inverse=True)
    assert await read(dut, ring) == values


@cocotb.test()
async def product_by_evaluations(dut: Any) -> None:
    dice = random.Random(5)
    await start(dut)
    ring = rings()[0]
    await choose(dut, ring)
    left = [dice.randrange(ring.q) for _ in range(ring.n)]
    right = [dice.randrange(ring.q) for _ in range(ring.n)]
    a = await transformed(dut, ring, left, inverse=False)
    b = await transformed(dut, ring, right, inverse=False)
    found = await transformed(
        dut, ring, [x * y % ring.q for x, y in zip(a, b, strict=True)], inverse=True
    )
    assert found == ring.product(left, right)


@cocotb.test()
async def reset_gives_up_a_transform(dut: Any) -> None:
    dice = random.Random(11)
    await start(dut)
    ring = rings()[0]
    await choose(dut, ring)
    for moment in (1, LATENCY, ring.n, transform_cycles()):
        values = [dice.randrange(ring.q) for _ in range(ring.n)]
        await write(dut, values, root=False)
        dut.start_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.start_i.value = 0
        for _ in range(moment):
            await FallingEdge(dut.clk_i)
        assert int(dut.busy_o.value)
        dut.rst_ni.value = 0
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        assert not int(dut.busy_o.value)
        BINS.hit("reset in a transform")
        assert await transformed(dut, ring, values, inverse=False) == ring.forward(values)


@cocotb.test()
async def plan_is_covered(dut: Any) -> None:
    """The last test: every bin of coverage.yaml was reached by those before."""
    await Timer(1, "ns")
    BINS.check()


@pytest.mark.parametrize(
    ("log_n", "width"),
    [(6, 32), (4, 32), (6, 28), (10, 32), pytest.param(12, 32, marks=pytest.mark.full)],
)
def test_ntt_unit_rt(log_n: int, width: int) -> None:
    run_bench(block="bgv_core", dut="ntt_unit_rt", parameters={"LogN": log_n, "W": width})
