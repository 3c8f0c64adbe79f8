"""The keystream: known answers of RFC 8439, the model's words, rates, ends, wiping."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from random_bench import (
    FIRST_WORD_LATENCY,
    RING_FLUSH_CYCLES,
    SEEDS,
    cycle,
    key,
    parameter,
    reset,
    rng,
    until_idle,
)

from bench import run_bench
from coverage_bins import Bins
from model.device_randomness import words

RUN = 0x0123_4567_89AB_CDEF
BINS = Bins(__file__, "test_chacha20_stream")
STATES = ("idle", "run", "flush")

# RFC 8439, appendix A.1, with the nonce's first word (our k) zero: key, nonce's other words as a
# little-endian number, block counter, first 16 bytes of the keystream.
RFC = [
    (bytes(32), 0, 0, "76b8e0ada0f13d90405d6ae55386bd28"),
    (bytes(32), 0, 1, "9f07e7be5551387a98ba977c732d080d"),
    (bytes(31) + b"\1", 0, 1, "3aeb5224ecf849929b9d828db1ced4dd"),
    (b"\0\xff" + bytes(30), 0, 2, "72d54dfbf12ec44b362692df94137f32"),
    (bytes(32), 2 << 56, 0, "c2c64d378cd536374ae204b9ef933fcd"),
]


def log_n() -> int:
    return parameter("LogN", 10)


def stream(seed: bytes, run: int, plaintexts: int) -> list[int]:
    """The words of the first plaintexts."""
    return [word for k in range(plaintexts) for word in words(seed, run, k, 2 << log_n())]


async def ready_to_start(dut: Any) -> None:
    await reset(dut, start_i=0, flush_i=0, key_i=0, run_i=0, ready_i=0)
    assert await until_idle(dut, 100) == RING_FLUSH_CYCLES


def mark(dut: Any, command: str) -> None:
    BINS.hit(f"{command} in {STATES[int(dut.state_q.value)]}")


async def flush(dut: Any) -> None:
    mark(dut, "flush")
    dut.flush_i.value = 1
    await cycle(dut)
    dut.flush_i.value = 0


async def start(dut: Any, seed: bytes, run: int) -> None:
    mark(dut, "start")
    dut.key_i.value = key(seed)
    dut.run_i.value = run
    dut.start_i.value = 1
    await cycle(dut)
    dut.start_i.value = 0


async def take(dut: Any, count: int, pause: float, random: Any, limit: int = 20) -> list[int]:
    """Words taken, with `ready_i` low in a share of the cycles; a dry spell fails."""
    found: list[int] = []
    dry = 0
    while len(found) < count:
        ready = random.random() >= pause
        dut.ready_i.value = ready
        if int(dut.valid_o.value):
            dry = 0
            if ready:
                found.append(int(dut.word_o.value))
        else:
            dry += 1
            assert dry < FIRST_WORD_LATENCY + limit, f"no word after {len(found)}"
        await cycle(dut)
    dut.ready_i.value = 0
    return found


@cocotb.test()
async def known_answers_of_rfc_8439(dut: Any) -> None:
    await ready_to_start(dut)
    for seed, run, block, expected in RFC:
        if block >= 1 << (log_n() - 2):
            continue
        await start(dut, seed, run)
        found = await take(dut, 8 * block + 2, 0.0, rng())
        text = b"".join(word.to_bytes(8, "little") for word in found[-2:]).hex()
        assert text == expected, (seed, run, block)


@cocotb.test()
async def one_word_a_cycle_from_the_first(dut: Any) -> None:
    await ready_to_start(dut)
    plaintexts = max(3, 200 >> log_n())
    expected = stream(SEEDS[1], RUN, plaintexts)
    await start(dut, SEEDS[1], RUN)
    dut.ready_i.value = 1
    waited = 1
    while not int(dut.valid_o.value):
        await cycle(dut)
        waited += 1
        assert waited <= FIRST_WORD_LATENCY
    assert waited == FIRST_WORD_LATENCY
    for index, word in enumerate(expected):
        assert int(dut.valid_o.value), f"no word in cycle {index}"
        assert int(dut.word_o.value) == word, f"word {index}"
        await cycle(dut)


@cocotb.test()
async def random_pauses_lose_and_repeat_nothing(dut: Any) -> None:
    await ready_to_start(dut)
    random = rng()
    plaintexts = max(2, 100 >> log_n())
    for seed, pause in zip(SEEDS, (0.1, 0.5, 0.9, 0.3), strict=True):
        run = random.getrandbits(64)
        await start(dut, seed, run)
        expected = stream(seed, run, plaintexts)[:2500]
        found = await take(dut, len(expected), pause, random)
        assert found == expected


@cocotb.test()
async def a_long_pause_and_a_burst(dut: Any) -> None:
    """The ring stands still with a block at its gate, then goes on."""
    await ready_to_start(dut)
    expected = stream(SEEDS[0], 1, max(2, 100 >> log_n()))
    await start(dut, SEEDS[0], 1)
    for _ in range(200):
        await cycle(dut)
    found = [await take(dut, 1, 0.0, rng()) for _ in range(3)]
    for _ in range(100):
        await cycle(dut)
    burst = await take(dut, 60, 0.0, rng(), limit=0)
    assert [word for words in found for word in words] + burst == expected[:63]
    BINS.hit("a block waits at the gate")


@cocotb.test()
async def timing_does_not_depend_on_key_or_counter(dut: Any) -> None:
    await ready_to_start(dut)
    traces = []
    for seed, run in zip(SEEDS, (0, 1, RUN, 2**64 - 2), strict=True):
        random = rng()
        await flush(dut)
        await until_idle(dut, RING_FLUSH_CYCLES)
        await start(dut, seed, run)
        trace = []
        for _ in range(400):
            dut.ready_i.value = random.random() < 0.7
            trace.append((int(dut.valid_o.value), int(dut.busy_o.value)))
            await cycle(dut)
        traces.append(trace)
    assert sum(valid for valid, _ in traces[0]) > 300
    assert all(trace == traces[0] for trace in traces)


@cocotb.test()
async def a_start_in_the_middle_begins_anew(dut: Any) -> None:
    await ready_to_start(dut)
    random = rng()
    for at in range(0, 90, 7):
        await start(dut, SEEDS[at % 4], at)
        for _ in range(at):
            dut.ready_i.value = random.random() < 0.5
            await cycle(dut)
    await start(dut, SEEDS[1], 5)
    waited = 1
    while not int(dut.valid_o.value):
        await cycle(dut)
        waited += 1
        assert waited < 100
    assert waited == FIRST_WORD_LATENCY + RING_FLUSH_CYCLES
    assert await take(dut, 64, 0.2, random) == stream(SEEDS[1], 5, max(2, 64 >> log_n()))[:64]


@cocotb.test()
async def a_flush_leaves_zeros_and_silence(dut: Any) -> None:
    await ready_to_start(dut)
    for before in (1, 5, 44, 60, 200):
        await start(dut, SEEDS[3], RUN)
        dut.ready_i.value = 1
        for _ in range(before):
            await cycle(dut)
        await flush(dut)
        if before == 5:
            # A second flush begins anew, and a start that waited for the first is forgotten.
            await start(dut, SEEDS[3], RUN)
            await flush(dut)
        assert await until_idle(dut, 100) == RING_FLUSH_CYCLES
        for stage in range(8):
            assert int(dut.stage_q[stage].value) == 0, f"stage {stage}"
        assert int(dut.block_q.value) == 0
        assert int(dut.sum_q.value) == 0
        for _ in range(100):
            assert not int(dut.valid_o.value)
            await cycle(dut)


@cocotb.test()
async def the_stream_ends_after_its_last_plaintext(dut: Any) -> None:
    await ready_to_start(dut)
    expected = stream(SEEDS[0], RUN, 1 << parameter("PlaintextBits", 32))
    await start(dut, SEEDS[0], RUN)
    assert await take(dut, len(expected), 0.2, rng()) == expected
    dut.ready_i.value = 1
    for _ in range(200):
        assert not int(dut.valid_o.value)
        await cycle(dut)


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


ENDLESS = [
    "known_answers_of_rfc_8439",
    "one_word_a_cycle_from_the_first",
    "random_pauses_lose_and_repeat_nothing",
    "a_long_pause_and_a_burst",
    "timing_does_not_depend_on_key_or_counter",
    "a_start_in_the_middle_begins_anew",
    "a_flush_leaves_zeros_and_silence",
    "every_bin_was_hit",
]


@pytest.mark.parametrize(("log_degree", "plaintext_bits"), [(2, 32), (4, 5), (10, 32)])
def test_stream(log_degree: int, plaintext_bits: int) -> None:
    parameters = {"LogN": log_degree, "PlaintextBits": plaintext_bits}
    run_bench(block="random", dut="chacha20_stream", parameters=parameters, testcase=ENDLESS)


@pytest.mark.parametrize(("log_degree", "plaintext_bits"), [(2, 2), (3, 1)])
def test_end_of_the_stream(log_degree: int, plaintext_bits: int) -> None:
    parameters = {"LogN": log_degree, "PlaintextBits": plaintext_bits}
    testcase = "the_stream_ends_after_its_last_plaintext"
    run_bench(block="random", dut="chacha20_stream", parameters=parameters, testcase=testcase)
