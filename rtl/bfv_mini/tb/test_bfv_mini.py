"""bfv_mini: the device through its buses: batches, cycle counts, refusals, wipe, reset."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import mini_example as example
import mini_model as model
import pytest
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiResp
from mini_bench import CONFIGURATIONS, reset, scheme, short

from bench import run_bench
from coverage_bins import Bins

# regs.rdl; the generated constants are checked against it by tools/rtl/regmap.py.
ID, VERSION, CONFIG0, CONFIG1, CAPS, CTRL, STATUS, ERRCODE = range(0, 0x20, 4)
CYCLES_LO, CYCLES_HI, IRQ_STATUS, IRQ_ENABLE, SENTINEL = range(0x20, 0x34, 4)
CONTROL, COUNT, OPERAND, KEYS, SECRET, PUBLIC_KEY = 0x40, 0x44, 0x48, 0x4C, 0x80, 0x100
CLEAR, KEY_LOADED = 1, 2
BUSY, DONE, ERROR = 1, 2, 4
DECRYPT, START, RESET, CONTROL_DONE = 1 << 5, 1 << 6, 1 << 7, 1 << 28
ERRORS = {
    "BUSY_REGISTER": 6,
    "BUSY_DATA": 7,
    "BAD_CODE": 8,
    "DATA_ADDRESS": 9,
    "COUNT_RANGE": 11,
    "MESSAGE_RANGE": 12,
    "NO_KEY": 13,
}
REGION = 1 << 12
INPUT0, INPUT1, OUTPUT0, OUTPUT1 = range(4)

STATES = ("idle", "run", "drain", "wipe")

Ciphertext = tuple[list[int], list[int]]

BINS = Bins(
    __file__,
    "test_bfv_mini",
    *(["test_bfv_mini_small_t"] if scheme().log_t < 16 else []),
)


@dataclass
class Device:
    """A driver as thin as it can be."""

    dut: Any
    bfv: model.Scheme
    registers: AxiLiteMaster
    window: AxiMaster

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

    async def store(self, region: int, words: list[int], first: int = 0) -> AxiResp:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        done = await with_timeout(self.window.write(region * REGION + 4 * first, data), 500, "us")
        return AxiResp(done.resp)

    async def load(self, region: int, count: int, first: int = 0) -> tuple[AxiResp, list[int]]:
        done = await with_timeout(
            self.window.read(region * REGION + 4 * first, 4 * count), 500, "us"
        )
        words = [int.from_bytes(done.data[i : i + 4], "little") for i in range(0, 4 * count, 4)]
        return AxiResp(done.resp), words

    async def fetch(self, region: int, items: int) -> list[list[int]]:
        """`items` polynomials of an output region."""
        n = self.bfv.n
        resp, words = await self.load(region, n * items)
        assert resp is AxiResp.OKAY
        return [words[k * n : (k + 1) * n] for k in range(items)]

    async def public_key(self, p0: list[int], p1: list[int]) -> None:
        for half, polynomial in enumerate((p0, p1)):
            for i, value in enumerate(polynomial):
                await self.put(PUBLIC_KEY + 4 * (16 * half + i), value)
        await self.put(CTRL, KEY_LOADED)

    async def secret(self, s: list[int]) -> None:
        await self.put(SECRET, model.pack([model.CODE[value] for value in s], 2))

    async def error(self) -> int:
        """The first error's code (0: none), cleared."""
        status, code = await self.get(STATUS), await self.get(ERRCODE)
        assert bool(status & ERROR) == bool(code)
        if code:
            BINS.hit(next(name for name, value in ERRORS.items() if value == code))
            await self.put(STATUS, ERROR)
            assert await self.get(ERRCODE) == 0
        return code

    async def idle(self) -> None:
        for _ in range(1_000):  # some six cycles each; the longest wait is a wipe of 64n
            if not await self.get(STATUS) & BUSY:
                return
        raise AssertionError("the device stays busy")

    async def start(self, mode: int, count: int) -> None:
        await self.put(CONTROL, mode)
        await self.put(COUNT, count)
        await self.put(CONTROL, mode | START)

    async def run(self, mode: int, count: int) -> int:
        """One run; its cycles, which must be those of the formula."""
        await self.start(mode, count)
        await self.idle()
        assert await self.get(STATUS) & DONE
        assert await self.get(CONTROL) & CONTROL_DONE
        await self.put(STATUS, DONE)
        assert not await self.get(STATUS) & DONE
        cycles = await self.get(CYCLES_LO) | await self.get(CYCLES_HI) << 32
        assert cycles == model.device_cycles(self.bfv.n, count)
        BINS.hit(f"{'decrypt' if mode else 'encrypt'} count {count}")
        return cycles

    async def encrypt(self, items: list[model.Encryption]) -> list[Ciphertext]:
        words = [word for item in items for word in item.words()]
        assert await self.store(INPUT0, words) is AxiResp.OKAY
        await self.run(0, len(items))
        c0, c1 = await self.fetch(OUTPUT0, len(items)), await self.fetch(OUTPUT1, len(items))
        return list(zip(c0, c1, strict=True))

    async def decrypt(self, ciphertexts: list[Ciphertext]) -> list[list[int]]:
        for region, part in ((INPUT1, 0), (INPUT0, 1)):
            words = [word for one in ciphertexts for word in one[part]]
            assert await self.store(region, words) is AxiResp.OKAY
        await self.run(DECRYPT, len(ciphertexts))
        return await self.fetch(OUTPUT0, len(ciphertexts))


def numbers(seed: int) -> random.Random:
    return random.Random(1000 * int(os.environ.get("RTL_SEED", "1")) + seed)


def pauses(source: random.Random, share: float) -> Iterator[int]:
    while True:
        yield int(source.random() < share)


async def open_device(dut: Any, share: float = 0.0) -> Device:
    """The device out of reset; all bus channels pause for `share` of the cycles."""
    registers = AxiLiteMaster(
        AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    window = AxiMaster(
        AxiBus.from_prefix(dut, "s_axi"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    for seed, master in enumerate((registers, window)):
        write, read = master.write_if, master.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel)
        for k, channel in enumerate((*channels, read.ar_channel, read.r_channel)):
            if share:
                channel.set_pause_generator(pauses(numbers(10 * seed + k), share))
        write.log.setLevel("WARNING")
        read.log.setLevel("WARNING")
    await reset(dut)
    return Device(dut, scheme(), registers, window)


async def watch_pauses(dut: Any) -> None:
    """Marks the channels on which one side had to wait for the other, of those in the plan."""
    every = itertools.product(("s_axil", "s_axi"), ("aw", "w", "b", "ar", "r"))
    names = {(bus, channel): f"back-pressure {bus} {channel}" for bus, channel in every}
    planned = {place: name for place, name in names.items() if name in BINS.planned}
    while True:
        await RisingEdge(dut.clk_i)
        for (bus, channel), name in planned.items():
            valid = getattr(dut, f"{bus}_{channel}valid").value
            if int(valid) and not int(getattr(dut, f"{bus}_{channel}ready").value):
                BINS.hit(name)


async def watch_commands(dut: Any) -> None:
    """Marks in which states of the sequencer reset and clear arrive."""
    sequencer = dut.u_sequencer
    while True:
        await RisingEdge(dut.clk_i)
        state = STATES[int(sequencer.state_q.value)]
        if int(sequencer.soft_reset_i.value):
            BINS.hit(f"reset in {state}")
        if int(sequencer.clear_i.value):
            BINS.hit(f"clear in {state}")


async def with_keys(device: Device, source: random.Random) -> tuple[list[int], ...]:
    p0, p1, s = device.bfv.keys(source)
    await device.public_key(p0, p1)
    await device.secret(s)
    return p0, p1, s


@cocotb.test()
async def says_what_it_is(dut: Any) -> None:
    device = await open_device(dut)
    bfv = device.bfv
    assert await device.get(ID) == 0x43594302
    assert await device.get(VERSION) == 0x0001_0000
    log_n = bfv.n.bit_length() - 1
    assert await device.get(CONFIG0) == log_n | 32 << 8 | bfv.log_t << 16 | 64 << 24
    assert await device.get(CONFIG1) == 3 * bfv.n**2 | 1 << 17
    assert await device.get(CAPS) == 1 << 2 | 14 << 8 | 2 << 16
    assert await device.get(SENTINEL) == 0x01010101
    assert await device.get(OPERAND) == bfv.bits
    assert await device.get(KEYS) == 0
    assert await device.get(STATUS) == 0


async def round_trips(device: Device, counts: list[int], seed: int) -> None:
    """Batches of these sizes, encrypted and decrypted, each under new keys."""
    bfv = device.bfv
    source = numbers(seed)
    corners = bfv.extremes()
    for count in counts:
        p0, p1, s = await with_keys(device, source)
        items = [corners.pop() if corners else bfv.random_item(source) for _ in range(count)]
        ciphertexts = [bfv.encrypt(p0, p1, item) for item in items]
        assert await device.encrypt(items) == ciphertexts
        assert await device.decrypt(ciphertexts) == [bfv.decrypt(*c, s) for c in ciphertexts]
        # Noise far below Delta/2, so the messages must come back.
        if bfv.log_t == 8 or not corners:
            expected = [item.message for item in items]
            assert [bfv.decrypt(*c, s) for c in ciphertexts] == expected
        assert await device.fetch(OUTPUT1, count) == [[0] * bfv.n] * count
    assert await device.error() == 0


@cocotb.test()
async def batches(dut: Any) -> None:
    """Full, single and odd batches; over 1,000 items each way for ternary operands, n below 16.

    n = 16 gets its thousand in crates/devices/tests/bfv_mini.rs, where a cycle of the simulation
    is several times as cheap.
    """
    device = await open_device(dut)
    more = 14 if device.bfv.n < 16 and device.bfv.bits == 2 else 0
    await round_trips(device, [64, 1, 2, 63, 33, *[64] * more], 1)


@cocotb.test()
async def batches_with_pauses(dut: Any) -> None:
    device = await open_device(dut, 0.4)
    cocotb.start_soon(watch_pauses(dut))
    await round_trips(device, [1, 5, 33], 2)


@cocotb.test()
async def an_item_every_n_cycles(dut: Any) -> None:
    """A longer batch costs n cycles an item more, whatever keys and messages are."""
    device = await open_device(dut)
    source = numbers(3)
    for mode in (0, DECRYPT):
        found: dict[int, set[int]] = {1: set(), 63: set(), 64: set()}
        for _ in range(2):
            await with_keys(device, source)
            words = [word for _ in range(64) for word in device.bfv.random_item(source).words()]
            await device.store(INPUT0, words)
            for count, cycles in found.items():
                cycles.add(await device.run(mode, count))
        assert all(len(cycles) == 1 for cycles in found.values()), "data change the cycles"
        assert max(found[64]) - max(found[63]) == device.bfv.n
        assert max(found[64]) - max(found[1]) == 63 * device.bfv.n
    BINS.hit("two secrets, the same cycles")


@cocotb.test()
async def refuses_wrong_starts(dut: Any) -> None:
    device = await open_device(dut)
    source = numbers(4)
    await device.start(0, 1)
    assert await device.error() == ERRORS["NO_KEY"]
    await device.start(DECRYPT, 1)
    assert await device.error() == ERRORS["NO_KEY"]
    p0, p1, _ = await with_keys(device, source)
    assert await device.get(KEYS) == 3
    for mode, count in itertools.product((0, DECRYPT), (0, 65, 127)):
        await device.start(mode, count)
        assert await device.error() == ERRORS["COUNT_RANGE"]
        assert not await device.get(STATUS) & (BUSY | DONE)
    # A key half written is no key.
    await device.put(PUBLIC_KEY, p0[0])
    assert await device.get(KEYS) == 2
    await device.start(0, 1)
    assert await device.error() == ERRORS["NO_KEY"]
    await device.put(CTRL, KEY_LOADED)
    item = device.bfv.random_item(source)
    assert await device.encrypt([item]) == [device.bfv.encrypt(p0, p1, item)]
    # Start is an edge: the level alone starts nothing more.
    await device.put(CONTROL, START)
    await device.idle()
    await device.put(STATUS, DONE)
    await device.put(CONTROL, START)
    assert not await device.get(STATUS) & (BUSY | DONE)


@cocotb.test()
async def refuses_illegal_registers(dut: Any) -> None:
    """Writes of what can only be read, reads of what can only be written, and places in between."""
    device = await open_device(dut)
    readable = [ID, VERSION, CONFIG0, CONFIG1, CAPS, ERRCODE, CYCLES_LO, CYCLES_HI, OPERAND, KEYS]
    unmapped = [0x34, 0x38, 0x3C, 0x50, 0x7C, 0x84, 0xFC]
    before = {address: await device.get(address) for address in readable}
    for address in [*readable, *unmapped]:
        assert await device.write(address, 0xFFFF_FFFF) is AxiResp.SLVERR, hex(address)
    for address in [CTRL, *unmapped]:
        assert await device.read(address) == (AxiResp.SLVERR, 0), hex(address)
    assert before == {address: await device.get(address) for address in readable}
    assert not await device.get(STATUS) & (BUSY | DONE)


@cocotb.test()
async def refuses_wrong_keys(dut: Any) -> None:
    """Keys outside their ranges change nothing; keys cannot be read."""
    device = await open_device(dut)
    bfv, n = device.bfv, device.bfv.n
    source = numbers(5)
    p0, p1, s = await with_keys(device, source)
    bad = [0b10 << 2 * i for i in range(n)]
    if bfv.bits == 1:
        bad += [0b11 << 2 * i for i in range(n)]
    bad += [1 << bit for bit in range(2 * n, 32)]
    for word in bad:
        assert await device.write(SECRET, word) is AxiResp.SLVERR
        assert await device.error() == ERRORS["BAD_CODE"]
    for index in (n, 15, 16 + n, 31):
        if index % 16 >= n:
            assert await device.write(PUBLIC_KEY + 4 * index, 1) is AxiResp.SLVERR
            assert await device.error() == ERRORS["DATA_ADDRESS"]
    for address in (SECRET, PUBLIC_KEY):
        assert await device.write(address, 1, size=2) is AxiResp.SLVERR
        assert await device.error() == ERRORS["DATA_ADDRESS"]
        resp, value = await device.read(address)
        assert (resp, value) == (AxiResp.SLVERR, 0), "a key was read"
    assert await device.get(KEYS) == 3
    item = bfv.random_item(source)
    ciphertext = bfv.encrypt(p0, p1, item)
    assert await device.encrypt([item]) == [ciphertext]
    assert await device.decrypt([ciphertext]) == [bfv.decrypt(*ciphertext, s)]


@cocotb.test()
async def flags_wrong_words(dut: Any) -> None:
    """A bad code acts as zero, a large message modulo t; both are told, cycles stay."""
    device = await open_device(dut)
    bfv = device.bfv
    source = numbers(6)
    p0, p1, s = await with_keys(device, source)
    bad_codes = (0b10,) if bfv.bits == 2 else (0b10, 0b11)
    for code in bad_codes:
        item = bfv.random_item(source)
        item.u[1] = 0
        words = item.words()
        words[1] |= code << 16
        await device.store(INPUT0, words)
        await device.run(0, 1)
        assert await device.error() == ERRORS["BAD_CODE"]
        c0, c1 = await device.fetch(OUTPUT0, 1), await device.fetch(OUTPUT1, 1)
        assert (c0[0], c1[0]) == bfv.encrypt(p0, p1, item)
    if bfv.log_t < 16:
        item = bfv.random_item(source)
        words = item.words()
        words[-1] |= 1 << bfv.log_t
        await device.store(INPUT0, words)
        await device.run(0, 1)
        assert await device.error() == ERRORS["MESSAGE_RANGE"]
        assert (await device.fetch(OUTPUT0, 1))[0] == bfv.encrypt(p0, p1, item)[0]
    # In decryption the same words are coefficients like any other.
    await device.store(INPUT0, [0xFFFE_FFFF] * bfv.n)
    await device.store(INPUT1, [0x0002_0000] * bfv.n)
    await device.run(DECRYPT, 1)
    assert await device.error() == 0
    expected = bfv.decrypt([0x0002_0000] * bfv.n, [0xFFFE_FFFF] * bfv.n, s)
    assert await device.fetch(OUTPUT0, 1) == [expected]


@cocotb.test()
async def refuses_window_misuse(dut: Any) -> None:
    device = await open_device(dut)
    words = 64 * device.bfv.n
    for region in (OUTPUT0, OUTPUT1):
        assert await device.store(region, [1, 2]) is AxiResp.SLVERR
        assert await device.error() == ERRORS["DATA_ADDRESS"]
    for region in (INPUT0, INPUT1):
        resp, found = await device.load(region, 2)
        assert (resp, found) == (AxiResp.SLVERR, [0, 0]), "an input was read"
        assert await device.error() == ERRORS["DATA_ADDRESS"]
    if words < REGION // 4:
        assert await device.store(INPUT1, [1], first=words) is AxiResp.SLVERR
        assert await device.error() == ERRORS["DATA_ADDRESS"]
    assert await device.store(INPUT1, [1], first=words - 1) is AxiResp.OKAY
    assert await device.error() == 0


@cocotb.test()
async def refuses_access_while_busy(dut: Any) -> None:
    device = await open_device(dut)
    bfv = device.bfv
    source = numbers(7)
    p0, p1, _ = await with_keys(device, source)
    items = [bfv.random_item(source) for _ in range(64)]
    await device.store(INPUT0, [word for item in items for word in item.words()])
    refused = [(COUNT, 1), (SECRET, 0), (PUBLIC_KEY, 0), (CONTROL, DECRYPT)]
    for address, value in refused:
        await device.start(0, 64)
        assert await device.write(address, value) is AxiResp.SLVERR
        assert await device.error() == ERRORS["BUSY_REGISTER"]
        await device.idle()
    await device.start(0, 64)
    assert await device.store(INPUT0, [0]) is AxiResp.SLVERR
    assert await device.error() == ERRORS["BUSY_DATA"]
    resp, _ = await device.load(OUTPUT0, 1)
    assert resp is AxiResp.SLVERR
    assert await device.error() == ERRORS["BUSY_DATA"]
    await device.idle()
    c0, c1 = await device.fetch(OUTPUT0, 64), await device.fetch(OUTPUT1, 64)
    assert list(zip(c0, c1, strict=True)) == [bfv.encrypt(p0, p1, item) for item in items]


@cocotb.test()
async def reset_at_any_time(dut: Any) -> None:
    """A run given up leaves the device ready: no late result is written, keys are kept."""
    device = await open_device(dut)
    cocotb.start_soon(watch_commands(dut))
    bfv = device.bfv
    source = numbers(8)
    p0, p1, s = await with_keys(device, source)
    for wait in range(0, 5 * bfv.n + 8, 7 if bfv.n == 16 else 3):
        items = [bfv.random_item(source) for _ in range(3)]
        await device.store(INPUT0, [word for item in items for word in item.words()])
        await device.start(0, 3)
        await ClockCycles(dut.clk_i, wait)
        await device.put(CONTROL, RESET)
        assert not await device.get(STATUS) & BUSY
        assert not await device.get(CONTROL) & CONTROL_DONE
        ciphertexts = [bfv.encrypt(p0, p1, item) for item in items]
        assert await device.decrypt(ciphertexts) == [bfv.decrypt(*c, s) for c in ciphertexts]
        assert await device.encrypt(items) == ciphertexts
        assert await device.error() == 0


async def nothing_left(device: Device, source: random.Random) -> None:
    """After a wipe: no key, input or result in registers, pipelines and memories."""
    n, dut = device.bfv.n, device.dut
    assert await device.get(KEYS) == 0
    assert not int(dut.host.value) & 0xFFFF_FFFF, "the secret is still there"
    assert not int(dut.u_gather.word_q.value)
    assert not int(dut.u_scatter.word_q.value)
    for region in (OUTPUT0, OUTPUT1):
        assert await device.fetch(region, 64) == [[0] * n] * 64
    for mode in (0, DECRYPT):
        await device.start(mode, 1)
        assert await device.error() == ERRORS["NO_KEY"]
    # Zeros encrypt to zeros under any key, and decrypt to zeros.
    await with_keys(device, source)
    await device.run(0, 64)
    assert await device.fetch(OUTPUT0, 64) == [[0] * n] * 64
    await device.run(DECRYPT, 64)
    assert await device.fetch(OUTPUT0, 64) == [[0] * n] * 64
    # A public key declared complete without being written is zero.
    await device.put(CTRL, CLEAR)
    await device.idle()
    await device.put(CTRL, KEY_LOADED)
    item = model.Encryption([0] * n, [1] * n, [0] * n, [0] * n)
    assert await device.encrypt([item]) == [([0] * n, [0] * n)]


@cocotb.test()
async def clear_wipes(dut: Any) -> None:
    """Clear in every state: idle (None), and so many cycles after a start."""
    device = await open_device(dut)
    cocotb.start_soon(watch_commands(dut))
    bfv = device.bfv
    source = numbers(9)
    cases = [(64, None), (64, 3), (1, 2 * bfv.n)]
    if bfv.n < 16:
        cases += [(1, 2), (1, bfv.n)]
    for count, wait in cases:
        p0, p1, _ = await with_keys(device, source)
        items = [bfv.random_item(source) for _ in range(64)]
        await device.encrypt(items)
        ciphertexts = [bfv.encrypt(p0, p1, item) for item in items]
        await device.store(INPUT1, [word for c0, _ in ciphertexts for word in c0])
        if wait is not None:
            await device.start(0, count)
            await ClockCycles(dut.clk_i, wait)
        await device.put(CTRL, CLEAR)
        assert await device.get(STATUS) & BUSY
        # A reset does not cut the wipe short, nothing else starts, a second clear begins anew.
        await device.put(CONTROL, RESET)
        assert await device.write(COUNT, 1) is AxiResp.SLVERR
        await device.put(CTRL, CLEAR)
        await device.idle()
        assert await device.error() == ERRORS["BUSY_REGISTER"]
        await nothing_left(device, source)


@cocotb.test()
async def interrupts(dut: Any) -> None:
    device = await open_device(dut)
    await with_keys(device, numbers(10))
    # Two items of zeros: memory keeps what came before, also words that a run refuses.
    assert await device.store(INPUT0, [0] * (2 * device.bfv.n)) is AxiResp.OKAY
    await device.run(0, 1)
    assert not int(dut.irq_o.value), "not enabled"
    await device.put(IRQ_STATUS, 3)
    await device.put(IRQ_ENABLE, 1)
    await device.start(0, 2)
    await with_timeout(RisingEdge(dut.irq_o), 5, "us")
    assert await device.get(IRQ_STATUS) == 1
    BINS.hit("interrupt done")
    await device.put(IRQ_STATUS, 1)
    await ClockCycles(dut.clk_i, 3)
    assert not int(dut.irq_o.value)
    await device.put(IRQ_ENABLE, 2)
    await device.start(0, 0)
    await with_timeout(RisingEdge(dut.irq_o), 5, "us")
    assert await device.get(IRQ_STATUS) == 2
    BINS.hit("interrupt error")
    await device.put(IRQ_STATUS, 2)


@cocotb.test(skip=scheme() != example.SCHEME)
async def worked_example(dut: Any) -> None:
    """The README's example of n = 8, with the numbers printed there."""
    device = await open_device(dut)
    await device.public_key(example.P0, example.P1)
    await device.secret(example.S)
    rows = [line for line in example.README.read_text().splitlines() if line in example.table()]
    assert rows == example.table(), "the README's example is out of date"
    (ciphertext,) = await device.encrypt([example.ITEM])
    (message,) = await device.decrypt([ciphertext])
    assert message == example.ITEM.message
    # The README's columns: words of input0, output0 and output1.
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert [int(cell[4], 16) for cell in cells] == example.ITEM.words()
    assert ([int(cell[5], 16) for cell in cells], [int(cell[6], 16) for cell in cells]) == (
        ciphertext
    )


@cocotb.test(skip=scheme().n != 4)
async def recorded_run(dut: Any) -> None:
    """The README's diagram is a recording: two encryptions, n = 4, from start to done."""
    device = await open_device(dut)
    await with_keys(device, numbers(11))
    signals = {
        "start": dut.u_sequencer.start_i,
        "busy": dut.u_sequencer.busy_o,
        "read": dut.u_sequencer.rd_en_o,
        "operands": dut.u_encryptor.valid_i,
        "results": dut.u_encryptor.valid_o,
        "write": dut.u_sequencer.wr_valid_i,
        "done": dut.u_sequencer.done_o,
    }
    lines = dict.fromkeys(signals, "")
    starting = cocotb.start_soon(device.start(0, 2))
    while len(lines["start"]) < model.device_cycles(4, 2) + 2:
        await RisingEdge(dut.clk_i)
        if lines["start"] or int(signals["start"].value):
            for name, signal in signals.items():
                lines[name] += "#" if int(signal.value) else "."
    await starting
    drawn = "\n".join(f"    {name:<9} {line}" for name, line in lines.items())
    assert drawn in example.README.read_text(), f"the README's diagram should be\n{drawn}"


@cocotb.test()
async def plan_is_covered(dut: Any) -> None:
    """The last test: every bin of coverage.yaml was reached by those before."""
    await reset(dut)
    BINS.check()


@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=short)
def test_bfv_mini(parameters: dict[str, object]) -> None:
    visible = str(Path(__file__).with_name("visible.vlt"))
    run_bench(
        block="bfv_mini",
        dut="bfv_mini",
        parameters=parameters,
        public_depth=1,
        build_args=(visible,),
    )
