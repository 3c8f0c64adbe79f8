"""bfv_crypt_core: results and cycles with a sampler of any pace, and resets in every cycle.

The bench plays memories and sampler. Its sampler draws at a pace of its own, so that steps wait,
which the real one does only at the smallest sizes.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
import crypt_model as model
import numpy as np
from cocotb.triggers import Timer
from crypt_bench import cycle, drive, up
from crypt_host import OVERLAP_LATENCY, PAPER_LATENCY
from crypt_model import Poly

from bench import run_bench
from coverage_bins import Bins

BINS = Bins(__file__, "test_bfv_crypt_core")
N = 16
# Fields of host_t, most significant first, with their widths.
HOST = (
    *(("start", 1), ("soft_reset", 1), ("clear", 1), ("key_loaded", 1), ("seed_load", 1)),
    *(("armed", 1), ("paper", 1), ("decrypt", 1), ("count", 5), ("lfsr_seed", 20)),
    *(("seed", 256), ("run_counter", 64)),
)
CORE = (
    *(("busy", 1), ("primed", 1), ("done", 1), ("run_spent", 1), ("err", 1), ("err_code", 4)),
    ("cycles", 64),
)
LEVELS = ("armed", "paper", "decrypt", "count", "lfsr_seed")


class Device:
    """The core with memories and a sampler."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.source = random.Random(seed)
        self.levels = dict.fromkeys(LEVELS, 0)
        self.mult = [self.source.randrange(model.Q) for _ in range(32 * N)]
        self.padd = [self.source.randrange(model.Q) for _ in range(32 * N)]
        self.out: list[int | None] = [None] * (32 * N)
        self.writes: list[tuple[int, int]] = []  # cycle and address
        self.now = 0
        self.pace = 1.0
        self.draw()

    def draw(self) -> None:
        """A new stream of secrets; what the sampler holds is forgotten."""
        self.u = [self.source.choice((-1, 0, 1)) for _ in range(18 * N)]
        self.e = [self.source.randrange(-21, 22) for _ in range(36 * N)]
        self.drawn = self.freed = self.popped = 0
        self.memory = [self.source.choice((0, 1, 3)) for _ in range(2 * N)]

    def poly(self, memory: list[int], number: int) -> Poly:
        return np.array(memory[number * N : (number + 1) * N], dtype=np.uint64)

    async def tick(
        self, code: tuple[int, int] | None = None, written: int = 0, **pulses: int
    ) -> dict[str, int]:
        dut = self.dut
        word = 0
        values = {**dict.fromkeys((name for name, _ in HOST), 0), **self.levels, **pulses}
        for name, width in HOST:
            word = word << width | values[name]
        dut.host_i.value = word
        drive(
            dut,
            u_count_i=self.drawn - self.freed,
            e_i=self.e[self.popped],
            e_valid_i=int(2 * self.drawn > self.popped),
            code_we_i=int(code is not None),
            code_waddr_i=code[0] if code else 0,
            code_wdata_i=code[1] if code else self.source.randrange(model.Q),
            mult_written_i=written,
        )
        await Timer(1, unit="ns")
        outputs = int(dut.core_o.value)
        found: dict[str, int] = {}
        for name, width in reversed(CORE):
            found[name] = outputs & ((1 << width) - 1)
            outputs >>= width
        reads = [int(getattr(dut, f"{name}_raddr_o").value) for name in ("mult", "padd")]
        ports = [int(getattr(dut, f"u_raddr_{port}_o").value) for port in "ab"]
        read_added = int(dut.padd_re_o.value)
        pop, free = int(dut.e_pop_o.value), int(dut.u_free_o.value)
        if int(dut.out_we_o.value):
            self.out[int(dut.out_waddr_o.value)] = int(dut.out_wdata_o.value)
            self.writes.append((self.now, int(dut.out_waddr_o.value)))
        self.now += 1
        if int(dut.wipe_o.value):
            address = int(dut.wipe_addr_o.value)
            self.mult[address] = self.padd[address] = self.out[address] = 0
        codes = [self.memory[port] for port in ports]
        await cycle(dut)
        dut.mult_rdata_i.value = self.mult[reads[0]]
        if read_added:
            dut.padd_rdata_i.value = self.padd[reads[1]]
        drive(dut, u_a_i=codes[0], u_b_i=codes[1])
        self.popped += pop
        self.freed += free
        if pulses.get("seed_load"):
            self.draw()
            return found
        # A coefficient and its two noise samples, while there is room.
        room = self.drawn - self.freed < 2 * N and self.drawn < len(self.u)
        if room and self.source.random() < self.pace:
            self.memory[self.drawn % (2 * N)] = model.CODES[self.u[self.drawn]]
            self.drawn += 1
        return found

    async def run(self, *, limit: int | None = None, **pulses: int) -> int:
        """Starts, and waits for done; gives the cycles. Stops after `limit` cycles without done."""
        found = await self.tick(start=1, **pulses)
        assert not found["err"]
        counted = 0
        while limit is None or counted < limit:
            counted += 1
            found = await self.tick()
            if found["done"]:
                assert found["cycles"] == counted
                return counted
            assert counted < 3000
        return 0

    async def codes(self, small: list[int]) -> None:
        for address, word in enumerate(model.code_words(small)):
            await self.tick(code=(address, word))
        await self.tick()

    async def renew(self) -> None:
        """What the register file does when a run is spent."""
        await self.tick(seed_load=1)

    def check_encrypted(self, plaintexts: int) -> None:
        for k in range(plaintexts):
            u = self.u[k * N : (k + 1) * N]
            for i in range(2):
                e = self.e[(2 * k + i) * N : (2 * k + i + 1) * N]
                wanted = model.product(self.poly(self.mult, i), u) + model.poly(e)
                if i == 0:
                    wanted = wanted + self.poly(self.padd, 2 * k)
                self.check(2 * k + i, wanted & model.MASK)

    def check_decrypted(self, count: int, s: list[int]) -> None:
        for k in range(count):
            self.check(k, model.decrypt(self.poly(self.padd, k), self.poly(self.mult, k), s))

    def check(self, number: int, wanted: Poly) -> None:
        assert self.out[number * N : (number + 1) * N] == [int(v) for v in wanted], number

    def forget_results(self) -> None:
        self.out = [None] * (32 * N)

    def written(self) -> int:
        return sum(value is not None for value in self.out)


async def device(dut: Any, seed: int) -> Device:
    inputs = (
        "host_i",
        "mult_rdata_i",
        "padd_rdata_i",
        "mult_written_i",
        "code_we_i",
        "code_wdata_i",
    )
    inputs += ("code_waddr_i", "sampler_busy_i", "u_count_i", "u_a_i", "u_b_i", "e_i", "e_valid_i")
    await up(dut, **dict.fromkeys(inputs, 0))
    return Device(dut, seed)


def ternary(seed: int) -> list[int]:
    return random.Random(seed).choices((-1, 0, 1), k=N)


@cocotb.test()
async def encryption_at_any_pace(dut: Any) -> None:
    one = await device(dut, 1)
    one.levels["armed"] = 1
    for pace in (1.0, 0.5, 0.3, 0.1):
        for plaintexts in (1, 2, 5, 16):
            one.pace = pace
            one.forget_results()
            one.levels["count"] = 2 * plaintexts % 32
            await one.renew()
            taken = await one.run()
            one.check_encrypted(plaintexts)
            assert one.written() == 2 * plaintexts * N
            assert one.popped == 2 * plaintexts * N
            # Two coefficients in three cycles suffice to be never waited for but at the beginning.
            least = N * (2 * plaintexts + 1) + OVERLAP_LATENCY
            assert taken >= least
            if pace == 1.0:
                assert taken <= least + 3
            BINS.hit(f"encrypt {plaintexts} pace {pace}")


@cocotb.test()
async def primed_runs_are_exact(dut: Any) -> None:
    one = await device(dut, 2)
    s = ternary(2)
    await one.codes(s)
    one.levels["armed"] = 1
    for decrypt in (0, 1):
        for polys in (2, 32):
            one.levels |= {"decrypt": decrypt, "count": polys % 32}
            await one.renew()
            await one.tick(key_loaded=1)
            for _ in range(3 * N):
                found = await one.tick()
            assert found["primed"]
            assert not found["busy"]
            # What is added may be written until the start.
            one.padd = [one.source.randrange(model.Q) for _ in range(32 * N)]
            await one.tick()
            one.writes = []
            assert await one.run() == N * polys + OVERLAP_LATENCY
            # A result in every cycle, in order: polynomials follow each other by n exactly.
            first = one.writes[0][0]
            assert one.writes == [(first + i, i) for i in range(N * polys)]
            if decrypt:
                one.check_decrypted(polys, s)
            else:
                one.check_encrypted(polys // 2)
            BINS.hit(f"primed {'decrypt' if decrypt else 'encrypt'} {polys}")


@cocotb.test()
async def start_in_every_cycle_of_the_fill(dut: Any) -> None:
    one = await device(dut, 3)
    one.levels |= {"armed": 1, "count": 2}
    for early in range(1, N + 4):
        await one.renew()
        await one.tick(written=1)
        for _ in range(N):
            await one.tick()
        await one.tick(key_loaded=1)
        for _ in range(early):
            await one.tick()
        taken = await one.run()
        one.check_encrypted(1)
        # Each step of the fill that was made ahead is saved: the last in the cycle of the start.
        ahead = min(early, N)
        assert taken == 3 * N + OVERLAP_LATENCY - ahead
        await one.tick(soft_reset=1)
    BINS.hit("start during the fill")


@cocotb.test()
async def reset_in_every_cycle(dut: Any) -> None:
    """After a reset in any cycle of a run, a whole run is right, in every mode."""
    one = await device(dut, 4)
    s = ternary(4)
    await one.codes(s)
    one.levels |= {"armed": 1, "lfsr_seed": 0x54321}
    for paper in (0, 1):
        for decrypt in (0, 1):
            one.levels |= {"paper": paper, "decrypt": decrypt, "count": 2}
            for after in range((5 if paper else 4) * N):
                await one.renew()
                await one.run(limit=after)
                found = await one.tick(soft_reset=1)
                one.forget_results()
                # Nothing that was under way is written any more.
                for _ in range(6):
                    found = await one.tick()
                    assert not found["busy"]
                assert one.written() == 0
                await one.renew()
                taken = await one.run()
                if paper:
                    assert taken == 4 * N + PAPER_LATENCY
                    check_paper(one, decrypt, s)
                    await one.tick(soft_reset=1)
                elif decrypt:
                    assert taken == 3 * N + OVERLAP_LATENCY
                    one.check_decrypted(2, s)
                else:
                    one.check_encrypted(1)
                assert one.written() == 2 * N
            BINS.hit(f"reset in every cycle, paper {paper} decrypt {decrypt}")


def check_paper(one: Device, decrypt: int, small: list[int]) -> None:
    if decrypt:
        one.check_decrypted(2, small)
        return
    key = (one.poly(one.mult, 0), one.poly(one.mult, 1))
    addends = [one.poly(one.padd, i) for i in range(2)]
    wanted = model.encrypt_paper(key, addends, small, one.levels["lfsr_seed"])
    for i in range(2):
        one.check(i, wanted[i])


@cocotb.test()
async def clear_leaves_nothing(dut: Any) -> None:
    """After a wipe no register of the datapath holds anything of a run."""
    one = await device(dut, 5)
    s = [1] * N
    await one.codes(s)
    one.levels |= {"count": 4, "decrypt": 1}
    await one.run()
    await one.tick(clear=1)
    for _ in range(32 * N):
        found = await one.tick()
        assert found["busy"]
    for _ in range(4):
        found = await one.tick()
    assert not found["busy"]
    assert not any(one.mult)
    assert not any(one.padd)
    assert not any(one.out)
    for name in ("addend_q", "out_q"):
        assert int(getattr(dut, name).value) == 0, name
    assert int(dut.u_reduce.base_q.value) == 0
    for word in range(N):
        assert int(dut.u_reduce.u_delay.mem[word].value) == 0
    assert int(dut.u_codes.mem[0].value) == 0
    for element in dut.u_array.gen_group[0].u_group.gen_pe:
        for name in ("a_q", "sum_q", "code_q"):
            assert int(getattr(element.u_pe, name).value) == 0, name
    BINS.hit("clear leaves nothing")


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_core() -> None:
    run_bench(block="bfv_crypt", dut="bfv_crypt_core", parameters={"LogN": 4})
