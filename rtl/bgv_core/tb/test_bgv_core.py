"""bgv_core: the device through its buses: programs, seed and run counter, refusals, wipe, reset."""

from __future__ import annotations

import itertools
import json
import os
import random
from dataclasses import replace
from typing import Any

import cocotb
import pytest
from bgv_device import (
    ARMED,
    BUSY,
    CAPS,
    CLEAR,
    CONFIG0,
    CONFIG1,
    CONTROL,
    CONTROL_DONE,
    COUNT,
    CTRL,
    CYCLES_LO,
    DONE,
    ERRCODE,
    ERRORS,
    FACTOR,
    ID,
    IRQ_ENABLE,
    IRQ_STATUS,
    LEVELS,
    OPTIONS,
    PRIMED,
    PROGRAM,
    PSI,
    RESET,
    RUN_COUNTER_HI,
    RUN_COUNTER_LO,
    SEED,
    SENTINEL,
    STATUS,
    Device,
    command,
    open_device,
)
from bgv_host import ADD, DECRYPT, ENCRYPT, KEY_SWITCH, MOD_SWITCH, MULTIPLY
from bgv_model import Bgv, Keys, Polynomial
from cocotb.triggers import ClockCycles, RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiResp

from bench import run_bench
from coverage_bins import Bins
from model.device_randomness import words as keystream

RTL_PARAMETERS = json.loads(os.environ.get("RTL_PARAMETERS", "{}"))
STATES = ("idle", "fetch", "issue", "drain")
BINS = Bins(__file__, "test_bgv_core")


def parameter(name: str, default: int) -> int:
    return int(RTL_PARAMETERS.get(name, default))


LOG_BUFFERS = parameter("LogBuffers", 4)
UNITS = parameter("Units", 7)


def scheme(log_p: int = 1) -> Bgv:
    factors = tuple(f for f in (parameter(f"Q{i}", 257) for i in range(3)) if f != 1)
    psi = parameter("Psi", 3_259_673)
    return Bgv(parameter("LogN", 7), factors, psi, parameter("DigitBits", 13), log_p, True, False)


def numbers(seed: int) -> random.Random:
    return random.Random(1000 * int(os.environ.get("RTL_SEED", "1")) + seed)


async def refused(device: Device, name: str) -> None:
    assert await device.error() == ERRORS[name], name
    BINS.hit(f"refused: {name}")


def uniform(bgv: Bgv, level: int, dice: random.Random) -> list[Polynomial]:
    q = bgv.modulus(level)
    corners = [0, 1, q - 1, q // 2, q // 2 + 1]
    parts = [[dice.randrange(q) for _ in range(bgv.n)] for _ in range(3)]
    parts[2][: len(corners)] = corners
    return parts


async def ready(dut: Any, bgv: Bgv, dice: random.Random, share: float = 0.0) -> tuple[Device, Keys]:
    """A device with keys and options."""
    device = await open_device(dut, bgv, LOG_BUFFERS, dice, share)
    keys = bgv.keys(dice)
    await device.put_keys(keys)
    await device.put_options()
    return device, keys


async def watch_pauses(dut: Any) -> None:
    """Marks the channels on which one side had to wait for the other."""
    every = tuple(itertools.product(("s_axil", "s_axi"), ("aw", "w", "b", "ar", "r")))
    while True:
        await RisingEdge(dut.clk_i)
        for bus, channel in every:
            name = f"back-pressure {bus} {channel}"
            if (
                name in BINS.planned
                and int(getattr(dut, f"{bus}_{channel}valid").value)
                and not int(getattr(dut, f"{bus}_{channel}ready").value)
            ):
                BINS.hit(name)


async def watch_commands(dut: Any) -> None:
    """Marks in which states of the program reset and clear arrive."""
    while True:
        await RisingEdge(dut.clk_i)
        state = STATES[int(dut.u_program.state_q.value)]
        for name, pulse in (("reset", dut.u_csr.soft_reset), ("clear", dut.u_csr.clear)):
            if int(pulse.value):
                BINS.hit(f"{name} in {state}")


@cocotb.test()
async def says_what_it_is(dut: Any) -> None:
    bgv = scheme()
    device = await open_device(dut, bgv, LOG_BUFFERS, numbers(1))
    lanes, top = device.log_lanes, (bgv.q.bit_length() << 8) | bgv.log_n
    address_bits = (2 * device.region - 1).bit_length()
    assert await device.get(ID) == 0x43594303
    assert await device.get(CONFIG0) == top | 8 << 16 | (4 << LOG_BUFFERS) << 24
    assert await device.get(CONFIG1) == UNITS | 1 << 17
    assert await device.get(CAPS) == 1 | 1 << 2 | address_bits << 8 | 1 << 16
    assert await device.get(SENTINEL) == 0x01010101
    sizes = len(bgv.factors) | bgv.digits << 4 | bgv.digit_bits << 8
    log_b = parameter("LogB", 0)
    assert await device.get(LEVELS) == sizes | log_b << 16 | LOG_BUFFERS << 20 | lanes << 24
    factors = [await device.get(FACTOR + 4 * i) for i in range(3)]
    assert tuple(f for f in factors if f != 1) == bgv.factors
    assert await device.get(PSI) == bgv.psi
    assert await device.get(STATUS) == 0


async def whole_programs(device: Device, keys: Keys, dice: random.Random) -> list[int]:
    """Every operation at every level, and encryptions of two runs; cycles of each program."""
    bgv, found = device.bgv, []
    for level in range(bgv.top, -1, -1):
        c, d = uniform(bgv, level, dice), uniform(bgv, level, dice)
        await device.put_buffer(0, c)
        await device.put_buffer(15, d)
        program = [
            command(ADD, 2, 0, 15, level),
            command(MULTIPLY, 3, 0, 15, level),
            command(KEY_SWITCH, 4, 3, level=level),
            command(DECRYPT, 5, 4, level=level),
        ]
        if level:
            program.append(command(MOD_SWITCH, 6, 0, level=level))
        found.append(await device.run(program))
        sums = [bgv.reduce(bgv.add(x, y), level) for x, y in zip(c, d, strict=True)]
        product = bgv.tensor(c, d, level)
        switched = bgv.key_switch(keys, product, level)
        assert await device.get_buffer(2, 3) == sums
        assert await device.get_buffer(3, 3) == product
        assert await device.get_buffer(4, 2) == switched
        assert await device.get_buffer(5, 1) == [bgv.decrypt(keys, switched, level)]
        if level:
            assert await device.get_buffer(6, 3) == bgv.mod_switch(c, level)
        BINS.hit(f"level {level}")
    seed = dice.randbytes(32)
    await device.put_seed(seed)
    await device.put_counter(41)
    for run in (41, 42):  # the device goes on to the next counter by itself
        messages = [[dice.randrange(bgv.p) for _ in range(bgv.n)] for _ in range(3)]
        for k, message in enumerate(messages):
            await device.put_buffer(k, [message])
        program = [command(ENCRYPT, 8 + k, k, level=bgv.top) for k in range(3)]
        program += [command(DECRYPT, k, 8 + k, level=bgv.top) for k in range(3)]
        assert await device.get(STATUS) & ARMED
        while not await device.get(STATUS) & PRIMED:
            pass
        found.append(await device.run(program))
        for k, message in enumerate(messages):
            stream = keystream(seed, run, k, 2 * bgv.n)
            assert await device.get_buffer(8 + k, 2) == bgv.encrypt(keys, message, stream)
            assert await device.get_buffer(k, 1) == [message]
    BINS.hit("the next run counter")
    assert await device.error() == 0
    return found


@cocotb.test()
async def every_operation(dut: Any) -> None:
    dice = numbers(2)
    device, keys = await ready(dut, scheme(), dice)
    found = {tuple(await whole_programs(device, keys, dice))}
    keys = device.bgv.keys(dice)
    await device.put_keys(keys)
    found.add(tuple(await whole_programs(device, keys, dice)))
    assert len(found) == 1, f"data or keys change the cycles: {found}"
    BINS.hit("two keys, the same cycles")


@cocotb.test()
async def with_pauses(dut: Any) -> None:
    dice = numbers(3)
    cocotb.start_soon(watch_pauses(dut))
    device, keys = await ready(dut, scheme(), dice, share=0.4)
    await whole_programs(device, keys, dice)


@cocotb.test()
async def other_options(dut: Any) -> None:
    """Unsigned digits, ternary noise, a larger plaintext modulus, the fewest units."""
    dice = numbers(4)
    bgv = replace(scheme(5), signed_digits=False, ternary_noise=True)
    device, keys = await ready(dut, bgv, dice)
    c = uniform(bgv, bgv.top, dice)
    message = [dice.randrange(bgv.p) for _ in range(bgv.n)]
    seed = dice.randbytes(32)
    await device.put_seed(seed)
    await device.put_counter(0)
    await device.put_buffer(0, c)
    await device.put_buffer(1, [message])
    await device.put_options(ring=2 + bgv.digits)
    await device.run(
        [command(KEY_SWITCH, 2, 0, level=bgv.top), command(ENCRYPT, 3, 1, level=bgv.top)]
    )
    assert await device.get_buffer(2, 2) == bgv.key_switch(keys, c, bgv.top)
    stream = keystream(seed, 0, 0, 2 * bgv.n)
    assert await device.get_buffer(3, 2) == bgv.encrypt(keys, message, stream)
    BINS.hit("fewer units")


@cocotb.test()
async def refuses_wrong_starts(dut: Any) -> None:
    bgv = scheme()
    device, _ = await ready(dut, bgv, numbers(5))
    await device.put_program([command(ADD, 0, 1, 2)])
    for count in (0, 65, 127):
        await device.put(COUNT, count)
        await device.start()
        await refused(device, "COUNT_RANGE")
        assert not await device.get(STATUS) & (BUSY | DONE)
    await device.put(COUNT, 1)
    for options in (0, 9, 1 | 1 << 8, 1 | (UNITS + 1) << 8):
        await device.put(OPTIONS, options)
        await device.start()
        await refused(device, "OPTION_RANGE")
        assert not await device.get(STATUS) & (BUSY | DONE)
    # Start is an edge: the level alone starts nothing more.
    await device.put_options()
    await device.start()
    await device.idle()
    await device.put(STATUS, DONE)
    await device.put(CONTROL, 1 << 6)
    assert not await device.get(STATUS) & (BUSY | DONE)
    BINS.hit("start is an edge")


@cocotb.test()
async def refuses_wrong_commands(dut: Any) -> None:
    """The commands before the wrong one are run, it and those after are not."""
    bgv = scheme()
    dice = numbers(6)
    device, _ = await ready(dut, bgv, dice)
    top = bgv.top
    wrong = {
        "BAD_COMMAND": [
            command(0, 1, 0),
            command(15, 1, 0),
            command(ADD, 1, 0, 0, top + 1),
            command(MOD_SWITCH, 1, 0, level=0),
            command(ENCRYPT, 1, 0, level=top - 1 if top else 1),
        ],
        "NO_SEED": [command(ENCRYPT, 1, 0, level=top)],
    }
    for name, commands in wrong.items():
        for word in commands:
            c = uniform(bgv, 0, dice)
            await device.put_buffer(0, c)
            await device.put_buffer(1, c)
            await device.run([command(ADD, 2, 0, 0), word, command(ADD, 1, 0, 0)])
            await refused(device, name)
            assert await device.get_buffer(1, 3) == c
            assert await device.get_buffer(2, 3) == [bgv.reduce(bgv.add(x, x), 0) for x in c]
    await device.put_options(ring=2)
    await device.run([command(MULTIPLY, 1, 0, 0)])
    await refused(device, "OPTION_RANGE")
    await device.put_options()
    await device.put_seed(dice.randbytes(32))
    await device.put_counter(0)
    await device.put_buffer(0, [[0] * bgv.n])
    await device.run([command(ENCRYPT, 1, 0, level=top)] * 16)
    assert await device.error() == 0
    BINS.hit("16 encryptions")
    await device.run([command(ENCRYPT, 1, 0, level=top)] * 17)
    await refused(device, "TOO_MANY")


@cocotb.test()
async def seed_and_run_counter(dut: Any) -> None:
    bgv = scheme()
    dice = numbers(7)
    device, keys = await ready(dut, bgv, dice)
    await device.put(SEED, 1)
    await device.put_counter(0)
    await refused(device, "NO_SEED")  # one word of eight
    seed = dice.randbytes(32)
    await device.put_seed(seed)
    await device.put_counter((1 << 64) - 1)
    await refused(device, "COUNTER_EXHAUSTED")
    assert not await device.get(STATUS) & ARMED
    await device.put_counter(7 << 32 | 5)
    assert await device.get(STATUS) & ARMED
    await device.put_counter(7 << 32 | 4)
    await refused(device, "COUNTER_REUSED")
    message = [dice.randrange(bgv.p) for _ in range(bgv.n)]
    for counter in (7 << 32 | 5, (1 << 64) - 2):
        if counter >> 63:
            await device.put_counter(counter)
        await device.put_buffer(0, [message])
        await device.run([command(ENCRYPT, 1, 0, level=bgv.top)])
        stream = keystream(seed, counter, 0, 2 * bgv.n)
        assert await device.get_buffer(1, 2) == bgv.encrypt(keys, message, stream)
    assert not await device.get(STATUS) & ARMED
    await device.run([command(ENCRYPT, 1, 0, level=bgv.top)])
    await refused(device, "NO_SEED")
    BINS.hit("the last run counter")
    await device.put_seed(dice.randbytes(32))  # a new seed may begin anew
    await device.put_counter(0)
    assert await device.get(STATUS) & ARMED
    assert await device.error() == 0


@cocotb.test()
async def refuses_illegal_registers(dut: Any) -> None:
    """Writes of what can only be read, reads of secrets, and places in between."""
    device = await open_device(dut, scheme(), LOG_BUFFERS, numbers(8))
    readable = [ID, CONFIG0, CONFIG1, CAPS, ERRCODE, CYCLES_LO, LEVELS, FACTOR, PSI]
    unmapped = [0x34, 0x3C, 0x68, 0x7C, 0xA0, 0xFC]
    before = {address: await device.get(address) for address in readable}
    for address in [*readable, *unmapped]:
        assert await device.write(address, 0xFFFF_FFFF) is AxiResp.SLVERR, hex(address)
    for address in [SEED, SEED + 28, RUN_COUNTER_LO, RUN_COUNTER_HI, PROGRAM, *unmapped]:
        assert await device.read(address) == (AxiResp.SLVERR, 0), hex(address)
    assert before == {address: await device.get(address) for address in readable}
    assert await device.write(PROGRAM, 1, size=2) is AxiResp.SLVERR
    await refused(device, "DATA_ADDRESS")


@cocotb.test()
async def refuses_window_misuse(dut: Any) -> None:
    bgv = scheme()
    dice = numbers(9)
    device, keys = await ready(dut, bgv, dice)
    c = uniform(bgv, bgv.top, dice)
    await device.put_buffer(0, c)
    lanes = 1 << device.log_lanes
    resp, found = await device.load(1, 2 * lanes, 2)
    assert (resp, found) == (AxiResp.SLVERR, [0, 0]), "a key was read"
    await refused(device, "DATA_ADDRESS")
    outside = [(0, 3), (1, 3 * lanes)]  # part 3, set 3
    if 2 * bgv.digits < lanes:
        outside.append((1, lanes - 1))
    for region, number in outside:
        await device.store(region, number, [1])
        await refused(device, "DATA_ADDRESS")
    await device.store(0, 0, [bgv.q])
    await refused(device, "WORD_RANGE")
    assert await device.get_buffer(0, 3) == [[0, *c[0][1:]], *c[1:]]
    await device.store(0, 0, [bgv.q - 1])
    assert await device.error() == 0
    await device.put_buffer(0, c)
    await device.run([command(DECRYPT, 1, 0, level=bgv.top)])
    assert await device.get_buffer(1, 1) == [bgv.decrypt(keys, c, bgv.top)]


@cocotb.test()
async def refuses_access_while_busy(dut: Any) -> None:
    bgv = scheme()
    dice = numbers(10)
    device, keys = await ready(dut, bgv, dice)
    c = uniform(bgv, bgv.top, dice)
    await device.put_buffer(0, c)
    program = [command(KEY_SWITCH, 1 + k % 8, 0, level=bgv.top) for k in range(64)]
    await device.put_program(program)
    for address, value in [(COUNT, 1), (SEED, 0), (PROGRAM, 0), (CONTROL, 0), (OPTIONS, 1)]:
        await device.start()
        assert await device.write(address, value) is AxiResp.SLVERR
        await refused(device, "BUSY_REGISTER")
        await device.idle()
    await device.start()
    assert await device.store(0, 0, [0]) is AxiResp.SLVERR
    await refused(device, "BUSY_DATA")
    resp, _ = await device.load(0, 0, 1)
    assert resp is AxiResp.SLVERR
    await refused(device, "BUSY_DATA")
    await device.idle()
    BINS.hit("64 commands")
    for k in range(8):
        assert await device.get_buffer(1 + k, 2) == bgv.key_switch(keys, c, bgv.top)


@cocotb.test()
async def reset_at_any_time(dut: Any) -> None:
    """A run given up leaves the device ready; keys are kept, a begun run counter is spent."""
    bgv = scheme()
    dice = numbers(11)
    cocotb.start_soon(watch_commands(dut))
    device, keys = await ready(dut, bgv, dice)
    seed = dice.randbytes(32)
    await device.put_seed(seed)
    await device.put_counter(0)
    await device.put(CONTROL, RESET)
    message = [dice.randrange(bgv.p) for _ in range(bgv.n)]
    counter = 0
    for wait in (*range(0, 12), *range(12, 40 * bgv.n, 7 * bgv.n)):
        c = uniform(bgv, bgv.top, dice)
        await device.put_buffer(0, c)
        await device.put_buffer(1, [message])
        await device.put_program([command(MULTIPLY, 2, 0, 0, bgv.top)] * 5)
        await device.start()
        await ClockCycles(dut.clk_i, wait)
        await device.put(CONTROL, RESET)
        assert not await device.get(STATUS) & BUSY
        assert not await device.get(CONTROL) & CONTROL_DONE
        await device.put(STATUS, DONE)
        # Given up with an encryption in it.
        await device.put_program([command(ENCRYPT, 3, 1, level=bgv.top)] * 9)
        await device.start()
        await ClockCycles(dut.clk_i, 4 * bgv.n)
        await device.put(CONTROL, RESET)
        await device.idle()
        await device.put(STATUS, DONE)
        counter += 1
        await device.put_buffer(0, c)
        program = [command(KEY_SWITCH, 2, 0, level=bgv.top), command(ENCRYPT, 3, 1, 0, bgv.top)]
        await device.run(program)
        assert await device.get_buffer(2, 2) == bgv.key_switch(keys, c, bgv.top)
        stream = keystream(seed, counter, 0, 2 * bgv.n)
        assert await device.get_buffer(3, 2) == bgv.encrypt(keys, message, stream)
        counter += 1
        assert await device.error() == 0


@cocotb.test()
async def clear_wipes(dut: Any) -> None:
    """Clear in every state: idle (None), and so many cycles after a start."""
    bgv = scheme()
    dice = numbers(12)
    cocotb.start_soon(watch_commands(dut))
    device, keys = await ready(dut, bgv, dice)
    zero = [0] * bgv.n
    for wait in (None, 0, 1, 2, 3, 4, 5, 6, *range(8 * bgv.n, 32 * bgv.n, 4 * bgv.n)):
        await device.put_keys(keys)
        await device.put_options()
        await device.put_seed(dice.randbytes(32))
        await device.put_counter(0)
        for k in range(1 << LOG_BUFFERS):
            await device.put_buffer(k, uniform(bgv, bgv.top, dice))
        if wait is not None:
            await device.put_program([command(MULTIPLY, 2, 0, 1, bgv.top)] * 5)
            await device.start()
            await ClockCycles(dut.clk_i, wait)
        await device.put(CTRL, CLEAR)
        assert await device.get(STATUS) & BUSY
        # A reset does not cut the wipe short.
        await device.put(CONTROL, RESET)
        assert await device.write(COUNT, 1) is AxiResp.SLVERR
        await device.idle()
        await refused(device, "BUSY_REGISTER")
        assert not await device.get(STATUS) & (ARMED | PRIMED)
        for k in range(1 << LOG_BUFFERS):
            assert await device.get_buffer(k, 3) == [zero] * 3
        # No key is left: a key switch of anything adds nothing, a decryption sees c0 alone.
        await device.put_options()
        c = uniform(bgv, bgv.top, dice)
        await device.put_buffer(0, c)
        await device.run(
            [command(KEY_SWITCH, 1, 0, level=bgv.top), command(DECRYPT, 2, 0, level=bgv.top)]
        )
        assert await device.get_buffer(1, 2) == c[:2]
        assert await device.get_buffer(2, 1) == [bgv.decrypt(keys, [c[0], zero], bgv.top)]
        await device.run([command(ENCRYPT, 3, 0, level=bgv.top)])
        await refused(device, "NO_SEED")


@cocotb.test()
async def interrupts(dut: Any) -> None:
    device, _ = await ready(dut, scheme(), numbers(13))
    await device.put_buffer(0, uniform(device.bgv, 0, numbers(14)))
    await device.run([command(ADD, 1, 0, 0)])
    assert not int(dut.irq_o.value), "not enabled"
    await device.put(IRQ_STATUS, 3)
    await device.put(IRQ_ENABLE, 1)
    await device.start()
    await with_timeout(RisingEdge(dut.irq_o), 20, "us")
    assert await device.get(IRQ_STATUS) == 1
    BINS.hit("interrupt done")
    await device.put(IRQ_STATUS, 1)
    await ClockCycles(dut.clk_i, 3)
    assert not int(dut.irq_o.value)
    await device.put(IRQ_ENABLE, 2)
    await device.put(COUNT, 0)
    await device.start()
    await with_timeout(RisingEdge(dut.irq_o), 20, "us")
    assert await device.get(IRQ_STATUS) == 2
    BINS.hit("interrupt error")


@cocotb.test()
async def plan_is_covered(dut: Any) -> None:
    """The last test: every bin of coverage.yaml was reached by those before."""
    dut.rst_ni.value = 0
    await Timer(1, "ns")
    BINS.check()


@pytest.mark.parametrize("configuration", ["toy16"])
def test_bgv_core(configuration: str) -> None:
    run_bench(block="bgv_core", dut="bgv_core", configuration=configuration)
