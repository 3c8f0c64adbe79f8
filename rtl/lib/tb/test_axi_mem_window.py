"""axi_mem_window: a random master against a model of two memories, rates, refusals."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp

from bench import run_bench
from coverage_bins import Bins

WORDS = 600  # not a power of two: the end of a region is inside its address range
REGION = 1 << 12  # bytes between regions: 14 address bits, two of them the region
WRITE_ONLY, BOTH, READ_ONLY = 0, 1, 2
BINS = Bins(__file__, "test_axi_mem_window")
PARAMETERS = {"AddrWidth": 14, "RegionBits": 2, "RegionWords": WORDS, "Writable": 3, "Readable": 6}


@dataclass
class Bench:
    """Memories behind the window, and what was seen at its memory side."""

    dut: Any
    master: AxiMaster
    memory: dict[tuple[int, int], int] = field(default_factory=dict)
    cycle: int = 0
    write_cycles: list[int] = field(default_factory=list)
    read_cycles: list[int] = field(default_factory=list)
    data_cycles: list[int] = field(default_factory=list)
    busy_errors: int = 0
    address_errors: int = 0
    busy_at: Callable[[int], bool] = lambda _: False

    async def serve(self, latency: int) -> None:
        """The memories: a write is taken at once, read data come `latency` cycles later."""
        pipe = [0] * (latency - 1)
        while True:
            await ReadOnly()
            dut = self.dut
            if int(dut.wr_req_o.value):
                where = (int(dut.wr_region_o.value), int(dut.wr_addr_o.value))
                assert where[0] in (WRITE_ONLY, BOTH), f"write to region {where[0]}"
                assert where[1] < WORDS, f"write to word {where[1]}"
                self.memory[where] = int(dut.wr_data_o.value)
                self.write_cycles.append(self.cycle)
            read = 0xBAD00000
            if int(dut.rd_req_o.value):
                where = (int(dut.rd_region_o.value), int(dut.rd_addr_o.value))
                assert where[0] in (BOTH, READ_ONLY), f"read of region {where[0]}"
                assert where[1] < WORDS, f"read of word {where[1]}"
                read = self.memory.get(where, 0)
                self.read_cycles.append(self.cycle)
            if int(dut.s_axi_rvalid.value) and int(dut.s_axi_rready.value):
                self.data_cycles.append(self.cycle)
            self.busy_errors += int(dut.err_busy_o.value)
            self.address_errors += int(dut.err_addr_o.value)
            pipe = [read, *pipe]
            await RisingEdge(dut.clk_i)
            self.cycle += 1
            dut.rd_data_i.value = pipe.pop()
            dut.busy_i.value = int(self.busy_at(self.cycle))

    async def write(self, address: int, words: list[int], **options: Any) -> AxiResp:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        done = await with_timeout(self.master.write(address, data, **options), 500, "us")
        return AxiResp(done.resp)

    async def read(self, address: int, count: int, **options: Any) -> tuple[AxiResp, list[int]]:
        done = await with_timeout(self.master.read(address, 4 * count, **options), 500, "us")
        words = [int.from_bytes(done.data[i : i + 4], "little") for i in range(0, 4 * count, 4)]
        return AxiResp(done.resp), words

    def errors(self) -> tuple[int, int]:
        """(busy, address) pulses since the last call."""
        seen = (self.busy_errors, self.address_errors)
        self.busy_errors = self.address_errors = 0
        return seen


async def start(dut: Any) -> Bench:
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    dut.rst_ni.value = 0
    dut.busy_i.value = 0
    dut.rd_data_i.value = 0
    bus = AxiBus.from_prefix(dut, "s_axi")
    bench = Bench(dut, AxiMaster(bus, dut.clk_i, dut.rst_ni, reset_active_level=False))
    for interface in (bench.master.write_if, bench.master.read_if):
        interface.log.setLevel("WARNING")
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    cocotb.start_soon(bench.serve(int(dut.ReadLatency.value)))
    for _ in range(2):
        await RisingEdge(dut.clk_i)
    return bench


def numbers(seed: int) -> random.Random:
    return random.Random(1000 * int(os.environ.get("RTL_SEED", "1")) + seed)


def pauses(rng: random.Random, busy: float) -> Iterator[int]:
    while True:
        yield int(rng.random() < busy)


@cocotb.test()
async def one_beat_a_cycle(dut: Any) -> None:
    """Bursts of 256 follow each other without a bubble, in both directions."""
    bench = await start(dut)
    words = list(range(1, 513))
    assert await bench.write(BOTH * REGION, words) is AxiResp.OKAY
    assert len(bench.write_cycles) == 512
    assert bench.write_cycles[-1] - bench.write_cycles[0] == 511, "bubbles in a write"
    resp, found = await bench.read(BOTH * REGION, 512)
    assert (resp, found) == (AxiResp.OKAY, words)
    assert bench.data_cycles[-1] - bench.data_cycles[0] == 511, "bubbles in a read"
    # The latency of the header: data ReadLatency + 1 cycles after the request is visible.
    latency = int(dut.ReadLatency.value)
    assert bench.data_cycles[0] - bench.read_cycles[0] == latency + 1
    # Both directions at once do not slow each other down.
    bench.write_cycles.clear()
    bench.data_cycles.clear()
    writing = cocotb.start_soon(bench.write(WRITE_ONLY * REGION, words))
    resp, found = await bench.read(BOTH * REGION, 512)
    assert (resp, found) == (AxiResp.OKAY, words)
    assert await writing is AxiResp.OKAY
    BINS.hit("both directions at once")
    assert bench.write_cycles[-1] - bench.write_cycles[0] == 511
    assert bench.data_cycles[-1] - bench.data_cycles[0] == 511
    assert bench.errors() == (0, 0)


@cocotb.test()
async def every_burst_length(dut: Any) -> None:
    """1 to 256 beats, at the first and at the last words of a region."""
    bench = await start(dut)
    rng = numbers(1)
    for count in [*range(1, 20), 63, 64, 65, 127, 128, 129, 255, 256]:
        for first in (0, WORDS - count):
            words = [rng.getrandbits(32) for _ in range(count)]
            address = BOTH * REGION + 4 * first
            assert await bench.write(address, words) is AxiResp.OKAY
            assert await bench.read(address, count) == (AxiResp.OKAY, words)
            if count in (1, 256):
                BINS.hit(f"burst of {count} {'from word 0' if not first else 'to the last word'}")
    assert bench.errors() == (0, 0)


@cocotb.test()
async def refuses_directions_and_ends(dut: Any) -> None:
    bench = await start(dut)
    await bench.write(BOTH * REGION, list(range(WORDS)))
    before = dict(bench.memory)
    bench.errors()
    # A region of the other direction: every beat is refused.
    assert await bench.write(READ_ONLY * REGION, [1] * 5) is AxiResp.SLVERR
    assert bench.errors() == (0, 5)
    assert await bench.read(WRITE_ONLY * REGION, 3) == (AxiResp.SLVERR, [0] * 3)
    assert bench.errors() == (0, 3)
    BINS.hit("refused: direction")
    # A region that is neither: the last one.
    assert await bench.write(3 * REGION, [1]) is AxiResp.SLVERR
    assert (await bench.read(3 * REGION, 1))[0] is AxiResp.SLVERR
    assert bench.errors() == (0, 2)
    BINS.hit("refused: region of no direction")
    # First word outside; nothing wraps to the start of the region.
    assert await bench.write(BOTH * REGION + 4 * WORDS, [7]) is AxiResp.SLVERR
    assert (await bench.read(BOTH * REGION + 4 * WORDS, 1))[0] is AxiResp.SLVERR
    assert bench.errors() == (0, 2)
    assert bench.memory == before
    BINS.hit("refused: outside the region")
    # Across the end: the beats inside count, the burst is an error.
    assert await bench.write(BOTH * REGION + 4 * (WORDS - 2), [11, 12, 13, 14]) is AxiResp.SLVERR
    assert bench.memory[(BOTH, WORDS - 2)] == 11
    assert bench.memory[(BOTH, WORDS - 1)] == 12
    assert bench.errors() == (0, 2)
    resp, found = await bench.read(BOTH * REGION + 4 * (WORDS - 2), 4)
    assert (resp, found) == (AxiResp.SLVERR, [11, 12, 0, 0])
    assert bench.errors() == (0, 2)
    BINS.hit("refused: across the end")
    # The highest word of the address range: the count behind it must not come round to 0.
    last = REGION // 4 - 1
    changed = dict(bench.memory)
    for region in (BOTH, WRITE_ONLY):
        done = bench.master.init_write(region * REGION + 4 * last, bytes(4))
        await done.wait()
        assert AxiResp(done.data.resp) is AxiResp.SLVERR
    assert bench.memory == changed
    BINS.hit("refused: highest address")
    # The next access is served.
    assert await bench.write(BOTH * REGION, [21]) is AxiResp.OKAY
    assert await bench.read(BOTH * REGION, 1) == (AxiResp.OKAY, [21])


@cocotb.test()
async def refuses_kinds_of_bursts(dut: Any) -> None:
    bench = await start(dut)
    address = BOTH * REGION + 64
    await bench.write(address, list(range(1, 9)))
    before = dict(bench.memory)
    for burst in (AxiBurstType.FIXED, AxiBurstType.WRAP):
        assert await bench.write(address, [99] * 8, burst=burst) is AxiResp.SLVERR
        resp, found = await bench.read(address, 8, burst=burst)
        assert resp is AxiResp.SLVERR
        assert found == [0] * 8
        assert bench.errors() == (0, 16)
        BINS.hit(f"refused: {burst.name}")
    for size in (0, 1):
        assert await bench.write(address, [99] * 2, size=size) is AxiResp.SLVERR
        assert (await bench.read(address, 2, size=size))[0] is AxiResp.SLVERR
        assert bench.errors() == (0, 2 * (8 >> size))
        BINS.hit(f"refused: size {size}")
    # Unaligned: the first and the last beat carry some strobes only, those between are whole.
    done = await bench.master.write(address + 2, bytes(range(1, 9)))
    assert AxiResp(done.resp) is AxiResp.SLVERR
    assert bench.errors() == (0, 2)
    before[(BOTH, 17)] = int.from_bytes(bytes([3, 4, 5, 6]), "little")
    assert bench.memory == before
    BINS.hit("refused: partial words")
    assert (await bench.read(address, 3))[0] is AxiResp.OKAY


@cocotb.test()
async def refuses_while_busy(dut: Any) -> None:
    """`busy_i` counts in each beat, and the burst ends all the same."""
    bench = await start(dut)
    await bench.write(BOTH * REGION, list(range(100, 200)))
    bench.errors()
    bench.busy_at = lambda _: True
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    before = dict(bench.memory)
    assert await bench.write(BOTH * REGION, [1] * 9) is AxiResp.SLVERR
    assert bench.errors() == (9, 0)
    assert await bench.read(BOTH * REGION, 9) == (AxiResp.SLVERR, [0] * 9)
    assert bench.errors() == (9, 0)
    # Busy hides the other faults: one cause at a time.
    assert await bench.write(READ_ONLY * REGION, [1]) is AxiResp.SLVERR
    assert bench.errors() == (1, 0)
    assert bench.memory == before
    BINS.hit("refused: busy")
    # In the middle: a window of busy cycles refuses some beats of a burst and no others.
    bench.busy_at = lambda cycle: begin + 30 <= cycle < begin + 45
    begin = bench.cycle
    assert await bench.write(BOTH * REGION, list(range(500, 600))) is AxiResp.SLVERR
    refused, _ = bench.errors()
    assert refused == 15
    taken = sum(bench.memory[(BOTH, i)] == 500 + i for i in range(100))
    assert taken == 100 - refused
    begin = bench.cycle
    resp, found = await bench.read(BOTH * REGION, 100)
    assert resp is AxiResp.SLVERR
    refused, _ = bench.errors()
    assert refused == 15
    assert sum(word == 0 for word in found) == refused
    BINS.hit("busy in the middle of a burst")


@cocotb.test()
async def keeps_identifiers(dut: Any) -> None:
    """A response carries the identifier of its burst (the master checks that it waits for it)."""
    bench = await start(dut)
    for ident in range(16):
        assert await bench.write(BOTH * REGION + 4 * ident, [ident], awid=ident) is AxiResp.OKAY
        assert await bench.read(BOTH * REGION + 4 * ident, 1, arid=ident) == (AxiResp.OKAY, [ident])


async def watch_pauses(dut: Any) -> None:
    """Marks the channels on which a transfer had to wait."""
    while True:
        await RisingEdge(dut.clk_i)
        for channel in ("aw", "w", "b", "ar", "r"):
            valid = int(getattr(dut, f"s_axi_{channel}valid").value)
            if valid and not int(getattr(dut, f"s_axi_{channel}ready").value):
                BINS.hit(f"back-pressure {channel}")


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    """Random bursts with pauses on all five channels, against a model; read and write at once."""
    bench = await start(dut)
    cocotb.start_soon(watch_pauses(dut))
    rng = numbers(2)
    # Three bursts of one access: the read address of the last has to wait.
    first = [rng.getrandbits(32) for _ in range(WORDS)]
    assert await bench.write(BOTH * REGION, first) is AxiResp.OKAY
    assert await bench.read(BOTH * REGION, WORDS) == (AxiResp.OKAY, first)
    model = dict(enumerate(first))

    async def one(kind: str) -> None:
        first = rng.randrange(WORDS + 40)
        count = rng.choice([1, 1, 2, 3, rng.randrange(1, 80), 256])
        inside = first + count <= WORDS
        address = BOTH * REGION + 4 * first
        if kind == "write":
            words = [rng.getrandbits(32) for _ in range(count)]
            resp = await bench.write(address, words, awid=rng.randrange(16))
            model.update({first + i: w for i, w in enumerate(words) if first + i < WORDS})
        else:
            resp, found = await bench.read(address, count, arid=rng.randrange(16))
            assert found == [model.get(first + i, 0) for i in range(count)]
        assert resp is (AxiResp.OKAY if inside else AxiResp.SLVERR)

    async def reader(jobs: int) -> None:
        """Reads of the same region beside the writes: only the form of the answer is known."""
        own = numbers(3)
        for _ in range(jobs):
            count = own.randrange(1, 60)
            resp, _ = await bench.read(BOTH * REGION + 4 * own.randrange(WORDS - count), count)
            assert resp is AxiResp.OKAY

    for share in (0.0, 0.3, 0.8):
        channels = [
            bench.master.write_if.aw_channel,
            bench.master.write_if.w_channel,
            bench.master.write_if.b_channel,
            bench.master.read_if.ar_channel,
            bench.master.read_if.r_channel,
        ]
        for channel in channels:
            channel.set_pause_generator(pauses(rng, share))
        beside = cocotb.start_soon(reader(10))
        for kind in itertools.islice(itertools.cycle(["write", "write", "read"]), 40):
            await one(kind)
        await beside
    # Single words whose addresses run ahead of the slow data: write addresses have to wait.
    bench.master.write_if.aw_channel.set_pause_generator(pauses(rng, 0.0))
    singles = [cocotb.start_soon(bench.write(BOTH * REGION + 4 * i, [i])) for i in range(32)]
    for i, single in enumerate(singles):
        assert await single is AxiResp.OKAY
        model[i] = i
    assert bench.memory == {(BOTH, word): value for word, value in model.items()}


@cocotb.test()
async def survives_reset(dut: Any) -> None:
    """A reset in the middle of a burst leaves a window that works."""
    bench = await start(dut)
    lost: Coroutine[Any, Any, Any] = bench.master.write(BOTH * REGION, bytes(1024))
    cocotb.start_soon(lost)
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    assert await bench.write(BOTH * REGION, [5, 6]) is AxiResp.OKAY
    assert await bench.read(BOTH * REGION, 2) == (AxiResp.OKAY, [5, 6])
    BINS.hit("reset in a burst")


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


@pytest.mark.parametrize("latency", [1, 2])
def test_axi_mem_window(latency: int) -> None:
    run_bench(block="lib", dut="axi_mem_window", parameters=PARAMETERS | {"ReadLatency": latency})
