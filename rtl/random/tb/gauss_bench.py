"""The bench of the paper's two generators, whose ports and timing are the same."""

from __future__ import annotations

from itertools import islice
from typing import Any

from random_bench import cycle, parameter, reset, rng, vectors

from model.lfsr_noise import GENERATORS, run


def name(kind: str, default: int) -> str:
    """The generator under test as vectors and model call it."""
    return f"{kind}{parameter('Width', default)}"


async def load(dut: Any, state: int) -> None:
    """Loads a state; the first sample is there two cycles later, not before."""
    dut.seed_i.value = state
    dut.load_i.value = 1
    await cycle(dut)
    dut.load_i.value = 0
    assert not int(dut.valid_o.value)
    await cycle(dut)
    assert int(dut.valid_o.value)


async def prepare(dut: Any) -> None:
    await reset(dut, load_i=0, seed_i=1, take_i=0)
    await cycle(dut)
    assert not int(dut.valid_o.value)


async def check_vectors(dut: Any, kind: str) -> None:
    """The shared vectors, a sample every cycle."""
    await prepare(dut)
    cases = [case for case in vectors("lfsr_noise.json") if case["generator"] == kind]
    assert cases
    for case in cases:
        await load(dut, int(case["states"][0], 16))
        dut.take_i.value = 1
        for index, sample in enumerate(case["samples"]):
            assert int(dut.valid_o.value)
            assert dut.sample_o.value.to_signed() == sample, f"{case['states'][0]}, {index}"
            await cycle(dut)
        dut.take_i.value = 0


async def check_pauses(dut: Any, kind: str) -> None:
    """The register moves only when a sample is taken; a load gives up what was there."""
    await prepare(dut)
    random = rng()
    generator = GENERATORS[kind]
    for _ in range(8):
        state = random.randrange(1, 1 << generator.width)
        await load(dut, state)
        for _, sample in islice(run(generator, state), 150):
            while True:
                take = random.random() < 0.4
                dut.take_i.value = take
                assert int(dut.valid_o.value)
                assert dut.sample_o.value.to_signed() == sample
                await cycle(dut)
                if take:
                    break
        dut.take_i.value = 0
