"""The sampler by itself: words in, samples out, against the model; levels, room, wiping."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
import pytest
from random_bench import (
    NOISE_LATENCY,
    TERNARY_LATENCY,
    cycle,
    parameter,
    reset,
    rng,
    until_idle,
)

from bench import run_bench
from coverage_bins import Bins
from model.device_randomness import noise, ternary

CODES = {0: 0b00, 1: 0b01, -1: 0b11}
BINS = Bins(__file__, "test_device_sampler")


def degree() -> int:
    return 1 << parameter("LogN", 10)


async def prepare(dut: Any) -> None:
    """Reset and the wiping that follows it."""
    inputs = ["restart_i", "flush_i", "word_i", "word_valid_i", "e_pop_i", "u_free_i"]
    await reset(dut, **dict.fromkeys([*inputs, "u_raddr_a_i", "u_raddr_b_i"], 0))
    assert await until_idle(dut, 5 * degree()) == 4 * degree() + 2


class Traffic:
    """Random words, pops, frees and reads, with a model of what must be there."""

    def __init__(self, dut: Any, random: Any) -> None:
        self.dut, self.random, self.n = dut, random, degree()
        self.words: list[int] = []
        self.taken_at: list[int] = []
        self.now = 0
        self.popped = 0
        self.freed = 0
        self.expected_reads: deque[tuple[int | None, int | None]] = deque()

    def noise_there(self) -> int:
        """Samples in the queue, by the latency formula."""
        seen = sum(1 for at in self.taken_at[self.popped :] if self.now - at >= NOISE_LATENCY)
        return seen

    def written(self) -> int:
        """Coefficients of u written."""
        pairs = len(self.words) // 2
        while pairs and self.now - self.taken_at[2 * pairs - 1] < TERNARY_LATENCY:
            pairs -= 1
        return pairs

    def coefficient(self, index: int) -> int:
        return CODES[ternary(self.words[2 * index], self.words[2 * index + 1])]

    def mark(self, written: int, there: int, given: bool, taken: bool, freed: bool) -> None:
        """Bins of a cycle: levels at their ends, and what comes and goes at once."""
        states = {
            "noise full": len(self.words) - self.popped == 4 * self.n,
            "noise empty": there == 0,
            "ternary full": len(self.words) // 2 - self.freed == 2 * self.n,
            "ternary empty": written == self.freed,
            "a word comes as a sample goes": given and taken,
            "a word comes as a coefficient goes": given and freed,
            "the last coefficient goes": freed and written - self.freed == 1,
            "the last sample goes": taken and there == 1,
        }
        for name, now in states.items():
            if now:
                BINS.hit(name)

    async def step(self, give: float, pop: float, free: float) -> None:
        """One cycle: outputs checked, then inputs set."""
        dut, n = self.dut, self.n
        written = self.written()
        assert int(dut.u_count_o.value) == written - self.freed
        assert int(dut.plaintexts_ready_o.value) == written // n - self.freed // n
        there = self.noise_there()
        assert int(dut.e_valid_o.value) == (there > 0)
        if there:
            assert dut.e_o.value.to_signed() == noise(self.words[self.popped])
        room = len(self.words) - self.popped < 4 * n
        room = room and len(self.words) // 2 - self.freed < 2 * n
        assert int(dut.word_ready_o.value) == room
        if self.expected_reads:
            for port, code in zip("ab", self.expected_reads.popleft(), strict=True):
                if code is not None:
                    assert int(getattr(dut, f"u_{port}_o").value) == code

        codes: list[int | None] = []
        for port in "ab":
            index = self.random.randrange(self.freed, written) if written > self.freed else None
            codes.append(None if index is None else self.coefficient(index))
            address = self.random.randrange(2 * n) if index is None else index % (2 * n)
            getattr(dut, f"u_raddr_{port}_i").value = address
        self.expected_reads.append((codes[0], codes[1]))
        word = self.random.getrandbits(64)
        valid = self.random.random() < give
        dut.word_i.value = word
        dut.word_valid_i.value = valid
        taking = there > 0 and self.random.random() < pop
        dut.e_pop_i.value = taking
        freeing = written > self.freed and self.random.random() < free
        dut.u_free_i.value = freeing
        if valid and room:
            self.words.append(word)
            self.taken_at.append(self.now)
        self.mark(written, there, bool(valid and room), bool(taking), bool(freeing))
        self.popped += taking
        self.freed += freeing
        self.now += 1
        await cycle(dut)


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    await prepare(dut)
    traffic = Traffic(dut, rng())
    for give, pop, free in ((1, 0, 0), (1, 1, 0.5), (1, 1, 1), (0.3, 1, 1), (1, 0.2, 0.9)):
        for _ in range(40 * traffic.n if traffic.n < 64 else 3 * traffic.n):
            await traffic.step(give, pop, free)
    assert len(traffic.words) > 6 * traffic.n


@cocotb.test()
async def fills_up_and_waits(dut: Any) -> None:
    """Room for two plaintexts and not for a word more, whichever memory is full."""
    await prepare(dut)
    traffic = Traffic(dut, rng())
    n = traffic.n
    for _ in range(5 * n + 8):
        await traffic.step(1, 0, 0)
    assert len(traffic.words) == 4 * n
    assert int(dut.plaintexts_ready_o.value) == 2
    for _ in range(n + 8):
        await traffic.step(1, 1, 0)
    assert len(traffic.words) == 4 * n  # room for noise, none for u
    for _ in range(n + 8):
        await traffic.step(1, 0, 1)
    assert len(traffic.words) == 5 * n + 7  # one cycle after the first coefficient given back


@cocotb.test()
async def one_word_a_cycle(dut: Any) -> None:
    await prepare(dut)
    traffic = Traffic(dut, rng())
    for _ in range(20 * traffic.n if traffic.n < 64 else 3 * traffic.n):
        await traffic.step(1, 1, 1)
    assert len(traffic.words) == traffic.now


@cocotb.test()
async def a_restart_forgets_at_once(dut: Any) -> None:
    await prepare(dut)
    random = rng()
    for length in (1, 2, 3, 7, 5 * degree()):
        traffic = Traffic(dut, random)
        for _ in range(length):
            await traffic.step(1, 0.3, 0.1)
        dut.restart_i.value = 1
        await cycle(dut)
        dut.restart_i.value = 0
        assert int(dut.u_count_o.value) == 0
        assert not int(dut.e_valid_o.value)
        assert int(dut.word_ready_o.value)
        BINS.hit(f"restart after {'5n' if length == 5 * degree() else length}")
    traffic = Traffic(dut, random)
    for _ in range(5 * degree()):
        await traffic.step(0.9, 0.5, 0.5)


@cocotb.test()
async def a_flush_wipes_everything(dut: Any) -> None:
    await prepare(dut)
    traffic = Traffic(dut, rng())
    n = traffic.n
    for _ in range(5 * n):
        await traffic.step(1, 0, 0)
    dut.word_valid_i.value = 1
    dut.flush_i.value = 1
    dut.e_pop_i.value = 0
    dut.u_free_i.value = 0
    await cycle(dut)
    dut.flush_i.value = 0
    for _ in range(4 * n + 2):
        assert int(dut.busy_o.value)
        assert not int(dut.word_ready_o.value)
        await cycle(dut)
    assert not int(dut.busy_o.value)
    memories = [dut.u_noise.mem] + [dut.gen_port[port].u_ternary_codes.mem for port in range(2)]
    for memory, depth in zip(memories, (4 * n, 2 * n, 2 * n), strict=True):
        for index in range(depth):
            assert int(memory[index].value) == 0, index
    for register in (dut.half_q, dut.code_q, dut.e_made, dut.e_o, dut.u_a_o, dut.u_b_o):
        assert int(register.value) == 0
    BINS.hit("flush of full memories")
    # And works again.
    traffic = Traffic(dut, rng())
    for _ in range(2 * n):
        await traffic.step(1, 1, 0.5)


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


@pytest.mark.parametrize("log_degree", [2, 4, 7])
def test_sampler(log_degree: int) -> None:
    run_bench(block="random", dut="device_sampler", parameters={"LogN": log_degree})
