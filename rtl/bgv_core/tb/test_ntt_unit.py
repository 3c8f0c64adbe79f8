"""ntt_unit: values against the definition, cycles against the package's formula, both buffers."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
import yaml
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time
from ntt_model import Transform, largest_prime, root_of_two_power

from bench import run_bench
from coverage_bins import Bins

MUL_LATENCY = 5  # modular_pkg::MulLatency
LATENCY = 6 + MUL_LATENCY
BINS = Bins(__file__, "test_ntt_unit")
# Goals of the transform alone: n = 128, one butterfly.
GOALS = {
    goal["operation"]: goal
    for goal in yaml.safe_load((Path(__file__).parents[2] / "goals.yaml").read_text("utf-8"))
    if goal.get("bench") == "test_ntt_unit"
}


def parameter(name: str, default: int) -> int:
    return int(json.loads(os.environ["RTL_PARAMETERS"]).get(name, default))


def transform() -> Transform:
    return Transform(parameter("LogN", 7), parameter("Q", 257**3), parameter("Psi", 3_259_673))


def transform_cycles() -> int:
    """First butterfly read to last write, both counted."""
    log_n, log_b = parameter("LogN", 7), parameter("LogB", 0)
    steps = 1 << (log_n - log_b - 1)
    gap = max(0, LATENCY + 1 - steps // 2)
    return log_n * steps + (log_n - 1) * gap + LATENCY


def twist_latency() -> int:
    """Of the factors in front of a decimation in frequency."""
    return parameter("Dif", 0) * (2 + MUL_LATENCY)


def beats(values: list[int], evaluations: bool) -> list[int]:
    """A polynomial as the unit's beats, by the table in its header; packed, word 0 lowest."""
    lanes = 1 << parameter("LogB", 0)
    width, n = parameter("W", 27), len(values)
    steps = n // (2 * lanes)
    found = []
    for c in range(steps):
        if evaluations:
            base = 2 * lanes * c
            words = [values[base + 2 * u] for u in range(lanes)]
            words += [values[base + 2 * u + 1] for u in range(lanes)]
        else:
            words = [values[c + u * steps] for u in range(2 * lanes)]
        found.append(sum(word << (width * k) for k, word in enumerate(words)))
    return found


def polynomial(found: list[int], evaluations: bool) -> list[int]:
    """The other way round."""
    lanes = 1 << parameter("LogB", 0)
    width, steps = parameter("W", 27), len(found)
    values = [0] * (2 * lanes * steps)
    for c, beat in enumerate(found):
        words = [beat >> (width * k) & ((1 << width) - 1) for k in range(2 * lanes)]
        for u in range(2 * lanes):
            if evaluations:
                values[2 * lanes * c + 2 * (u % lanes) + u // lanes] = words[u]
            else:
                values[c + u * steps] = words[u]
    return values


def direction(inverse: bool) -> str:
    return "inverse" if inverse else "forward"


async def watch(dut: Any) -> None:
    """Marks how transforms begin and how their results leave."""
    while True:
        await Timer(1, "ns")  # the inputs of this cycle are there
        if int(dut.rst_ni.value) and int(dut.start.value):
            first, buffer = bool(int(dut.direct_start.value)), int(dut.run_buffer_q.value)
            kept = int(dut.inverse_q.value) >> buffer & 1
            inverse = bool(int(dut.load_inverse.value) if first and not twist_latency() else kept)
            BINS.hit(f"{direction(inverse)} {'as it comes' if first else 'from memory'}")
        await FallingEdge(dut.clk_i)


async def start(dut: Any) -> None:
    for name in (
        "rst_ni",
        "load_valid_i",
        "load_inverse_i",
        "load_i",
        "unload_i",
        "take_i",
        "clk_i",
    ):
        getattr(dut, name).value = Immediate(0)
    await Timer(1, "ns")
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start(start_high=False))
    for _ in range(4):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await FallingEdge(dut.clk_i)
    cocotb.start_soon(watch(dut))


async def load(dut: Any, values: list[int], inverse: bool, pause: float = 0.0) -> None:
    """Waits for a free buffer and fills it."""
    dice = random.Random(7)
    while not int(dut.can_load_o.value):
        BINS.hit("no buffer is free")
        await FallingEdge(dut.clk_i)
    for beat in beats(values, evaluations=inverse):
        while dice.random() < pause:
            dut.load_valid_i.value = 0
            await FallingEdge(dut.clk_i)
        dut.load_valid_i.value = 1
        dut.load_inverse_i.value = int(inverse)
        dut.load_i.value = beat
        await FallingEdge(dut.clk_i)
    dut.load_valid_i.value = 0


async def words_out(dut: Any, inverse: bool) -> list[int]:
    """The beats that are there now and in the following cycles."""
    found = []
    for _ in range(1 << (parameter("LogN", 7) - parameter("LogB", 0) - 1)):
        assert int(dut.unload_valid_o.value)
        found.append(int(dut.unload_o.value))
        await FallingEdge(dut.clk_i)
    return polynomial(found, evaluations=not inverse)


async def unload(dut: Any, inverse: bool) -> list[int]:
    """Waits for a result and takes it: the beats follow each other from the third cycle on."""
    while not int(dut.can_unload_o.value):
        await FallingEdge(dut.clk_i)
    dut.unload_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.unload_i.value = 0
    for _ in range(2):
        await FallingEdge(dut.clk_i)
    BINS.hit(f"{direction(inverse)} unloaded")
    return await words_out(dut, inverse)


async def take(dut: Any, inverse: bool) -> list[int]:
    """Waits for the offer of a result and takes it as it is made."""
    dut.take_i.value = 1
    while not int(dut.offer_o.value):
        await FallingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    dut.take_i.value = 0
    steps = 1 << (parameter("LogN", 7) - parameter("LogB", 0) - 1)
    for _ in range(1 + max(0, LATENCY + 1 - steps // 2) + LATENCY):
        assert not int(dut.unload_valid_o.value)
        await FallingEdge(dut.clk_i)
    BINS.hit(f"{direction(inverse)} taken")
    return await words_out(dut, inverse)


def corner_polynomials(ring: Transform) -> list[list[int]]:
    n, q = ring.n, ring.q
    return [
        [0] * n,
        [q - 1] * n,
        [1] + [0] * (n - 1),
        [0] * (n - 1) + [q - 1],
        [0, 1] + [0] * (n - 2),
        list(range(n)),
    ]


def random_polynomial(ring: Transform, dice: random.Random) -> list[int]:
    return [dice.randrange(ring.q) for _ in range(ring.n)]


@cocotb.test()
async def values_in_both_directions(dut: Any) -> None:
    ring = transform()
    dice = random.Random(int(os.environ.get("RTL_SEED", "1")))
    await start(dut)
    cases = corner_polynomials(ring) + [random_polynomial(ring, dice) for _ in range(3)]
    for number, values in enumerate(cases):
        await load(dut, values, inverse=False, pause=0.3 * (number % 2))
        found = await unload(dut, inverse=False)
        expected = ring.forward(values)
        if ring.n <= 128:
            assert expected == ring.evaluate(values)
        assert found == expected, f"forward, case {number}"
        await load(dut, values, inverse=True, pause=0.3 * (number % 2))
        assert await unload(dut, inverse=True) == ring.inverse(values), f"inverse, case {number}"


@cocotb.test()
async def product_by_evaluations(dut: Any) -> None:
    """The transforms' purpose: a product of two polynomials is one of their evaluations."""
    ring = transform()
    dice = random.Random(3)
    await start(dut)
    left, right = random_polynomial(ring, dice), random_polynomial(ring, dice)
    await load(dut, left, inverse=False)
    await load(dut, right, inverse=False)
    a, b = await unload(dut, inverse=False), await unload(dut, inverse=False)
    await load(dut, [x * y % ring.q for x, y in zip(a, b, strict=True)], inverse=True)
    found = await unload(dut, inverse=True)
    if ring.n <= 256:
        assert found == ring.product(left, right)
    assert found == ring.inverse(
        [x * y % ring.q for x, y in zip(ring.forward(left), ring.forward(right), strict=True)]
    )


async def first_read_to_last_write(dut: Any) -> int:
    """Both counted, on the pipeline's own marks."""
    while not int(dut.in_flight.value) & 1:
        await FallingEdge(dut.clk_i)
    count = last = 0
    while int(dut.busy_o.value):
        count += 1
        if int(dut.in_flight.value) >> LATENCY:
            last = count
        await FallingEdge(dut.clk_i)
    return last


@cocotb.test()
async def results_taken_as_they_are_made(dut: Any) -> None:
    """A direct start and a taken result: no cycle is spent on loading or unloading."""
    ring = transform()
    dice = random.Random(13)
    await start(dut)
    log_b = parameter("LogB", 0)
    steps = ring.n >> (log_b + 1)
    for inverse in (False, True, True, False):
        values = random_polynomial(ring, dice)
        expected = ring.inverse(values) if inverse else ring.forward(values)
        started = get_sim_time("ns")
        cocotb.start_soon(load(dut, values, inverse))
        assert await take(dut, inverse) == expected
        cycles = round((get_sim_time("ns") - started) / 10)
        # First beat in to last beat out: a register in, the transform, one out.
        assert cycles == transform_cycles() + 2 + twist_latency()
        for _ in range(2 * steps):
            assert not int(dut.can_unload_o.value), "it has left already"
            await FallingEdge(dut.clk_i)


@cocotb.test()
async def cycles_of_one_transform(dut: Any) -> None:
    """First butterfly read to last write, by the memory's own enables."""
    ring = transform()
    await start(dut)
    for inverse in (False, True):
        timing = cocotb.start_soon(first_read_to_last_write(dut))
        await load(dut, list(range(ring.n)), inverse)
        last = await timing
        dut._log.info("cycles: %s %d", direction(inverse), last)
        assert last == transform_cycles()
        steps = ring.n >> (parameter("LogB", 0) + 1)
        if (ring.log_n, parameter("LogB", 0)) == (7, 0):
            assert GOALS[direction(inverse)]["floor"] <= last <= GOALS[direction(inverse)]["limit"]
        if steps >= 32:
            assert last <= ring.log_n * steps + 18
        else:
            assert last <= ring.log_n * (steps + LATENCY)
        await unload(dut, inverse)


@cocotb.test()
async def every_cycle_holds_a_butterfly(dut: Any) -> None:
    """Loads, transforms and unloads overlap; results are those of their own polynomials."""
    ring = transform()
    dice = random.Random(5)
    await start(dut)
    jobs = [(random_polynomial(ring, dice), bool(dice.getrandbits(1))) for _ in range(8)]

    async def feed() -> None:
        for values, inverse in jobs:
            await load(dut, values, inverse)

    reads: list[int] = []

    async def watch() -> None:
        while True:
            reads.append(int(dut.issue.value))
            await FallingEdge(dut.clk_i)

    cocotb.start_soon(feed())
    watcher = cocotb.start_soon(watch())
    for number, (values, inverse) in enumerate(jobs):
        expected = ring.inverse(values) if inverse else ring.forward(values)
        assert await unload(dut, inverse) == expected, f"job {number}"
    watcher.cancel()
    first, last = reads.index(1), len(reads) - reads[::-1].index(1)
    steps = ring.n >> (parameter("LogB", 0) + 1)
    if steps // 2 > LATENCY:
        assert sum(reads) == len(jobs) * ring.log_n * steps
        assert sum(reads) >= 0.99 * (last - first)


@cocotb.test()
async def reset_gives_up_everything(dut: Any) -> None:
    """A reset at any moment; the next transform is right."""
    ring = transform()
    dice = random.Random(11)
    await start(dut)
    for moment in (1, ring.n // 2, ring.n + 3, ring.n + 40, ring.n + ring.n // 2):
        values = random_polynomial(ring, dice)
        feeder = cocotb.start_soon(load(dut, values, inverse=False))
        for _ in range(moment):
            await FallingEdge(dut.clk_i)
        feeder.cancel()
        if int(dut.loading_q.value):
            BINS.hit("reset in a load")
        elif int(dut.busy_o.value):
            BINS.hit("reset in a transform")
        dut.load_valid_i.value = 0
        dut.rst_ni.value = 0
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await FallingEdge(dut.clk_i)
        assert not int(dut.busy_o.value)
        assert not int(dut.can_unload_o.value)
        await load(dut, values, inverse=False)
        assert await unload(dut, inverse=False) == ring.forward(values)


@cocotb.test()
async def plan_is_covered(dut: Any) -> None:
    """The last test: every bin of coverage.yaml was reached by those before."""
    await Timer(1, "ns")
    BINS.check()


def settings(log_n: int, log_b: int, q: int) -> dict[str, int]:
    psi = 3_259_673 if (q, log_n) == (257**3, 7) else root_of_two_power(2 << log_n, q)
    return {"LogN": log_n, "LogB": log_b, "Q": q, "Psi": psi}


@pytest.mark.parametrize(
    ("log_n", "log_b", "q"),
    [
        (7, 0, 257**3),
        (7, 1, 257**3),
        (5, 3, 257**3),
        pytest.param(7, 2, 257**3, marks=pytest.mark.full),
        pytest.param(4, 0, 257**3, marks=pytest.mark.full),
        (8, 1, largest_prime(8, 26)),
        (10, 0, largest_prime(10, 27)),
        pytest.param(10, 3, largest_prime(10, 26), marks=pytest.mark.full),
        pytest.param(12, 4, largest_prime(12, 27), marks=pytest.mark.full),
    ],
)
def test_ntt_unit(log_n: int, log_b: int, q: int) -> None:
    run_bench(block="bgv_core", dut="ntt_unit", parameters=settings(log_n, log_b, q))


@pytest.mark.parametrize(
    ("log_n", "q"),
    [
        (7, 257**3),
        (4, 257**3),
        pytest.param(10, largest_prime(10, 27), marks=pytest.mark.full),
    ],
)
def test_decimation_in_frequency(log_n: int, q: int) -> None:
    """The paper's schedule: the same values, orders and counted cycles."""
    run_bench(block="bgv_core", dut="ntt_unit", parameters=settings(log_n, 0, q) | {"Dif": 1})
