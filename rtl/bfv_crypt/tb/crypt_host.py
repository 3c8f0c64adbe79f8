"""The host of the simulated device: its registers and data window over the buses."""

from __future__ import annotations

import itertools
import json
import logging
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster
from crypt_model import Poly, code_words

LOG_N = int(json.loads(os.environ.get("RTL_PARAMETERS", "{}")).get("LogN", 4))
N = 1 << LOG_N

CTRL, STATUS, ERRCODE, CYCLES = 0x14, 0x18, 0x1C, 0x20
IRQ_STATUS, IRQ_ENABLE, CONTROL, MODE = 0x28, 0x2C, 0x40, 0x44
RUN_COUNTER, SEED, MULTIPLIER = 0x60, 0x80, 0x400
CLEAR, KEY_LOADED = 1, 2
BUSY, DONE, ERROR, PRIMED, ARMED = 1, 2, 4, 8, 16
START, RESET, DECRYPT = 1 << 6, 1 << 7, 1 << 5

(
    NONE,
    SEED_ZERO,
    COUNT_ODD,
    NO_SEED,
    COUNTER_REUSED,
    COUNTER_EXHAUSTED,
    BUSY_REGISTER,
    BUSY_DATA,
    BAD_CODE,
    DATA_ADDRESS,
    NEEDS_RESET,
) = range(11)

OVERLAP_LATENCY, PAPER_LATENCY = 4, 5
CHANNELS = ("aw", "w", "b", "ar", "r")


def overlap_cycles(polys: int, primed: bool) -> int:
    return N * (polys + (0 if primed else 1)) + OVERLAP_LATENCY


def paper_cycles(polys: int) -> int:
    return 2 * N * polys + PAPER_LATENCY


class RefusedError(Exception):
    """The bus answered an access with an error."""


class Host:
    """One device in reset, then ready. Errors of the bus are `RefusedError`."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        # Before anything else: registers start with any value, and the clock as well.
        dut.rst_ni.value = Immediate(0)
        dut.clk_i.value = Immediate(0)
        # A line for each burst is more than the simulation costs.
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        lite, axi = AxiLiteBus.from_prefix(dut, "s_axil"), AxiBus.from_prefix(dut, "s_axi")
        polarity = {"reset_active_level": False}
        self.lite = AxiLiteMaster(lite, dut.clk_i, dut.rst_ni, **polarity)
        self.axi = AxiMaster(axi, dut.clk_i, dut.rst_ni, **polarity)

    @classmethod
    async def up(cls, dut: Any) -> Host:
        host = cls(dut)
        await Timer(1, unit="ns")
        Clock(dut.clk_i, 10, unit="ns").start()
        await ClockCycles(dut.clk_i, 4)
        dut.rst_ni.value = 1
        # The randomness wipes itself after reset.
        await ClockCycles(dut.clk_i, 8)
        return host

    def pause(self, channel: str, share: float, seed: int = 1) -> None:
        """Random idle cycles on one channel of both buses."""
        for number, master in enumerate((self.lite, self.axi)):
            write, read = master.write_if, master.read_if
            place = {
                "aw": write.aw_channel,
                "w": write.w_channel,
                "b": write.b_channel,
                "ar": read.ar_channel,
                "r": read.r_channel,
            }[channel]
            source = random.Random(f"{channel}{number}{seed}")
            place.set_pause_generator(_pauses(source, share))

    # -- words ----------------------------------------------------------------------------------

    async def read(self, address: int) -> int:
        answer = await self.lite.read(address, 4)
        if int(answer.resp) != 0:
            raise RefusedError(f"read of {address:#x}: {answer.resp}")
        return int.from_bytes(answer.data, "little")

    async def write(self, address: int, value: int) -> None:
        answer = await self.lite.write(address, value.to_bytes(4, "little"))
        if int(answer.resp) != 0:
            raise RefusedError(f"write of {address:#x}: {answer.resp}")

    async def write_poly(self, memory: int, number: int, values: Poly) -> None:
        address = memory << 17 | number * N * 4
        answer = await self.axi.write(address, values.astype("<u4").tobytes())
        if int(answer.resp) != 0:
            raise RefusedError(f"write of {address:#x}: {answer.resp}")

    async def read_poly(self, number: int) -> Poly:
        address = 2 << 17 | number * N * 4
        answer = await self.axi.read(address, 4 * N)
        if int(answer.resp) != 0:
            raise RefusedError(f"read of {address:#x}: {answer.resp}")
        return np.frombuffer(answer.data, dtype="<u4").astype(np.uint64)

    async def write_codes(self, small: list[int]) -> None:
        for i, word in enumerate(code_words(small)):
            await self.write(MULTIPLIER + 4 * i, word)

    # -- commands -------------------------------------------------------------------------------

    async def seed(self, seed: bytes, run: int) -> None:
        for i in range(8):
            await self.write(SEED + 4 * i, int.from_bytes(seed[4 * i : 4 * i + 4], "little"))
        await self.counter(run)

    async def counter(self, run: int) -> None:
        await self.write(RUN_COUNTER, run % 2**32)
        await self.write(RUN_COUNTER + 4, run >> 32)

    async def start(self, polys: int, *, decrypt: bool = False, lfsr: int = 0) -> None:
        word = polys % 32 | (DECRYPT if decrypt else 0) | lfsr << 8
        await self.write(CONTROL, word)
        await self.write(CONTROL, word | START)

    async def select(self, *, decrypt: bool) -> None:
        """The direction without a start, so that work can be done ahead."""
        await self.write(CONTROL, DECRYPT if decrypt else 0)

    async def soft_reset(self) -> None:
        await self.write(CONTROL, RESET)

    async def status(self) -> int:
        return await self.read(STATUS)

    async def until(self, condition: Callable[[int], bool], limit: int | None = None) -> int:
        """Polls the status; a status that never comes is an error."""
        for _ in range(limit or 200 + 30 * N):
            found = await self.status()
            if condition(found):
                return found
        raise AssertionError(f"status is {found:#x} for ever")

    async def until_done(self) -> int:
        """Waits for the end of a run; gives its cycles."""
        await self.until(lambda status: bool(status & DONE))
        await self.write(STATUS, DONE)
        return await self.read(CYCLES) | await self.read(CYCLES + 4) << 32

    async def until_primed(self) -> None:
        await self.until(lambda status: bool(status & PRIMED))

    async def take_error(self) -> int:
        """The first error's code; clears it."""
        code = await self.read(ERRCODE)
        status = await self.status()
        assert bool(status & ERROR) == (code != NONE)
        await self.write(STATUS, ERROR)
        assert await self.read(ERRCODE) == NONE
        return code

    async def clear(self) -> None:
        await self.write(CTRL, CLEAR)
        await self.until(lambda status: not status & BUSY)

    async def cycles_until(self, name: str, limit: int) -> int:
        """Clock cycles until an output pin of the top is high."""
        for cycle in range(limit):
            if int(getattr(self.dut, name).value):
                return cycle
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{name} not high in {limit} cycles")


def _pauses(source: random.Random, share: float) -> Iterator[bool]:
    return (source.random() < share for _ in itertools.count())
