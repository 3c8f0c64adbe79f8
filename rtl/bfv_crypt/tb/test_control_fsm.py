"""control_fsm: every command in every state, counts, refusals, cycle counter, waiting steps.

The bench plays the datapath: the main address for a ring of 4 coefficients, and the pipeline that
writes the last result some cycles after the last step.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import Timer
from crypt_bench import cycle, drive, up
from crypt_host import BUSY_REGISTER, COUNT_ODD, NEEDS_RESET, NO_SEED, NONE, SEED_ZERO

from bench import run_bench
from coverage_bins import Bins

BINS = Bins(__file__, "test_control_fsm")
N = 4
WRITE_DELAY = 4
STATES = (
    "Idle",
    "Fill",
    "Primed",
    "Run",
    "PaperCount",
    "PaperHold",
    "Drain",
    "PaperDone",
    "Wipe",
)
PULSES = ("start_i", "soft_reset_i", "clear_i", "key_loaded_i", "seed_load_i", "operand_written_i")
QUIET = dict.fromkeys(PULSES, 0) | {
    "armed_i": 1,
    "paper_i": 0,
    "decrypt_i": 0,
    "count_i": 2,
    "lfsr_zero_i": 0,
    "fresh_i": 1,
    "avail_i": 1,
    "sampler_busy_i": 0,
    "index_last_i": 0,
    "period_i": 0,
    "product_i": 0,
    "last_written_i": 0,
}


class Datapath:
    """The module under test with what it controls."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.main = 0
        self.pipeline = deque([0] * WRITE_DELAY, maxlen=WRITE_DELAY)
        self.steps = 0
        self.out: dict[str, int] = {}

    @property
    def state(self) -> str:
        return STATES[int(self.dut.state_q.value)]

    async def tick(self, **inputs: int) -> dict[str, int]:
        """One cycle; pulses last for it only, levels stay. Gives the outputs of the cycle."""
        dut = self.dut
        drive(dut, **{**dict.fromkeys(PULSES, 0), **inputs})
        paper = int(dut.paper_i.value) if "paper_i" not in inputs else inputs["paper_i"]
        drive(
            dut,
            index_last_i=int(self.main % N == N - 1),
            period_i=self.main // N % 64,
            product_i=self.main // (2 * N) % 32 if paper else 0,
            last_written_i=self.pipeline[0],
        )
        await Timer(1, unit="ns")
        names = ("step_o", "advance_o", "restart_o", "init_o", "last_step_o", "kill_o", "wipe_o")
        names += ("busy_o", "primed_o", "done_o", "run_spent_o", "err_o", "err_code_o", "cycles_o")
        names += ("lfsr_load_o",)
        self.out = {name: int(getattr(dut, name).value) for name in names}
        self.steps += self.out["step_o"]
        if self.out["restart_o"]:
            self.main = 0
        elif self.out["advance_o"]:
            self.main += 1
        self.pipeline.append(self.out["last_step_o"])
        if self.out["kill_o"]:
            self.pipeline.extend([0] * WRITE_DELAY)
        await cycle(dut)
        return self.out

    async def until(self, state: str, **inputs: int) -> None:
        for _ in range(40 * N + 40):
            if self.state == state:
                return
            await self.tick(**inputs)
        raise AssertionError(f"{self.state}, not {state}")

    async def reach(self, state: str, decrypt: int = 0) -> None:
        """From reset into a state, one cycle after it was entered at the latest."""
        await self.tick(clear_i=1)
        # Levels may change now: no run is in progress.
        drive(self.dut, **{**QUIET, "decrypt_i": decrypt})
        await self.tick()
        self.main = 32 * N
        await self.until("Idle")
        if state in ("Fill", "Primed"):
            await self.tick(key_loaded_i=1)
        elif state in ("Run", "Drain"):
            await self.tick(start_i=1)
        elif state.startswith("Paper"):
            await self.tick(paper_i=1)
            await self.tick(start_i=1)
        elif state == "Wipe":
            await self.tick(clear_i=1)
        await self.until(state)


async def begin(dut: Any) -> Datapath:
    await up(dut, **QUIET)
    datapath = Datapath(dut)
    assert datapath.state == "Idle"
    return datapath


SPENDS = ("Run", "Drain")


@cocotb.test()
async def reset_in_every_state(dut: Any) -> None:
    path = await begin(dut)
    for state in STATES:
        for decrypt in (0, 1):
            await path.reach(state, decrypt)
            out = await path.tick(soft_reset_i=1)
            assert path.state == ("Wipe" if state == "Wipe" else "Idle")
            assert out["run_spent_o"] == int(state in SPENDS and not decrypt)
            assert not out["done_o"]
            # Nothing that was under way comes out after it.
            for _ in range(2 * WRITE_DELAY):
                out = await path.tick()
                assert not out["done_o"]
                assert not out["run_spent_o"]
        BINS.hit(f"{state} reset")


@cocotb.test()
async def clear_in_every_state(dut: Any) -> None:
    path = await begin(dut)
    for state in STATES:
        for decrypt in (0, 1):
            await path.reach(state, decrypt)
            out = await path.tick(clear_i=1)
            assert path.state == "Wipe"
            assert out["run_spent_o"] == int(state in SPENDS and not decrypt)
            walked = 0
            drive(dut, sampler_busy_i=1)
            for _ in range(32 * N + 5):
                out = await path.tick()
                assert out["busy_o"]
                assert not out["step_o"]
                walked += out["wipe_o"]
            assert walked == 32 * N
            # The randomness takes longer to wipe: still busy until it is done.
            assert path.state == "Wipe"
            await path.tick(sampler_busy_i=0)
            assert path.state == "Idle"
            # What was loaded is gone: nothing is prepared from it.
            await path.tick()
            await path.tick()
            assert path.state == "Idle"
        BINS.hit(f"{state} clear")


@cocotb.test()
async def start_in_every_state(dut: Any) -> None:
    path = await begin(dut)
    for state in STATES:
        await path.reach(state)
        before = path.main
        out = await path.tick(start_i=1)
        if state in ("Idle", "Fill", "Primed"):
            assert path.state == "Run"
            assert not out["err_o"]
            # Work done ahead is kept.
            assert path.main == (0 if state == "Idle" else before + out["step_o"])
        elif state == "PaperDone":
            assert (out["err_o"], out["err_code_o"], path.state) == (1, NEEDS_RESET, "PaperDone")
        else:
            assert (out["err_o"], out["err_code_o"]) == (1, BUSY_REGISTER)
            assert out["busy_o"]
        BINS.hit(f"{state} start")


@cocotb.test()
async def refusals(dut: Any) -> None:
    path = await begin(dut)
    for state in ("Idle", "Fill", "Primed"):
        await path.reach(state)
        for inputs, code, name in (
            ({"count_i": 1}, COUNT_ODD, "odd count"),
            ({"count_i": 31}, COUNT_ODD, "odd count"),
            ({"paper_i": 1, "lfsr_zero_i": 1}, SEED_ZERO, "seed zero"),
            ({"armed_i": 0}, NO_SEED, "no seed"),
        ):
            out = await path.tick(start_i=1, **inputs)
            assert (out["err_o"], out["err_code_o"]) == (1, code)
            assert not path.out["busy_o"]
            drive(dut, **QUIET)
            out = await path.tick()
            assert not out["busy_o"]
            assert not out["run_spent_o"]
            BINS.hit(f"{state} {name}")
    # None of this stands in the way of decryption.
    await path.reach("Idle", decrypt=1)
    out = await path.tick(start_i=1, count_i=1, armed_i=0, lfsr_zero_i=1)
    assert (out["err_code_o"], path.state) == (NONE, "Run")
    await path.reach("Idle", decrypt=1)
    out = await path.tick(start_i=1, count_i=1, armed_i=0, lfsr_zero_i=1, paper_i=1)
    assert (out["err_code_o"], path.state) == (NONE, "PaperCount")
    BINS.hit("decryption needs no randomness")


@cocotb.test()
async def what_undoes_the_work_ahead(dut: Any) -> None:
    path = await begin(dut)
    for state in ("Fill", "Primed"):
        for decrypt in (0, 1):
            for name, inputs, undone in (
                ("operand written", {"operand_written_i": 1}, True),
                ("direction changed", {"decrypt_i": 1 - decrypt}, True),
                ("paper mode chosen", {"paper_i": 1}, True),
                ("seed loaded", {"seed_load_i": 1}, not decrypt),
                ("disarmed", {"armed_i": 0}, not decrypt),
            ):
                await path.reach(state, decrypt)
                out = await path.tick(**inputs)
                assert (path.state == "Idle") == undone, (state, decrypt, name)
                assert out["restart_o"] == int(undone)
                assert out["init_o"] == int(undone)
                BINS.hit(f"{state} {name}")
            # A start that comes with the change begins from the beginning.
            await path.reach(state, decrypt)
            out = await path.tick(start_i=1, decrypt_i=1 - decrypt)
            assert (path.state, path.main, out["restart_o"], out["init_o"]) == ("Run", 0, 1, 1)
            BINS.hit(f"{state} start in the other direction")
    # A written operand needs key_loaded again; a new seed does not.
    await path.reach("Primed")
    await path.tick(operand_written_i=1)
    for _ in range(5):
        await path.tick()
    assert path.state == "Idle"
    await path.reach("Primed")
    await path.tick(seed_load_i=1)
    await path.tick()
    assert path.state == "Fill"
    # An operand that is written in the cycle of key_loaded is not complete.
    await path.reach("Idle")
    await path.tick(key_loaded_i=1, operand_written_i=1)
    await path.tick()
    await path.tick()
    assert path.state == "Idle"


async def run(path: Datapath, polys: int, wait: int = 0, **inputs: int) -> int:
    """From the start to done: the cycles that the module counted, checked against the bench's."""
    path.steps = 0
    await path.tick(start_i=1, count_i=polys % 32, **inputs)
    counted = 0
    while True:
        counted += 1
        out = await path.tick(avail_i=int(not wait or counted % wait != 0))
        if out["done_o"]:
            assert out["cycles_o"] == counted
            await path.tick()
            out = await path.tick()
            assert not out["busy_o"]
            assert out["cycles_o"] == counted
            return counted
        assert out["busy_o"]
        assert counted < 100 * N * polys


@cocotb.test()
async def counts(dut: Any) -> None:
    path = await begin(dut)
    for polys in range(1, 33):
        await path.reach("Idle", decrypt=1)
        assert await run(path, polys) == N * (polys + 1) + WRITE_DELAY
        assert path.steps == N * (polys + 1)
        await path.reach("Primed", decrypt=1)
        assert await run(path, polys) == N * polys + WRITE_DELAY
        await path.reach("Idle", decrypt=1)
        await path.tick(paper_i=1)
        assert await run(path, polys) == 2 * N * polys + WRITE_DELAY
        assert path.state == "PaperDone"
        BINS.hit(f"count {polys}")


@cocotb.test()
async def steps_wait(dut: Any) -> None:
    """A low `avail_i` delays steps of Fill and Run by its own length; the run is spent once."""
    path = await begin(dut)
    for wait in (2, 3):
        await path.reach("Idle")
        taken = await run(path, 4, wait)
        assert path.steps == 5 * N
        assert taken == 5 * N + WRITE_DELAY + (5 * N - 1) // (wait - 1)
        BINS.hit(f"a step of {wait} waits")
    await path.reach("Fill")
    main = path.main
    out = await path.tick(avail_i=0)
    assert (out["step_o"], path.main) == (0, main)


@cocotb.test()
async def spent_once(dut: Any) -> None:
    path = await begin(dut)
    for decrypt, paper in ((0, 0), (1, 0), (0, 1), (1, 1)):
        await path.reach("Idle", decrypt)
        spent = done = 0
        await path.tick(paper_i=paper)
        out = await path.tick(start_i=1)
        assert out["lfsr_load_o"] == paper
        for _ in range(10 * N + WRITE_DELAY):
            out = await path.tick()
            spent += out["run_spent_o"]
            done += out["done_o"]
        assert (spent, done) == (int(not decrypt and not paper), 1)
    BINS.hit("spent once")


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_control() -> None:
    run_bench(block="bfv_crypt", dut="control_fsm")
