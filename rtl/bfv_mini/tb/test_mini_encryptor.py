"""mini_encryptor: encryptions back to back and with pauses, exact ciphertexts, latency n + 2."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import mini_model as model
import pytest
from mini_bench import CONFIGURATIONS, Outputs, pack_small, reset, scheme, short

from bench import run_bench


def drive(dut: Any, p0: list[int], p1: list[int], item: model.Encryption, bits: int) -> None:
    dut.p0_i.value = model.pack(p0, 32)
    dut.p1_i.value = model.pack(p1, 32)
    dut.u_i.value = pack_small(item.u, bits)
    dut.e1_i.value = model.pack(item.e1, 7)
    dut.e2_i.value = model.pack(item.e2, 7)
    dut.message_i.value = model.pack(item.message, 16)


async def run(dut: Any, items: list[model.Encryption], pause: float, seed: int) -> None:
    """Feeds `items`, each under a key of its own; checks every ciphertext and its cycle."""
    bfv = scheme()
    source = random.Random(seed)
    await reset(dut)
    out = Outputs(dut, ("c0_o", "c1_o"))
    expected, sent = [], []
    for item in items:
        # Operands without valid must have no effect.
        while source.random() < pause:
            junk = [source.randrange(model.Q) for _ in range(bfv.n)]
            drive(dut, junk, junk, bfv.random_item(source), bfv.bits)
            dut.valid_i.value = 0
            await out.step()
        p0, p1, _ = bfv.keys(source)
        drive(dut, p0, p1, item, bfv.bits)
        dut.valid_i.value = 1
        sent.append(out.cycle)
        expected.append(bfv.encrypt(p0, p1, item))
        await out.step()
    dut.valid_i.value = 0
    for _ in range(model.core_latency(bfv.n) + 3):
        await out.step()
    assert out.cycles == [cycle + model.core_latency(bfv.n) for cycle in sent]
    assert model.core_latency(bfv.n) <= 2 * bfv.n - 1, "the paper's latency"
    for (c0, c1), found in zip(expected, out.results, strict=True):
        assert model.unpack(found[0], 32, bfv.n) == c0
        assert model.unpack(found[1], 32, bfv.n) == c1


@cocotb.test()
async def back_to_back(dut: Any) -> None:
    bfv = scheme()
    source = random.Random(1)
    items = bfv.extremes() + [bfv.random_item(source) for _ in range(1000)]
    await run(dut, items, 0.0, 2)


@cocotb.test()
async def with_pauses(dut: Any) -> None:
    bfv = scheme()
    source = random.Random(3)
    await run(dut, [bfv.random_item(source, 64 - 1) for _ in range(200)], 0.4, 4)


@cocotb.test()
async def nothing_after_reset(dut: Any) -> None:
    """A reset drops what is in the pipeline."""
    bfv = scheme()
    source = random.Random(5)
    await reset(dut)
    p0, p1, _ = bfv.keys(source)
    drive(dut, p0, p1, bfv.random_item(source), bfv.bits)
    out = Outputs(dut, ("c0_o",))
    dut.valid_i.value = 1
    await out.step()
    dut.valid_i.value = 0
    dut.rst_ni.value = 0
    await out.step()
    dut.rst_ni.value = 1
    for _ in range(2 * bfv.n + 4):
        await out.step()
    assert not out.results


@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=short)
def test_mini_encryptor(parameters: dict[str, object]) -> None:
    run_bench(block="bfv_mini", dut="mini_encryptor", parameters=parameters, public_depth=1)
