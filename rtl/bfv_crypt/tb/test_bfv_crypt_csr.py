"""bfv_crypt_csr: seed and counter rules, flags, the write gate; the bench plays the core."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from bench import run_bench

# Fields of host_t and core_t (bfv_crypt_pkg.sv), the highest first.
HOST = {
    "start": 1,
    "soft_reset": 1,
    "clear": 1,
    "key_loaded": 1,
    "seed_load": 1,
    "armed": 1,
    "paper": 1,
    "decrypt": 1,
    "count": 5,
    "lfsr_seed": 20,
    "seed": 256,
    "run_counter": 64,
}
CORE = {"busy": 1, "primed": 1, "done": 1, "run_spent": 1, "err": 1, "err_code": 4, "cycles": 64}
PULSES = ("start", "soft_reset", "clear", "key_loaded", "seed_load")

CTRL, STATUS, ERRCODE, CYCLES_LO, IRQ_STATUS, IRQ_ENABLE = 0x14, 0x18, 0x1C, 0x20, 0x28, 0x2C
CONTROL, MODE, COUNTER_LO, COUNTER_HI, SEED, MULTIPLIER = 0x40, 0x44, 0x60, 0x64, 0x80, 0x400
BUSY, DONE, ERROR, PRIMED, ARMED = 1, 2, 4, 8, 16
START, RESET, CONTROL_DONE = 1 << 6, 1 << 7, 1 << 28
NO_SEED, REUSED, EXHAUSTED, BUSY_REGISTER, BUSY_DATA, BAD_CODE, DATA_ADDRESS = 3, 4, 5, 6, 7, 8, 9
LAST = (1 << 64) - 1


@dataclass
class Csr:
    """The registers behind AXI4-Lite, and the core's side of them."""

    dut: Any
    bus: AxiLiteMaster
    core: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CORE, 0))
    pulses: list[str] = field(default_factory=list)
    multiplier: list[tuple[int, int]] = field(default_factory=list)

    def drive(self, **changes: int) -> None:
        self.core |= changes
        word = 0
        for name, width in CORE.items():
            word = word << width | self.core[name]
        self.dut.core_i.value = word

    async def pulse(self, **changes: int) -> None:
        """These outputs of the core for one cycle."""
        await RisingEdge(self.dut.clk_i)
        self.drive(**changes)
        await RisingEdge(self.dut.clk_i)
        self.drive(**dict.fromkeys(changes, 0))
        await ClockCycles(self.dut.clk_i, 2)

    def host(self) -> dict[str, int]:
        word = int(self.dut.host_o.value)
        result = {}
        for name, width in reversed(HOST.items()):
            result[name] = word & ((1 << width) - 1)
            word >>= width
        return result

    async def watch(self) -> None:
        while True:
            await ReadOnly()
            host = self.host()
            self.pulses += [name for name in PULSES if host[name]]
            if int(self.dut.mult_we_o.value):
                where = int(self.dut.mult_addr_o.value)
                self.multiplier.append((where, int(self.dut.mult_data_o.value)))
            await RisingEdge(self.dut.clk_i)

    def seen(self) -> list[str]:
        """Pulses since the last call."""
        pulses, self.pulses = self.pulses, []
        return pulses

    async def write(self, address: int, value: int) -> AxiResp:
        done = await self.bus.write(address, value.to_bytes(4, "little"))
        await ClockCycles(self.dut.clk_i, 3)
        return AxiResp(done.resp)

    async def read(self, address: int) -> int:
        done = await self.bus.read(address, 4)
        assert AxiResp(done.resp) is AxiResp.OKAY
        return int.from_bytes(done.data, "little")

    async def seed(self, value: int) -> None:
        for i in range(8):
            assert await self.write(SEED + 4 * i, value >> 32 * i & 0xFFFFFFFF) is AxiResp.OKAY

    async def counter(self, value: int) -> None:
        assert await self.write(COUNTER_LO, value & 0xFFFFFFFF) is AxiResp.OKAY
        assert await self.write(COUNTER_HI, value >> 32) is AxiResp.OKAY

    async def error(self) -> int:
        """The error code, which is cleared."""
        code = await self.read(ERRCODE)
        assert bool(await self.read(STATUS) & ERROR) == (code != 0)
        await self.write(STATUS, ERROR)
        assert await self.read(ERRCODE) == 0
        return code


async def up(dut: Any) -> Csr:
    dut.clk_i.value = 0
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    bus = AxiLiteMaster(
        AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    bus.write_if.log.setLevel("WARNING")
    bus.read_if.log.setLevel("WARNING")
    csr = Csr(dut, bus)
    csr.drive()
    dut.window_err_busy_i.value = 0
    dut.window_err_addr_i.value = 0
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 2)
    cocotb.start_soon(csr.watch())
    return csr


@cocotb.test()
async def seed_and_counter_commit_together(dut: Any) -> None:
    csr = await up(dut)
    first = int.from_bytes(bytes(range(1, 33)), "little")
    # A counter before the whole seed is refused.
    await csr.counter(0)
    assert await csr.error() == NO_SEED
    for i in range(7):
        await csr.write(SEED + 4 * i, 5)
    await csr.counter(0)
    assert await csr.error() == NO_SEED
    assert csr.seen() == []
    await csr.seed(first)
    assert csr.host()["armed"] == 0
    await csr.counter(1 << 40 | 3)
    assert csr.seen() == ["seed_load"]
    host = csr.host()
    assert (host["armed"], host["seed"], host["run_counter"]) == (1, first, 1 << 40 | 3)
    # A new seed is staged without a change for the core, and the core's own counting goes on.
    await csr.seed(first ^ 1)
    assert csr.host()["seed"] == first
    await csr.pulse(run_spent=1)
    host = csr.host()
    assert (host["armed"], host["seed"], host["run_counter"]) == (1, first, 1 << 40 | 4)
    assert csr.seen() == ["seed_load"]
    await csr.counter(0)
    assert csr.host()["seed"] == first ^ 1
    assert csr.host()["run_counter"] == 0
    assert await csr.error() == 0


@cocotb.test()
async def used_counters_are_refused(dut: Any) -> None:
    csr = await up(dut)
    await csr.seed(77)
    await csr.counter(1 << 32)
    csr.seen()
    # Below, in either word; the same one again is not used yet.
    for used in (0, (1 << 32) - 1):
        await csr.counter(used)
        assert await csr.error() == REUSED
    await csr.counter(1 << 32)
    assert csr.seen() == ["seed_load"]
    await csr.pulse(run_spent=1)
    await csr.counter(1 << 32)
    assert await csr.error() == REUSED
    assert csr.host()["run_counter"] == (1 << 32) + 1
    # One bit of the seed makes it another one; the old one is then forgotten (documented).
    seed = 77
    for bit in [*range(0, 256, 32), *range(31, 256, 32)]:
        seed ^= 1 << bit
        await csr.seed(seed)
        await csr.counter(0)
        assert await csr.error() == 0, f"bit {bit}"
        await csr.pulse(run_spent=1)
        await csr.counter(0)
        assert await csr.error() == REUSED, f"bit {bit}"
    # A bit changed and changed back is the same seed.
    await csr.seed(1)
    await csr.counter(9)
    await csr.write(SEED, 2)
    await csr.write(SEED, 1)
    await csr.counter(8)
    assert await csr.error() == REUSED
    # The soft reset forgets nothing.
    await csr.write(CONTROL, RESET)
    await csr.counter(8)
    assert await csr.error() == REUSED


@cocotb.test()
async def the_last_counter_ends_a_seed(dut: Any) -> None:
    csr = await up(dut)
    await csr.seed(1)
    await csr.counter(LAST)
    assert await csr.error() == EXHAUSTED
    assert csr.host()["armed"] == 0
    await csr.counter(LAST - 1)
    assert csr.host()["armed"] == 1
    csr.seen()
    await csr.pulse(run_spent=1)
    assert csr.host()["armed"] == 0
    assert csr.seen() == []
    assert not await csr.read(STATUS) & ARMED
    await csr.counter(LAST - 1)
    assert await csr.error() == REUSED
    await csr.counter(LAST)
    assert await csr.error() == EXHAUSTED
    # The low word carries into the high one.
    await csr.seed(2)
    await csr.counter((1 << 32) - 1)
    await csr.pulse(run_spent=1)
    assert csr.host()["run_counter"] == 1 << 32


@cocotb.test()
async def clear_wipes_seed_and_counter(dut: Any) -> None:
    csr = await up(dut)
    await csr.seed((1 << 256) - 1)
    await csr.counter(5)
    await csr.write(CONTROL, 0xFFFFF << 8)
    assert csr.host()["lfsr_seed"] == 0xFFFFF
    csr.seen()
    await csr.write(CTRL, 1)
    assert csr.seen() == ["clear"]
    host = csr.host()
    assert (host["seed"], host["run_counter"], host["armed"], host["lfsr_seed"]) == (0, 0, 0, 0)
    # The staged words are gone too: one word does not complete a seed.
    await csr.write(SEED, 1)
    await csr.counter(5)
    assert await csr.error() == NO_SEED
    await csr.write(CTRL, 2)
    assert csr.seen() == ["key_loaded"]


@cocotb.test()
async def start_is_an_edge(dut: Any) -> None:
    csr = await up(dut)
    await csr.write(CONTROL, START | 5 | 1 << 5)
    assert csr.seen() == ["start"]
    assert (csr.host()["count"], csr.host()["decrypt"]) == (5, 1)
    await csr.write(CONTROL, START | 6)
    assert csr.seen() == [], "the bit was 1 before"
    assert csr.host()["count"] == 6
    await csr.write(CONTROL, 6)
    await csr.write(CONTROL, START | 6)
    assert csr.seen() == ["start"]
    # Reset takes the bit back, and wins over start in the same word.
    await csr.write(CONTROL, RESET | START)
    assert csr.seen() == ["soft_reset"]
    assert not await csr.read(CONTROL) & (START | RESET)
    await csr.write(CONTROL, START)
    assert csr.seen() == ["start"]
    # Seed bits cannot be read.
    await csr.write(CONTROL, 0xABCDE << 8 | 3)
    assert await csr.read(CONTROL) == 3


@cocotb.test()
async def done_error_and_interrupts(dut: Any) -> None:
    csr = await up(dut)
    csr.drive(cycles=0x123456789ABCDEF0)
    await csr.pulse(done=1)
    assert await csr.read(STATUS) == DONE
    assert await csr.read(CONTROL) == CONTROL_DONE
    assert await csr.read(CYCLES_LO) == 0x9ABCDEF0
    assert await csr.read(CYCLES_LO + 4) == 0x12345678
    assert int(dut.irq_o.value) == 0, "not enabled"
    await csr.write(IRQ_ENABLE, 1)
    assert int(dut.irq_o.value) == 1
    await csr.write(IRQ_STATUS, 2)
    assert int(dut.irq_o.value) == 1, "another cause was cleared"
    await csr.write(IRQ_STATUS, 1)
    assert int(dut.irq_o.value) == 0
    # A start clears both dones; a reset clears that of the control word.
    await csr.write(CONTROL, START)
    assert await csr.read(STATUS) == 0
    assert await csr.read(CONTROL) == START
    await csr.pulse(done=1)
    await csr.write(CONTROL, RESET)
    assert await csr.read(CONTROL) == 0
    assert await csr.read(STATUS) == DONE
    await csr.write(STATUS, DONE)
    assert await csr.read(STATUS) == 0
    # Errors of the core and of the window; the first is kept.
    await csr.write(IRQ_ENABLE, 2)
    await csr.pulse(err=1, err_code=2)
    await csr.pulse(err=1, err_code=1)
    assert int(dut.irq_o.value) == 1
    assert await csr.error() == 2
    dut.window_err_busy_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.window_err_busy_i.value = 0
    dut.window_err_addr_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.window_err_addr_i.value = 0
    await ClockCycles(dut.clk_i, 2)
    assert await csr.error() == BUSY_DATA
    dut.window_err_addr_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.window_err_addr_i.value = 0
    await ClockCycles(dut.clk_i, 2)
    assert await csr.error() == DATA_ADDRESS
    csr.drive(primed=1, busy=1)
    assert await csr.read(STATUS) == PRIMED | BUSY


@cocotb.test()
async def a_done_is_not_lost_to_a_clearing_write(dut: Any) -> None:
    """Whichever cycle the pulse falls into: after it the flag is set, or it was set and cleared."""
    csr = await up(dut)
    for delay in range(12):
        await csr.write(STATUS, DONE)
        writing = cocotb.start_soon(csr.write(STATUS, DONE))
        await ClockCycles(dut.clk_i, delay + 1)
        csr.drive(done=1)
        await RisingEdge(dut.clk_i)
        csr.drive(done=0)
        was_over = writing.done()
        await writing
        flag = bool(await csr.read(STATUS) & DONE)
        # The write acts two cycles after it was taken: pulses before that are cleared.
        if was_over:
            assert flag, f"lost, {delay} cycles after the write began"


@cocotb.test()
async def busy_lets_only_flags_and_reset_through(dut: Any) -> None:
    csr = await up(dut)
    await csr.seed(3)
    await csr.counter(0)
    await csr.write(CONTROL, 9)
    csr.drive(busy=1)
    csr.seen()
    csr.multiplier.clear()
    addresses = [MODE, COUNTER_LO, COUNTER_HI, MULTIPLIER, CONTROL]
    for address in [*addresses, *(SEED + 4 * i for i in range(8))]:
        assert await csr.write(address, 1) is AxiResp.SLVERR, hex(address)
        assert await csr.error() == BUSY_REGISTER
    assert csr.multiplier == []
    for address in (IRQ_ENABLE, IRQ_STATUS, STATUS):
        assert await csr.write(address, 0) is AxiResp.OKAY
    assert await csr.write(CONTROL, RESET | 31 | START | 1 << 5 | 7 << 8) is AxiResp.OKAY
    assert csr.seen() == ["soft_reset"]
    assert (csr.host()["count"], csr.host()["decrypt"], csr.host()["lfsr_seed"]) == (9, 0, 0)
    csr.drive(busy=0)
    assert await csr.error() == 0
    # What was refused left no trace in the staged seed.
    await csr.counter(0)
    assert csr.host()["seed"] == 3


@cocotb.test()
async def multiplier_words(dut: Any) -> None:
    csr = await up(dut)
    words = 1 << max(0, int(dut.LogN.value) - 4)
    rng = random.Random(5)
    expected = []
    for index in range(words):
        codes = [rng.choice([0, 1, 3]) for _ in range(16)]
        word = sum(code << 2 * i for i, code in enumerate(codes))
        assert await csr.write(MULTIPLIER + 4 * index, word) is AxiResp.OKAY
        expected.append((index, word))
    assert csr.multiplier == expected
    for place in range(16):
        assert await csr.write(MULTIPLIER, 2 << 2 * place) is AxiResp.SLVERR
        assert await csr.error() == BAD_CODE
    assert await csr.write(MULTIPLIER + 4 * words, 0) is AxiResp.SLVERR
    assert await csr.error() == DATA_ADDRESS
    # Half a word.
    done = await csr.bus.write(MULTIPLIER, b"\1\1")
    assert AxiResp(done.resp) is AxiResp.SLVERR
    assert await csr.error() == DATA_ADDRESS
    assert csr.multiplier == expected
    for address in (MULTIPLIER, SEED, SEED + 28, COUNTER_LO, COUNTER_HI):
        assert AxiResp((await csr.bus.read(address, 4)).resp) is AxiResp.SLVERR


@cocotb.test()
async def illegal_registers(dut: Any) -> None:
    """Writes of what can only be read, reads of what can only be written, and places in between."""
    csr = await up(dut)
    await csr.seed(5)
    await csr.counter(2)
    await csr.write(CONTROL, 9)
    csr.seen()
    before = csr.host()
    readable = [0x00, 0x04, 0x08, 0x0C, 0x10, ERRCODE, CYCLES_LO, CYCLES_LO + 4]
    unmapped = [0x3C, 0x48, 0x5C, 0x7C, 0xA0, 0x3FC]
    values = {address: await csr.read(address) for address in readable}
    for address in [*readable, *unmapped]:
        assert await csr.write(address, 0xFFFF_FFFF) is AxiResp.SLVERR, hex(address)
    for address in [CTRL, *unmapped]:
        done = await csr.bus.read(address, 4)
        assert (AxiResp(done.resp), bytes(done.data)) == (AxiResp.SLVERR, bytes(4)), hex(address)
    assert values == {address: await csr.read(address) for address in readable}
    assert csr.seen() == []
    assert csr.host() == before


@cocotb.test()
async def a_slow_bus_changes_nothing(dut: Any) -> None:
    """Address and data apart, responses late: every write acts once, and in order."""
    csr = await up(dut)
    rng = random.Random(11)

    def pauses(share: float) -> Any:
        while True:
            yield int(rng.random() < share)

    for channel in (
        csr.bus.write_if.aw_channel,
        csr.bus.write_if.w_channel,
        csr.bus.write_if.b_channel,
        csr.bus.read_if.ar_channel,
        csr.bus.read_if.r_channel,
    ):
        channel.set_pause_generator(pauses(0.6))
    for turn in range(60):
        count = rng.randrange(32)
        csr.seen()
        writes = [csr.bus.write(CONTROL, (START | count).to_bytes(4, "little"))]
        writes.append(csr.bus.write(CONTROL, count.to_bytes(4, "little")))
        tasks = [cocotb.start_soon(write) for write in writes]
        for task in tasks:
            assert AxiResp((await task).resp) is AxiResp.OKAY
        await ClockCycles(dut.clk_i, 3)
        assert csr.seen() == ["start"], f"turn {turn}"
        assert await csr.read(CONTROL) == count


def test_bfv_crypt_csr() -> None:
    run_bench(block="bfv_crypt", dut="bfv_crypt_csr", parameters={"LogN": 6})
