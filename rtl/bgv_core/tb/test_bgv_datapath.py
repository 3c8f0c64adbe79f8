"""bgv_datapath: every command at every level against the definition, programs, cycles."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
import pytest
from bgv_host import (
    A_EVALUATIONS,
    ADD,
    B_EVALUATIONS,
    CONVERT,
    DECRYPT,
    ENCRYPT,
    EVALUATIONS,
    KEY_SWITCH,
    MOD_SWITCH,
    MULTIPLY,
    THIRD,
    Host,
)
from bgv_model import Bgv, Keys
from cocotb.triggers import FallingEdge
from cocotb.utils import get_sim_time

from bench import run_bench

RTL_PARAMETERS = json.loads(os.environ.get("RTL_PARAMETERS", "{}"))


def parameter(name: str, default: int) -> int:
    return int(RTL_PARAMETERS.get(name, default))


def scheme(log_p: int = 1, *, signed: bool = True, ternary: bool = True) -> Bgv:
    factors = [parameter(f"Q{i}", 257) for i in range(3)]
    return Bgv(
        parameter("LogN", 7),
        tuple(factor for factor in factors if factor != 1),
        parameter("Psi", 3_259_673),
        parameter("DigitBits", 13),
        log_p,
        signed,
        ternary,
    )


async def begin(dut: Any, bgv: Bgv, dice: random.Random) -> tuple[Host, Keys]:
    host = Host(dut, bgv, parameter("LogB", 0), parameter("Units", 7))
    await host.start()
    keys = bgv.keys(dice)
    await host.load_keys(keys)
    host.feeder = cocotb.start_soon(host.feed(dice))
    return host, keys


def uniform(bgv: Bgv, level: int, dice: random.Random, parts: int = 3) -> list[list[int]]:
    q = bgv.modulus(level)
    corners = [0, 1, q - 1, q // 2, q // 2 + 1]
    return [
        (corners + [dice.randrange(q) for _ in range(bgv.n)])[: bgv.n]
        if part % 2 == 0
        else [dice.randrange(q) for _ in range(bgv.n)]
        for part in range(parts)
    ]


@cocotb.test()
async def every_command_at_every_level(dut: Any) -> None:
    dice = random.Random(1)
    for log_p, signed, ternary in ((1, True, True), (5, False, True), (8, True, False)):
        bgv = scheme(log_p, signed=signed, ternary=ternary)
        host, keys = await begin(dut, bgv, dice)
        for level in range(bgv.top, -1, -1):
            c, d = uniform(bgv, level, dice), uniform(bgv, level, dice)
            await host.write(0, c)
            await host.write(1, d)
            await host.command(ADD, 2, 0, 1, level)
            await host.command(MULTIPLY, 3, 0, 1, level)
            await host.command(KEY_SWITCH, 4, 0, level=level)
            await host.command(DECRYPT, 5, 0, level=level)
            if level:
                await host.command(MOD_SWITCH, 6, 0, level=level)
            await host.idle()
            sums = [bgv.add(x, y) for x, y in zip(c, d, strict=True)]
            where = f"level {level}, p = {bgv.p}"
            assert await host.read(2, 3) == [bgv.reduce(x, level) for x in sums], where
            assert await host.read(3, 3) == bgv.tensor(c, d, level), where
            assert await host.read(4, 2) == bgv.key_switch(keys, c, level), where
            assert await host.read(5, 1) == [bgv.decrypt(keys, c, level)], where
            if level:
                assert await host.read(6, 3) == bgv.mod_switch(c, level), where
        host.feeder.cancel()


@cocotb.test()
async def every_form(dut: Any) -> None:
    """Operands and results as evaluations, at every level, against the same definition."""
    dice = random.Random(7)
    bgv = scheme(3, ternary=False)
    host, keys = await begin(dut, bgv, dice)
    both = A_EVALUATIONS | B_EVALUATIONS
    for level in range(bgv.top, -1, -1):
        c, d = uniform(bgv, level, dice), uniform(bgv, level, dice)
        await host.write(0, c)
        await host.write(1, d)
        await host.command(CONVERT, 2, 0, level=level, forms=EVALUATIONS)
        await host.command(CONVERT, 3, 1, level=level, forms=EVALUATIONS)
        products = {
            4: (0, 1, EVALUATIONS),
            5: (0, 3, B_EVALUATIONS | EVALUATIONS),
            6: (2, 3, both | EVALUATIONS),
            7: (2, 3, both),
            8: (0, 3, B_EVALUATIONS),
        }
        for dst, (a, b, forms) in products.items():
            await host.command(MULTIPLY, dst, a, b, level, forms)
        for dst in (4, 5, 6):
            await host.command(CONVERT, dst, dst, level=level, forms=A_EVALUATIONS | THIRD)
        await host.command(KEY_SWITCH, 9, 4, level=level, forms=A_EVALUATIONS | EVALUATIONS)
        await host.command(ADD, 10, 5, 6, level)
        await host.command(DECRYPT, 11, 9, level=level, forms=A_EVALUATIONS)
        for dst in (4, 5, 6, 9, 10):
            await host.command(CONVERT, dst, dst, level=level, forms=A_EVALUATIONS)
        await host.command(CONVERT, 2, 2, level=level, forms=A_EVALUATIONS)
        await host.idle()
        product = bgv.tensor(c, d, level)
        switched = bgv.key_switch(keys, product, level)
        for dst in products:
            assert await host.read(dst, 3) == product, f"level {level}, product {dst}"
        assert await host.read(2, 2) == c[:2]
        assert await host.read(9, 2) == switched, f"level {level}"
        twice = [bgv.reduce(bgv.add(x, x), level) for x in product]
        assert await host.read(10, 3) == twice, f"level {level}"
        assert await host.read(11, 1) == [bgv.decrypt(keys, switched, level)], f"level {level}"
    for k in range(3):  # an encryption of either form uses its own stream
        message = [dice.randrange(bgv.p) for _ in range(bgv.n)]
        await host.write(k, [message])
        await host.command(ENCRYPT, k, k, level=bgv.top, forms=EVALUATIONS if k != 1 else 0)
        if k != 1:
            await host.command(CONVERT, k, k, level=bgv.top, forms=A_EVALUATIONS)
        await host.idle()
        assert await host.read(k, 2) == bgv.encrypt(keys, message, host.words_of(k)), k


@cocotb.test()
async def encryptions_decrypt(dut: Any) -> None:
    dice = random.Random(2)
    for log_p, ternary in ((5, True), (1, False)):
        bgv = scheme(log_p, ternary=ternary)
        host, keys = await begin(dut, bgv, dice)
        host.pause = 0.3 * ternary
        messages = [[dice.randrange(bgv.p) for _ in range(bgv.n)] for _ in range(3)]
        for k, message in enumerate(messages):
            await host.write(k, [message])
        for k in range(3):
            await host.command(ENCRYPT, 3 + k, k, level=bgv.top)
        for k in range(3):
            await host.command(DECRYPT, k, 3 + k, level=bgv.top)
        await host.idle()
        for k, message in enumerate(messages):
            expected = bgv.encrypt(keys, message, host.words_of(k))
            assert await host.read(3 + k, 2) == expected, f"message {k}"
            assert await host.read(k, 1) == [bgv.decrypt(keys, expected, bgv.top)]
            assert bgv.decrypt(keys, expected, bgv.top) == message
        host.feeder.cancel()


@cocotb.test()
async def leveled_circuit(dut: Any) -> None:
    """Add, multiply, key switch, mod switch, add, decrypt a level below; nothing read between."""
    dice = random.Random(3)
    bgv = scheme(1)
    if bgv.top == 0:
        return
    host, _ = await begin(dut, bgv, dice)
    messages = [[dice.randrange(bgv.p) for _ in range(bgv.n)] for _ in range(3)]
    for k, message in enumerate(messages):
        await host.write(k, [message])
        await host.command(ENCRYPT, k, k, level=bgv.top)
    top = bgv.top
    await host.command(ADD, 3, 0, 1, top)
    await host.command(MULTIPLY, 4, 3, 2, top)
    await host.command(KEY_SWITCH, 4, 4, level=top)
    await host.command(MOD_SWITCH, 4, 4, level=top)
    await host.command(MOD_SWITCH, 5, 0, level=top)
    await host.command(ADD, 5, 4, 5, top - 1)
    await host.command(DECRYPT, 6, 5, level=top - 1)
    await host.idle()
    sums = [x + y for x, y in zip(messages[0], messages[1], strict=True)]
    product = bgv.ring.product(sums, messages[2])
    expected = [
        ((v if v <= bgv.q // 2 else v - bgv.q) + m) % bgv.p
        for v, m in zip(product, messages[0], strict=True)
    ]
    assert await host.read(6, 1) == [expected]


@cocotb.test()
async def chains_at_any_time(dut: Any) -> None:
    """A circuit again and again, begun at any moment of the drawing of randomness."""
    dice = random.Random(9)
    bgv = scheme(1)
    host, keys = await begin(dut, bgv, dice)
    top = bgv.top
    for turn in range(30):
        messages = [[dice.randrange(bgv.p) for _ in range(bgv.n)] for _ in range(2)]
        for k, message in enumerate(messages):
            await host.write(k, [message])
        for _ in range(dice.randrange(2 * bgv.n)):
            await FallingEdge(dut.clk_i)
        await host.command(ENCRYPT, 4, 0, level=top)
        await host.command(ENCRYPT, 5, 1, level=top)
        await host.command(MULTIPLY, 4, 4, 5, top)
        await host.command(KEY_SWITCH, 4, 4, level=top)
        await host.command(DECRYPT, 0, 4, level=top)
        await host.idle()
        c, d = (
            bgv.encrypt(keys, message, host.words_of(2 * turn + k))
            for k, message in enumerate(messages)
        )
        product = bgv.key_switch(keys, bgv.tensor(c, d, top), top)
        assert await host.read(0, 1) == [bgv.decrypt(keys, product, top)], f"turn {turn}"


@cocotb.test()
async def random_programs(dut: Any) -> None:
    """Commands on random buffers, hazards of every kind; the state is that of a run in order."""
    dice = random.Random(4)
    bgv = scheme(3)
    host, keys = await begin(dut, bgv, dice)
    buffers = [uniform(bgv, 0, dice) for _ in range(8)]
    for k, parts in enumerate(buffers):
        await host.write(k, parts)
    for _ in range(40):
        op = dice.choice((ADD, MULTIPLY, KEY_SWITCH, DECRYPT))
        dst, a, b = (dice.randrange(8) for _ in range(3))
        await host.command(op, dst, a, b, 0)
        if dice.random() < 0.3:
            for _ in range(dice.randrange(3 * bgv.n)):
                await FallingEdge(dut.clk_i)
        c, d = buffers[a], buffers[b]
        new = list(buffers[dst])
        if op == ADD:
            new = [bgv.reduce(bgv.add(x, y), 0) for x, y in zip(c, d, strict=True)]
        elif op == MULTIPLY:
            new = bgv.tensor(c, d, 0)
        elif op == KEY_SWITCH:
            new[:2] = bgv.key_switch(keys, c, 0)
        else:
            new[0] = bgv.decrypt(keys, c, 0)
        buffers[dst] = new
    await host.idle()
    for k, parts in enumerate(buffers):
        assert await host.read(k, 3) == parts, f"buffer {k}"


@cocotb.test()
async def random_forms(dut: Any) -> None:
    """Random programs over buffers of either form, hazards of every kind."""
    dice = random.Random(8)
    bgv = scheme(3)
    host, keys = await begin(dut, bgv, dice)
    buffers = [uniform(bgv, 0, dice) for _ in range(6)]
    values = [[False, False] for _ in buffers]  # parts 0 and 1, part 2 are kept as evaluations
    for k, parts in enumerate(buffers):
        await host.write(k, parts)
    ran: dict[int, int] = {}
    while sum(ran.values()) < 80:
        op = dice.choice((ADD, MULTIPLY, MULTIPLY, KEY_SWITCH, DECRYPT, CONVERT, CONVERT, CONVERT))
        dst, a, b = (dice.randrange(6) for _ in range(3))
        if op == MULTIPLY and values[a][0] and not values[b][0]:
            a, b = b, a
        c, d, new, kept = buffers[a], buffers[b], list(buffers[dst]), list(values[dst])
        forms = (A_EVALUATIONS if values[a][0] else 0) | (B_EVALUATIONS if values[b][0] else 0)
        if op == ADD:
            if values[a] != values[b]:
                continue
            new = [bgv.reduce(bgv.add(x, y), 0) for x, y in zip(c, d, strict=True)]
            kept, forms = list(values[a]), 0
        elif op == MULTIPLY:
            keep = dice.random() < 0.7
            new, kept = bgv.tensor(c, d, 0), [keep, keep]
            forms |= EVALUATIONS if keep else 0
        elif op == KEY_SWITCH:
            if values[a][1]:
                continue
            new[:2] = bgv.key_switch(keys, c, 0)
            kept[0] = values[a][0]
            forms = A_EVALUATIONS | EVALUATIONS if values[a][0] else 0
        elif op == DECRYPT:
            if kept[0]:  # part 1 stays as it is
                continue
            new[0] = bgv.decrypt(keys, c, 0)
            forms &= A_EVALUATIONS
        elif values[a][1] and dice.random() < 0.5:
            new[2], kept[1], forms = c[2], False, A_EVALUATIONS | THIRD
        else:
            new[:2], kept[0] = c[:2], not values[a][0]
            forms = A_EVALUATIONS if values[a][0] else EVALUATIONS
        await host.command(op, dst, a, b, 0, forms)
        ran[op] = ran.get(op, 0) + 1
        if dice.random() < 0.2:
            for _ in range(dice.randrange(3 * bgv.n)):
                await FallingEdge(dut.clk_i)
        buffers[dst], values[dst] = new, kept
    assert len(ran) == 5
    for k, (first, last) in enumerate(values):
        if first:
            await host.command(CONVERT, k, k, forms=A_EVALUATIONS)
        if last:
            await host.command(CONVERT, k, k, forms=A_EVALUATIONS | THIRD)
    await host.idle()
    for k, parts in enumerate(buffers):
        assert await host.read(k, 3) == parts, f"buffer {k}"


@cocotb.test()
async def reset_in_the_middle(dut: Any) -> None:
    dice = random.Random(5)
    bgv = scheme(2)
    host, keys = await begin(dut, bgv, dice)
    c, d = uniform(bgv, 0, dice), uniform(bgv, 0, dice)
    for moment in (1, bgv.n // 2, 2 * bgv.n, 7 * bgv.n):
        await host.write(0, c)
        await host.write(1, d)
        await host.command(MULTIPLY, 2, 0, 1, 0)
        for _ in range(moment):
            await FallingEdge(dut.clk_i)
        await host.reset()
        await host.load_keys(keys)
        await host.write(0, c)
        await host.write(1, d)
        await host.command(MULTIPLY, 2, 0, 1, 0)
        await host.idle()
        assert await host.read(2, 3) == bgv.tensor(c, d, 0)


def now() -> int:
    return round(get_sim_time("ns") / 10)


@cocotb.test()
async def cycles(dut: Any) -> None:
    """Sustained rates with the units the goals allow, and one chain of operations."""
    dice = random.Random(6)
    bgv = scheme(1)
    host, _ = await begin(dut, bgv, dice)
    for k in range(16):
        await host.write(k, uniform(bgv, bgv.top, dice))
    top, found = bgv.top, {}
    ways = {"multiply": (MULTIPLY, 7), "key switch": (KEY_SWITCH, 2 + bgv.digits),
            "encrypt": (ENCRYPT, 3), "decrypt": (DECRYPT, 2), "add": (ADD, 7)}  # fmt: skip
    if top:
        ways["mod switch"] = (MOD_SWITCH, 7)
    if parameter("Units", 7) >= 12:
        ways["multiply, 12 units"] = (MULTIPLY, 12)
    for name, (op, ring) in ways.items():
        dut.ring_i.value = ring
        for _ in range(5 * bgv.n):  # samples are drawn ahead
            await FallingEdge(dut.clk_i)
        accepted = []
        # The queues hold a few commands more than run; after them, what is accepted has room.
        for k in range(26):
            await host.command(op, k % 4, 4 + k % 2, 6 + k % 2, top)
            accepted.append(now())
        found[name] = (accepted[-1] - accepted[13]) / 12
        await host.idle()
    dut.ring_i.value = parameter("Units", 7)
    started = now()
    await host.command(ENCRYPT, 1, 0, level=top)
    await host.command(ENCRYPT, 2, 0, level=top)
    await host.command(MULTIPLY, 3, 1, 2, top)
    await host.command(KEY_SWITCH, 3, 3, level=top)
    await host.command(DECRYPT, 4, 3, level=top)
    await host.idle()
    found["encrypt, multiply, key switch, decrypt in order"] = now() - started
    dut.ring_i.value = parameter("Units", 7)
    for _ in range(5 * bgv.n):
        await FallingEdge(dut.clk_i)
    started = now()
    both = A_EVALUATIONS | B_EVALUATIONS | EVALUATIONS
    await host.command(ENCRYPT, 1, 0, level=top, forms=EVALUATIONS)
    await host.command(ENCRYPT, 2, 0, level=top, forms=EVALUATIONS)
    await host.command(MULTIPLY, 3, 1, 2, top, both)
    await host.command(CONVERT, 3, 3, level=top, forms=A_EVALUATIONS | THIRD)
    await host.command(KEY_SWITCH, 3, 3, level=top, forms=A_EVALUATIONS | EVALUATIONS)
    await host.command(DECRYPT, 4, 3, level=top, forms=A_EVALUATIONS)
    await host.idle()
    found["the same, kept as evaluations"] = now() - started
    if parameter("Units", 7) >= 17:
        # One whole circuit after another, a step of each of seven in turn: what a command reads was
        # begun two turns before, and none waits.
        ends = []
        for turn in range(14):
            first, result = 2 * (turn % 3), [6 + (turn - back) % 5 for back in (2, 4, 6)]
            await host.command(ENCRYPT, first, 15, level=top)
            await host.command(ENCRYPT, first + 1, 15, level=top)
            factor = 2 * ((turn - 2) % 3)
            await host.command(MULTIPLY, result[0], factor, factor + 1, top)
            await host.command(KEY_SWITCH, result[1], result[1], level=top)
            await host.command(DECRYPT, result[2], result[2], level=top)
            ends.append(now())
        await host.idle()
        found["encrypt, multiply, key switch, decrypt, sustained"] = (ends[-1] - ends[7]) / 6
    for name, count in found.items():
        dut._log.info("cycles: %s %.1f", name, count)
    if (bgv.log_n, parameter("LogB", 0)) == (7, 0):
        assert found["multiply"] <= 512
        assert found["key switch"] <= 512
        assert found["encrypt"] <= 512
        sustained = "encrypt, multiply, key switch, decrypt, sustained"
        assert found.get("multiply, 12 units", 0) <= 300
        assert found.get(sustained, 0) <= 512
        assert found["add"] <= 128
        assert found["mod switch"] <= 160
        assert found["encrypt, multiply, key switch, decrypt in order"] <= 3900
        assert found["the same, kept as evaluations"] <= 2600


PAPER = {"LogN": 7, "Q0": 257, "Q1": 257, "Q2": 257, "Psi": 3_259_673}
N256 = {"LogN": 8, "Q0": 12_289, "Q1": 10_753, "Q2": 1, "Psi": 131_541_459, "DigitBits": 9}
N4096 = {"LogN": 12, "LogB": 3, "Q0": 134_176_769, "Q1": 1, "Q2": 1, "Psi": 24_149, "DigitBits": 9}
TOY = {"LogN": 4, "Q0": 257, "Q1": 257, "Q2": 257, "Psi": pow(3_259_673, 8, 257**3)}


@pytest.mark.parametrize(
    "parameters",
    [
        TOY,
        PAPER,
        pytest.param(PAPER | {"DigitBits": 6}, marks=pytest.mark.full),
        pytest.param(PAPER | {"LogB": 1}, marks=pytest.mark.full),
        pytest.param(PAPER | {"LogB": 2}, marks=pytest.mark.full),
        pytest.param(PAPER | {"Units": 20}, marks=pytest.mark.full),
        pytest.param(N256, marks=pytest.mark.full),
        pytest.param(N4096, marks=pytest.mark.full),
    ],
    ids=[
        "toy16",
        "paper_128",
        "paper_128_w6",
        "paper_128_b2",
        "paper_128_b4",
        "paper_128_u20",
        "n256",
        "n4096_b8",
    ],
)
def test_bgv_datapath(parameters: dict[str, int]) -> None:
    run_bench(block="bgv_core", dut="bgv_datapath", parameters=parameters)
