"""bfv_crypt through its buses: refusals, resets, wiping, what happens ahead of a start."""

from __future__ import annotations

from typing import Any

import cocotb
import crypt_model as model
import numpy as np
import pytest
from cocotb.triggers import ClockCycles
from crypt_case import SEED_BYTES, Case, refused
from crypt_host import (
    ARMED,
    BAD_CODE,
    BUSY,
    BUSY_DATA,
    BUSY_REGISTER,
    CLEAR,
    CONTROL,
    COUNT_ODD,
    COUNTER_EXHAUSTED,
    COUNTER_REUSED,
    CTRL,
    DATA_ADDRESS,
    DECRYPT,
    IRQ_ENABLE,
    IRQ_STATUS,
    KEY_LOADED,
    MODE,
    MULTIPLIER,
    NO_SEED,
    NONE,
    PRIMED,
    SEED,
    SEED_ZERO,
    START,
    Host,
    N,
    RefusedError,
    overlap_cycles,
)

from bench import run_bench
from coverage_bins import Bins

BINS = Bins(__file__, "test_bfv_crypt_commands")


@cocotb.test()
async def start_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(80)
    await host.start(2)
    await refused(host, NO_SEED)
    BINS.hit("NO_SEED")
    await host.soft_reset()
    await host.seed(SEED_BYTES, 0)
    for primed in (False, True):
        if primed:
            await case.load_key(host)
            await host.write(CTRL, KEY_LOADED)
            await host.until_primed()
        for polys in (1, 31):
            await host.start(polys)
            await refused(host, COUNT_ODD)
            BINS.hit(f"COUNT_ODD {'primed' if primed else 'idle'}")
            await host.soft_reset()
    await host.write(MODE, 1)
    await host.start(2, lfsr=0)
    await refused(host, SEED_ZERO)
    BINS.hit("SEED_ZERO")
    await host.soft_reset()
    # Decryption uses no noise: a seed of 0 is no fault there, and an odd count neither.
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, 1)
    await host.start(1, decrypt=True)
    await host.until_done()
    await case.check_decrypted(host, 1)
    assert await host.take_error() == NONE
    # None of the refused starts has used the counter.
    await host.soft_reset()
    await host.write(MODE, 0)
    await case.load_key(host)
    await case.load_messages(host, 1)
    await host.start(2)
    await host.until_done()
    await case.check_encrypted(host, 1, 0)


@cocotb.test()
async def counter_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(81)
    await case.load_key(host)
    await case.load_messages(host, 1)
    await host.seed(SEED_BYTES, 5)
    await host.start(2)
    await host.until_done()
    await host.counter(5)
    await refused(host, COUNTER_REUSED)
    BINS.hit("COUNTER_REUSED")
    await host.counter(2**64 - 1)
    await refused(host, COUNTER_EXHAUSTED)
    BINS.hit("COUNTER_EXHAUSTED")
    await host.counter(2**64 - 2)
    assert await host.take_error() == NONE
    await host.start(2)
    await host.until_done()
    await case.check_encrypted(host, 1, 2**64 - 2)
    assert not await host.status() & ARMED
    await host.start(2)
    await refused(host, NO_SEED)
    BINS.hit("NO_SEED")


@cocotb.test()
async def busy_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(82)
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, 32)
    await host.start(32, decrypt=True)
    with pytest.raises(RefusedError):
        await host.write(SEED, 1)
    assert await host.take_error() == BUSY_REGISTER
    BINS.hit("BUSY_REGISTER")
    with pytest.raises(RefusedError):
        await host.write_codes([1] * 16)
    assert await host.take_error() == BUSY_REGISTER
    for memory in (0, 1):
        with pytest.raises(RefusedError):
            await host.write_poly(memory, 0, case.c0[1])
        assert await host.take_error() == BUSY_DATA
    with pytest.raises(RefusedError):
        await host.read_poly(0)
    assert await host.take_error() == BUSY_DATA
    BINS.hit("BUSY_DATA")
    # The run has not been disturbed.
    assert await host.until_done() == overlap_cycles(32, primed=False)
    await case.check_decrypted(host, 32)


@cocotb.test()
async def data_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(83)
    await host.write_codes(case.s)
    for place in range(16):
        with pytest.raises(RefusedError):
            await host.write(MULTIPLIER, 0b10 << 2 * place | (0 if place == 5 else 1 << 10))
        await refused(host, BAD_CODE)
        BINS.hit("BAD_CODE")
    with pytest.raises(RefusedError):
        await host.write_poly(2, 0, case.c0[0])
    await refused(host, DATA_ADDRESS)
    BINS.hit("DATA_ADDRESS")
    with pytest.raises(RefusedError):
        await host.write_poly(3, 0, case.c0[0])
    await refused(host, DATA_ADDRESS)
    BINS.hit("DATA_ADDRESS")
    answer = await host.axi.read(0, 4)
    assert int(answer.resp) != 0
    await refused(host, DATA_ADDRESS)
    BINS.hit("DATA_ADDRESS")
    # Words with a bad code were not written.
    await decrypt_kept(host, case)


async def decrypt_kept(host: Host, case: Case) -> None:
    """Decryption with the codes that are in the device."""
    await case.load_ciphertexts(host, 2)
    await host.start(2, decrypt=True)
    await host.until_done()
    await case.check_decrypted(host, 2)


@cocotb.test()
async def soft_reset_keeps_memories(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(84)
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, 2)
    await host.start(2, decrypt=True)
    await host.soft_reset()
    assert not await host.status() & BUSY
    await host.start(2, decrypt=True)
    assert await host.until_done() == overlap_cycles(2, primed=False)
    await case.check_decrypted(host, 2)
    # A run of encryption that is given up has used its counter: the next takes the one after it.
    await case.load_key(host)
    await case.load_messages(host, 2)
    await host.seed(SEED_BYTES, 40)
    await host.start(4)
    await host.soft_reset()
    await host.start(4)
    await host.until_done()
    await case.check_encrypted(host, 2, 41)
    BINS.hit("reset of a run spends its counter")


@cocotb.test()
async def what_is_ahead_follows_writes(dut: Any) -> None:
    """A key, a seed or a direction that changes after priming is the one that is used."""
    host = await Host.up(dut)
    old, new = Case(85), Case(86)
    await old.load_key(host)
    await host.select(decrypt=False)
    await host.seed(SEED_BYTES, 1)
    await host.write(CTRL, KEY_LOADED)
    await host.until_primed()
    await new.load_key(host)
    assert not await host.status() & PRIMED
    await new.load_messages(host, 2)
    await host.start(4)
    await host.until_done()
    await new.check_encrypted(host, 2, 1)
    BINS.hit("key written when primed")
    # The counter moves on: the next run is primed for 2, then told to be 9.
    await host.write(CTRL, KEY_LOADED)
    await host.until_primed()
    await host.counter(9)
    await host.start(4)
    await host.until_done()
    await new.check_encrypted(host, 2, 9)
    BINS.hit("seed written when primed")
    # The start itself brings the other direction: what was begun is an encryption.
    await host.write_poly(1, 1, new.c0[1])
    await host.write_codes(new.s)
    await host.write(CTRL, KEY_LOADED)
    await host.until_primed()
    await host.write(CONTROL, 0)
    await host.write(CONTROL, 2 | START | DECRYPT)
    assert await host.until_done() == overlap_cycles(2, primed=False)
    for k, added in enumerate((new.messages[0], new.c0[1])):
        wanted = model.decrypt(added, new.key[k], new.s)
        assert np.array_equal(await host.read_poly(k), wanted)
    BINS.hit("direction changed by the start")


@cocotb.test()
async def clear_wipes(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(87)
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, 32)
    await host.seed(SEED_BYTES, 3)
    await host.start(32, decrypt=True)
    await host.until_done()
    await host.clear()
    assert not await host.status() & ARMED
    for k in range(32):
        assert not np.any(await host.read_poly(k)), f"output {k}"
    BINS.hit("clear wipes the output")
    # With the codes wiped, decryption only rounds c0; with c0 and c1 wiped, all is 0.
    for k in range(4):
        await host.write_poly(1, k, case.c0[k])
        await host.write_poly(0, k, case.c1[k])
    for count, wanted in ((4, [model.round_to_t(c) for c in case.c0[:4]]),):
        await host.start(count, decrypt=True)
        await host.until_done()
        for k in range(count):
            assert np.array_equal(await host.read_poly(k), wanted[k])
    BINS.hit("clear wipes the codes")
    await host.clear()
    await host.write_codes(case.s)
    await host.start(32, decrypt=True)
    await host.until_done()
    for k in range(32):
        assert not np.any(await host.read_poly(k))
    BINS.hit("clear wipes the operands")
    await host.clear()
    await host.start(2)
    await refused(host, NO_SEED)
    BINS.hit("clear wipes the seed")


@cocotb.test()
async def clear_in_a_run(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(88)
    await case.load_key(host)
    await case.load_messages(host, 16)
    await host.seed(SEED_BYTES, 3)
    await host.start(32)
    await ClockCycles(dut.clk_i, 8 * N)
    await host.write(CTRL, CLEAR)
    await host.soft_reset()  # does not stop the wipe
    assert await host.status() & BUSY
    await host.until(lambda status: not status & BUSY)
    for k in range(32):
        assert not np.any(await host.read_poly(k)), f"output {k}"
    BINS.hit("clear in a run")
    await case.load_key(host)
    await case.load_messages(host, 1)
    await host.seed(SEED_BYTES, 3)
    await host.start(2)
    await host.until_done()
    await case.check_encrypted(host, 1, 3)


@cocotb.test()
async def interrupts(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(89)
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, 1)
    await host.write(IRQ_ENABLE, 1)
    assert not int(dut.irq_o.value)
    await host.start(1, decrypt=True)
    assert await host.cycles_until("irq_o", 10 * N + 100) > N
    await host.write(IRQ_STATUS, 1)
    await ClockCycles(dut.clk_i, 3)
    assert not int(dut.irq_o.value)
    await host.until_done()
    BINS.hit("interrupt")


@cocotb.test()
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_commands() -> None:
    run_bench(
        block="bfv_crypt",
        dut="bfv_crypt",
        test_module="test_bfv_crypt_commands",
        configuration="toy16",
        public_depth=1,
    )
