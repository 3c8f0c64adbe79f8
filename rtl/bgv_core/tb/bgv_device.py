"""A driver of bgv_core as thin as it can be, on the simulated buses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bgv_model import Bgv, Keys, Polynomial
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiResp

# regs.rdl; the generated constants are checked against it by tools/rtl/regmap.py.
ID, VERSION, CONFIG0, CONFIG1, CAPS, CTRL, STATUS, ERRCODE = range(0, 0x20, 4)
CYCLES_LO, CYCLES_HI, IRQ_STATUS, IRQ_ENABLE, SENTINEL = range(0x20, 0x34, 4)
CONTROL, COUNT, OPTIONS, LEVELS = range(0x40, 0x50, 4)
FACTOR, PSI, RUN_COUNTER_LO, RUN_COUNTER_HI, SEED, PROGRAM = 0x50, 0x5C, 0x60, 0x64, 0x80, 0x100
CLEAR = 1
BUSY, DONE, ERROR, PRIMED, ARMED = 1, 2, 4, 8, 16
START, RESET, CONTROL_DONE = 1 << 6, 1 << 7, 1 << 28
ERRORS = {
    "NO_SEED": 3,
    "COUNTER_REUSED": 4,
    "COUNTER_EXHAUSTED": 5,
    "BUSY_REGISTER": 6,
    "BUSY_DATA": 7,
    "BAD_COMMAND": 8,
    "DATA_ADDRESS": 9,
    "COUNT_RANGE": 11,
    "OPTION_RANGE": 12,
    "WORD_RANGE": 13,
    "TOO_MANY": 14,
}


def command(op: int, dst: int, a: int, b: int = 0, level: int = 0) -> int:
    """A word of the program."""
    return op | dst << 4 | a << 8 | b << 12 | level << 16


def pauses(source: random.Random, share: float) -> Iterator[int]:
    while True:
        yield int(source.random() < share)


@dataclass
class Device:
    """One accelerator of `bgv`'s sizes."""

    dut: Any
    bgv: Bgv
    log_buffers: int
    registers: AxiLiteMaster
    window: AxiMaster

    @property
    def log_lanes(self) -> int:
        return (2 * self.bgv.digits - 1).bit_length()

    @property
    def region(self) -> int:
        """Bytes of a region of the window."""
        return 4 << self.bgv.log_n + 2 + max(self.log_lanes, self.log_buffers)

    async def write(self, address: int, value: int, size: int = 4) -> AxiResp:
        data = value.to_bytes(size, "little")
        done = await with_timeout(self.registers.write(address, data), 50, "us")
        return AxiResp(done.resp)

    async def read(self, address: int) -> tuple[AxiResp, int]:
        done = await with_timeout(self.registers.read(address, 4), 50, "us")
        return AxiResp(done.resp), int.from_bytes(done.data, "little")

    async def put(self, address: int, value: int) -> None:
        assert await self.write(address, value) is AxiResp.OKAY, f"write of 0x{address:x}"

    async def get(self, address: int) -> int:
        resp, value = await self.read(address)
        assert resp is AxiResp.OKAY, f"read of 0x{address:x}"
        return value

    async def store(self, region: int, number: int, words: list[int]) -> AxiResp:
        """Words of the polynomial of this number, from its first on."""
        data = b"".join(word.to_bytes(4, "little") for word in words)
        address = region * self.region + 4 * self.bgv.n * number
        done = await with_timeout(self.window.write(address, data), 500, "us")
        return AxiResp(done.resp)

    async def load(self, region: int, number: int, count: int) -> tuple[AxiResp, list[int]]:
        address = region * self.region + 4 * self.bgv.n * number
        done = await with_timeout(self.window.read(address, 4 * count), 500, "us")
        words = [int.from_bytes(done.data[i : i + 4], "little") for i in range(0, 4 * count, 4)]
        return AxiResp(done.resp), words

    async def put_buffer(self, buffer: int, parts: list[Polynomial]) -> None:
        for part, words in enumerate(parts):
            assert await self.store(0, 4 * buffer + part, words) is AxiResp.OKAY

    async def get_buffer(self, buffer: int, parts: int) -> list[Polynomial]:
        found = []
        for part in range(parts):
            resp, words = await self.load(0, 4 * buffer + part, self.bgv.n)
            assert resp is AxiResp.OKAY
            found.append(words)
        return found

    async def put_keys(self, keys: Keys) -> None:
        sets = [[p for row in keys.rows for p in row], list(keys.public), [keys.secret]]
        for number, polynomials in enumerate(sets):
            for lane, polynomial in enumerate(polynomials):
                words = self.bgv.ring.forward(polynomial)
                place = (number << self.log_lanes) + lane
                assert await self.store(1, place, words) is AxiResp.OKAY

    async def put_seed(self, seed: bytes) -> None:
        for i in range(8):
            await self.put(SEED + 4 * i, int.from_bytes(seed[4 * i : 4 * i + 4], "little"))

    async def put_counter(self, counter: int) -> None:
        """Commits seed and counter; the device is busy while it forgets what it had drawn."""
        await self.put(RUN_COUNTER_LO, counter & 0xFFFF_FFFF)
        await self.put(RUN_COUNTER_HI, counter >> 32)
        await self.idle()

    async def put_program(self, commands: list[int]) -> None:
        for k, word in enumerate(commands):
            await self.put(PROGRAM + 4 * k, word)
        await self.put(COUNT, len(commands))

    async def put_options(self, ring: int = 0) -> None:
        bgv = self.bgv
        options = bgv.log_p | bgv.signed_digits << 4 | bgv.ternary_noise << 5 | ring << 8
        await self.put(OPTIONS, options)

    async def error(self) -> int:
        """The first error's code (0: none), cleared."""
        status, code = await self.get(STATUS), await self.get(ERRCODE)
        assert bool(status & ERROR) == bool(code)
        if code:
            await self.put(STATUS, ERROR)
            assert await self.get(ERRCODE) == 0
        return code

    async def idle(self) -> None:
        for _ in range(20_000):
            if not await self.get(STATUS) & BUSY:
                return
        raise AssertionError("the device stays busy")

    async def start(self) -> None:
        await self.put(CONTROL, 0)
        await self.put(CONTROL, START)

    async def run(self, commands: list[int]) -> int:
        """A program to its end; the cycles that the device counted."""
        await self.put_program(commands)
        await self.start()
        await self.idle()
        assert await self.get(STATUS) & DONE
        assert await self.get(CONTROL) & CONTROL_DONE
        await self.put(STATUS, DONE)
        return await self.get(CYCLES_LO) | await self.get(CYCLES_HI) << 32


async def open_device(
    dut: Any, bgv: Bgv, log_buffers: int, dice: random.Random, share: float = 0.0
) -> Device:
    """The device out of reset and its wipe; all bus channels pause for `share` of the cycles."""
    registers = AxiLiteMaster(
        AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    window = AxiMaster(
        AxiBus.from_prefix(dut, "s_axi"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    for master in (registers, window):
        write, read = master.write_if, master.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel)
        for channel in (*channels, read.ar_channel, read.r_channel):
            if share:
                channel.set_pause_generator(pauses(random.Random(dice.random()), share))
        write.log.setLevel("WARNING")
        read.log.setLevel("WARNING")
    Clock(dut.clk_i, 10, unit="ns").start()
    dut.rst_ni.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    device = Device(dut, bgv, log_buffers, registers, window)
    await device.idle()
    return device
