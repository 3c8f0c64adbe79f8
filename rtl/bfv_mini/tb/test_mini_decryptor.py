"""mini_decryptor: decryptions back to back and with pauses, rounding at ties, latency n + 2."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import mini_model as model
import pytest
from mini_bench import CONFIGURATIONS, Outputs, pack_small, reset, scheme, short

from bench import run_bench

Case = tuple[list[int], list[int], list[int]]


def drive(dut: Any, case: Case, bits: int) -> None:
    c0, c1, s = case
    dut.c0_i.value = model.pack(c0, 32)
    dut.c1_i.value = model.pack(c1, 32)
    dut.s_i.value = pack_small(s, bits)


async def run(dut: Any, cases: list[Case], pause: float, seed: int) -> list[list[int]]:
    """Feeds `cases`; checks every message and its cycle."""
    bfv = scheme()
    source = random.Random(seed)
    await reset(dut)
    out = Outputs(dut, ("message_o",))
    sent = []
    for case in cases:
        while source.random() < pause:
            noise = [source.randrange(model.Q) for _ in range(bfv.n)]
            drive(dut, (noise, noise, bfv.random_small(source)), bfv.bits)
            dut.valid_i.value = 0
            await out.step()
        drive(dut, case, bfv.bits)
        dut.valid_i.value = 1
        sent.append(out.cycle)
        await out.step()
    dut.valid_i.value = 0
    for _ in range(model.core_latency(bfv.n) + 3):
        await out.step()
    assert out.cycles == [cycle + model.core_latency(bfv.n) for cycle in sent]
    found = [model.unpack(word, 16, bfv.n) for (word,) in out.results]
    for case, message in zip(cases, found, strict=True):
        assert message == bfv.decrypt(*case)
    return found


@cocotb.test()
async def decrypts_what_was_encrypted(dut: Any) -> None:
    bfv = scheme()
    source = random.Random(1)
    cases: list[Case] = []
    messages = []
    for _ in range(1000):
        p0, p1, s = bfv.keys(source)
        item = bfv.random_item(source)
        c0, c1 = bfv.encrypt(p0, p1, item)
        cases.append((c0, c1, s))
        messages.append(item.message)
    found = await run(dut, cases, 0.0, 2)
    assert found == messages


@cocotb.test()
async def rounds_half_up(dut: Any) -> None:
    """Sums at, just below and just above each kind of tie, made by c0 alone and by the product."""
    bfv = scheme()
    source = random.Random(3)
    half = bfv.delta // 2
    wanted = [
        (m * bfv.delta + half + d) % model.Q
        for m in (0, 1, (1 << bfv.log_t) - 2, (1 << bfv.log_t) - 1)
        for d in (-half, -1, 0, 1, half - 1)
    ]
    cases: list[Case] = []
    for total in wanted:
        cases.append(([total] * bfv.n, [source.randrange(model.Q)] * bfv.n, [0] * bfv.n))
        s = bfv.random_small(source)
        c1 = [source.randrange(model.Q) for _ in range(bfv.n)]
        x = model.negacyclic(c1, s)
        cases.append(([(total - a) % model.Q for a in x], c1, s))
    await run(dut, cases, 0.0, 4)


@cocotb.test()
async def with_pauses(dut: Any) -> None:
    bfv = scheme()
    source = random.Random(5)
    cases: list[Case] = []
    for _ in range(200):
        c0, c1 = ([source.randrange(model.Q) for _ in range(bfv.n)] for _ in range(2))
        cases.append((c0, c1, bfv.random_small(source)))
    await run(dut, cases, 0.4, 6)


@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=short)
def test_mini_decryptor(parameters: dict[str, object]) -> None:
    run_bench(block="bfv_mini", dut="mini_decryptor", parameters=parameters, public_depth=1)
