"""axil_write_gate: what is shown, refused and taken, against a model, with answers at any pace."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from bench import run_bench
from coverage_bins import Bins

BAD_ADDRESS = 0x3C
BINS = Bins(__file__, "test_axil_write_gate")
INPUTS = ("awvalid_i", "wvalid_i", "awready_i", "wready_i", "refuse_i", "bvalid_i", "bready_i")


class Gate:
    """The module under test and what it must do; inputs change at the falling edge."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.pending = False
        self.source = random.Random(int(os.environ.get("RTL_SEED", "1")))

    @classmethod
    async def up(cls, dut: Any) -> Gate:
        for name in ("rst_ni", "awaddr_i", *INPUTS):
            getattr(dut, name).value = 0
        await Timer(1, unit="ns")
        Clock(dut.clk_i, 10, unit="ns").start(start_high=False)
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        return cls(dut)

    async def cycle(self, **inputs: int) -> bool:
        """One cycle with these inputs, the others 0; whether a write was taken."""
        dut = self.dut
        address = self.source.randrange(1 << 11)
        dut.awaddr_i.value = address
        values = {**dict.fromkeys(INPUTS, 0), **inputs}
        for name, value in values.items():
            getattr(dut, name).value = value
        await Timer(1, unit="ns")
        ready = values["awready_i"] and values["wready_i"]
        taken = bool(values["awvalid_i"] and values["wvalid_i"] and ready and not self.pending)
        for name in ("accept_o", "awready_o", "wready_o", "awvalid_o", "wvalid_o"):
            assert bool(int(getattr(dut, name).value)) == taken, name
        if taken:
            shown = BAD_ADDRESS if values["refuse_i"] else address
            assert int(dut.awaddr_o.value) == shown
        answered = bool(values["bvalid_i"] and values["bready_i"])
        self.pending = taken or (self.pending and not answered)
        await FallingEdge(dut.clk_i)
        return taken


WRITE = {"awvalid_i": 1, "wvalid_i": 1, "awready_i": 1, "wready_i": 1}


@cocotb.test()
async def waits_for_every_partner(dut: Any) -> None:
    gate = await Gate.up(dut)
    for absent in WRITE:
        assert not await gate.cycle(**{**WRITE, absent: 0})
        BINS.hit(f"waits for {absent}")
    assert await gate.cycle(**WRITE)
    # The next is not shown before the answer is taken, nor in the cycle of the answer.
    assert not await gate.cycle(**WRITE)
    BINS.hit("waits for the answer")
    assert not await gate.cycle(**WRITE, bvalid_i=1)
    BINS.hit("the answer waits for the bus")
    assert not await gate.cycle(**WRITE, bvalid_i=1, bready_i=1)
    assert await gate.cycle(**WRITE, refuse_i=1)
    BINS.hit("refused")
    # A reset forgets the write that was on its way.
    dut.rst_ni.value = 0
    await gate.cycle()
    dut.rst_ni.value = 1
    gate.pending = False
    assert await gate.cycle(**WRITE)
    BINS.hit("reset with a write on its way")


@cocotb.test()
async def random_writes(dut: Any) -> None:
    gate = await Gate.up(dut)
    taken = 0
    for share in (0.9, 0.5, 0.2):
        for _ in range(1000):
            inputs = {name: int(gate.source.random() < share) for name in INPUTS}
            inputs["bvalid_i"] &= int(gate.pending)
            taken += await gate.cycle(**inputs)
    assert taken > 300


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_axil_write_gate() -> None:
    run_bench(block="lib", dut="axil_write_gate", parameters={"BadAddress": BAD_ADDRESS})
