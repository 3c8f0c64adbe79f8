"""bfv_pe: the table of codes in both modes, every enable and reset, wrap at 2^32."""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
from crypt_bench import cycle, drive, up
from crypt_model import VALUES, Q

from bench import run_bench
from coverage_bins import Bins

BINS = Bins(__file__, "test_bfv_pe")
CORNERS = (0, 1, Q // 2 - 1, Q // 2, Q - 1)
QUIET = {
    "step_i": 0,
    "paper_i": 0,
    "sel_clr_i": 0,
    "sum_clr_i": 0,
    "wipe_i": 0,
    "u_i": 0,
    "v_i": 0,
    "bus_i": 0,
    "code_we_i": 0,
    "code_i": 0,
    "sel_i": 0,
    "sum_i": 0,
}


async def pulse(dut: Any, **inputs: int) -> None:
    """One cycle with these inputs; the others quiet before and after."""
    drive(dut, **{**QUIET, **inputs})
    await cycle(dut)
    drive(dut, **QUIET)


async def operand(dut: Any, a: int) -> None:
    """Puts `a` into the element, in paper mode, where it takes the bus in every cycle."""
    await pulse(dut, paper_i=1, bus_i=a)


async def selected(dut: Any, sel: int) -> None:
    await pulse(dut, **({"step_i": 1, "sel_i": 1} if sel else {"sel_clr_i": 1}))
    assert int(dut.sel_o.value) == sel


@cocotb.test()
async def overlap_codes(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(1)
    for sel, u, v in itertools.product((0, 1), range(4), range(4)):
        values = [*itertools.product(CORNERS, CORNERS)]
        values += [(source.randrange(Q), source.randrange(Q)) for _ in range(20)]
        for a, before in values:
            await selected(dut, sel)
            await operand(dut, a)
            await pulse(dut, step_i=1, u_i=u, v_i=v, sum_i=before, sel_i=sel)
            assert int(dut.sum_o.value) == (before + VALUES[v if sel else u] * a) % Q
        BINS.hit(f"overlap sel {sel} code {v if sel else u:02b}")


@cocotb.test()
async def paper_codes(dut: Any) -> None:
    await up(dut, **QUIET)
    source = random.Random(2)
    for code, act in itertools.product(range(4), (0, 1)):
        await pulse(dut, code_we_i=1, code_i=code)
        values = [*itertools.product(CORNERS, CORNERS)]
        values += [(source.randrange(Q), source.randrange(Q)) for _ in range(20)]
        for a, before in values:
            await operand(dut, a)
            v = source.randrange(4)
            await pulse(
                dut, paper_i=1, step_i=1, u_i=act, v_i=v, sum_i=before, bus_i=source.randrange(Q)
            )
            factor = VALUES[code] if act else 0
            assert int(dut.sum_o.value) == (before + factor * a) % Q
        BINS.hit(f"paper code {code:02b} act {act}")


@cocotb.test()
async def operand_is_taken_once(dut: Any) -> None:
    """In overlap mode: in a step, with the neighbour selected and itself not."""
    await up(dut, **QUIET)
    for step, sel_in, sel in itertools.product((0, 1), repeat=3):
        await operand(dut, 7)
        await selected(dut, sel)
        await operand(dut, 7)
        await pulse(dut, step_i=step, sel_i=sel_in, bus_i=1000)
        # What it holds now: one step with +1.
        await pulse(dut, step_i=1, u_i=1, v_i=1, sum_i=0, sel_i=1)
        assert int(dut.sum_o.value) == (1000 if step and sel_in and not sel else 7)
        BINS.hit(f"load step {step} neighbour {sel_in} own {sel}")


@cocotb.test()
async def enables_and_resets(dut: Any) -> None:
    await up(dut, **QUIET)
    await selected(dut, 1)
    await operand(dut, 5)
    await pulse(dut, step_i=1, v_i=1, sum_i=100, sel_i=1)
    assert int(dut.sum_o.value) == 105
    # Without a step nothing moves.
    await pulse(dut, u_i=1, v_i=1, sum_i=900, sel_i=0)
    assert (int(dut.sum_o.value), int(dut.sel_o.value)) == (105, 1)
    # A reset wins over a step, and clears its own register only.
    await pulse(dut, step_i=1, sel_clr_i=1, v_i=1, sum_i=200, sel_i=1)
    assert (int(dut.sum_o.value), int(dut.sel_o.value)) == (205, 0)
    await pulse(dut, step_i=1, sum_clr_i=1, u_i=1, sum_i=200, sel_i=1, bus_i=5)
    assert (int(dut.sum_o.value), int(dut.sel_o.value)) == (0, 1)
    BINS.hit("resets win over a step")
    await pulse(dut, code_we_i=1, code_i=3)
    await pulse(dut, wipe_i=1, paper_i=1, bus_i=77, code_we_i=1, code_i=1)
    assert int(dut.a_q.value) == 0
    assert int(dut.code_q.value) == 0
    BINS.hit("wipe wins over a write")


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_element() -> None:
    run_bench(block="bfv_crypt", dut="bfv_pe")
