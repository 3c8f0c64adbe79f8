"""bfv_crypt through its buses: results, cycles, errors, wiping, at n = 16 and n = 1024."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import crypt_model as model
import numpy as np
import pytest
from cocotb.triggers import ClockCycles
from crypt_coverage import Bins
from crypt_host import (
    ARMED,
    BAD_CODE,
    BUSY,
    BUSY_DATA,
    BUSY_REGISTER,
    CHANNELS,
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
    LOG_N,
    MODE,
    MULTIPLIER,
    NEEDS_RESET,
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
    paper_cycles,
)

from bench import run_bench

BINS = Bins("test_bfv_crypt")
SEED_BYTES = bytes(range(1, 33))
# At n = 16 the first words take longer than a period: these cycles are waited for, not computed.
EXACT = LOG_N >= 6


class Case:
    """A key, messages and ciphertexts of one seed."""

    def __init__(self, number: int) -> None:
        source = np.random.default_rng(number)
        self.key = tuple(source.integers(0, model.Q, N, dtype=np.uint64) for _ in range(2))
        self.messages = [model.scaled(source.integers(0, model.T, N)) for _ in range(16)]
        self.s = [int(v) for v in source.integers(-1, 2, N)]
        self.c0 = [source.integers(0, model.Q, N, dtype=np.uint64) for _ in range(32)]
        self.c1 = [source.integers(0, model.Q, N, dtype=np.uint64) for _ in range(32)]

    async def load_key(self, host: Host) -> None:
        for i, part in enumerate(self.key):
            await host.write_poly(0, i, part)

    async def load_messages(self, host: Host, count: int) -> None:
        for k in range(count):
            await host.write_poly(1, 2 * k, self.messages[k])

    async def load_ciphertexts(self, host: Host, count: int) -> None:
        for k in range(count):
            await host.write_poly(0, k, self.c1[k])
            await host.write_poly(1, k, self.c0[k])

    async def check_encrypted(self, host: Host, count: int, run: int) -> None:
        for k in range(count):
            wanted = model.encrypt(self.key, self.messages[k], SEED_BYTES, run, k)
            for i in range(2):
                found = await host.read_poly(2 * k + i)
                assert np.array_equal(found, wanted[i]), f"run {run} plaintext {k} c{i}"

    async def check_decrypted(self, host: Host, count: int) -> None:
        for k in range(count):
            found = await host.read_poly(k)
            assert np.array_equal(found, model.decrypt(self.c0[k], self.c1[k], self.s)), k


async def wait_cycles(host: Host, count: int) -> None:
    await ClockCycles(host.dut.clk_i, count)


async def encrypt_runs(
    host: Host, case: Case, plaintexts: int, primed: bool, first_run: int = 7
) -> int:
    """Two runs, the second with the counter that the device has raised; cycles of the last."""
    await case.load_key(host)
    await host.select(decrypt=False)
    await host.seed(SEED_BYTES, first_run)
    cycles = 0
    for run in (first_run, first_run + 1)[: 2 if LOG_N <= 6 else 1]:
        if primed:
            await host.write(CTRL, KEY_LOADED)
            await case.load_messages(host, plaintexts)
            await host.until_primed()
        else:
            await case.load_messages(host, plaintexts)
            # The sampler's first words come before the start.
            await wait_cycles(host, 300 + 2 * N)
        await host.start(2 * plaintexts)
        cycles = await host.until_done()
        if EXACT:
            assert cycles == overlap_cycles(2 * plaintexts, primed)
        else:
            assert cycles >= overlap_cycles(2 * plaintexts, primed)
        BINS.hit(f"encrypt {'primed' if primed else 'cold'}")
        await case.check_encrypted(host, plaintexts, run)
        if not primed:
            continue
        # The key is still there: the device prepares the next run by itself.
        await host.until_primed()
        BINS.hit("primed again after a run")
    return cycles


@cocotb.test()
async def encrypts(dut: Any) -> None:
    host = await Host.up(dut)
    await encrypt_runs(host, Case(1), 16, primed=True)
    BINS.hit("encrypt count 32")


@cocotb.test(skip=LOG_N > 6)
async def encrypts_cold_and_few(dut: Any) -> None:
    host = await Host.up(dut)
    await encrypt_runs(host, Case(2), 3, primed=False)
    await host.seed(SEED_BYTES, 100)
    case = Case(3)
    await case.load_key(host)
    await case.load_messages(host, 1)
    await host.start(2)
    await host.until_done()
    await case.check_encrypted(host, 1, 100)
    BINS.hit("encrypt count 2")


async def decrypt_run(host: Host, case: Case, count: int, primed: bool) -> None:
    await host.select(decrypt=True)
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, count)
    if primed:
        await host.write(CTRL, KEY_LOADED)
        await host.until_primed()
    await host.start(count, decrypt=True)
    assert await host.until_done() == overlap_cycles(count, primed)
    BINS.hit(f"decrypt {'primed' if primed else 'cold'}")
    BINS.hit(f"decrypt count {count}")
    await case.check_decrypted(host, count)


@cocotb.test()
async def decrypts(dut: Any) -> None:
    host = await Host.up(dut)
    await decrypt_run(host, Case(4), 32, primed=False)


@cocotb.test(skip=LOG_N > 6)
async def decrypts_few(dut: Any) -> None:
    host = await Host.up(dut)
    for number, (count, primed) in enumerate([(1, False), (2, True), (31, True), (1, True)]):
        await decrypt_run(host, Case(10 + number), count, primed)


async def paper_encrypt(host: Host, case: Case, polys: int, lfsr: int) -> None:
    u = Case(99).s
    addends = [case.messages[i // 2] if i % 2 == 0 else case.c0[i] for i in range(polys)]
    await host.write(MODE, 1)
    await case.load_key(host)
    for i, addend in enumerate(addends):
        await host.write_poly(1, i, addend)
    await host.write_codes(u)
    await host.start(polys, lfsr=lfsr)
    assert await host.until_done() == paper_cycles(polys)
    wanted = model.encrypt_paper(case.key, addends, u, lfsr)
    for i in range(polys):
        assert np.array_equal(await host.read_poly(i), wanted[i]), f"result {i}"


@cocotb.test()
async def paper_mode_encrypts(dut: Any) -> None:
    host = await Host.up(dut)
    for polys in [32] if LOG_N > 6 else [32, 2]:
        await paper_encrypt(host, Case(polys), polys, 0xABCDE + polys)
        BINS.hit(f"paper encrypt count {polys}")
        await host.start(polys, lfsr=1)
        assert await host.take_error() == NEEDS_RESET
        BINS.hit("NEEDS_RESET")
        await host.soft_reset()


@cocotb.test()
async def paper_mode_decrypts(dut: Any) -> None:
    host = await Host.up(dut)
    await host.write(MODE, 1)
    for count in [32] if LOG_N > 6 else [32, 1, 31]:
        case = Case(50 + count)
        await host.write_codes(case.s)
        await case.load_ciphertexts(host, count)
        await host.start(count, decrypt=True)
        assert await host.until_done() == paper_cycles(count)
        await case.check_decrypted(host, count)
        BINS.hit(f"paper decrypt count {count}")
        await host.soft_reset()


@cocotb.test(skip=LOG_N > 6)
async def modes_follow_each_other(dut: Any) -> None:
    """Sums, codes and operands of one mode leave no trace in the next."""
    host = await Host.up(dut)
    for number in range(3):
        case = Case(200 + number)
        await host.write(MODE, 0)
        await decrypt_run(host, case, 2, primed=bool(number % 2))
        await paper_encrypt(host, case, 2, 5 + number)
        await host.soft_reset()
        await host.write(MODE, 0)
        await host.seed(SEED_BYTES, 1000 + number)
        await case.load_messages(host, 2)
        await host.start(4)
        await host.until_done()
        await case.check_encrypted(host, 2, 1000 + number)
    BINS.hit("modes in turn")


@cocotb.test(skip=LOG_N > 6)
async def back_pressure(dut: Any) -> None:
    host = await Host.up(dut)
    for number, channel in enumerate(CHANNELS):
        host.pause(channel, 0.6)
        case = Case(60 + number)
        await decrypt_run(host, case, 3, primed=False)
        await case.load_key(host)
        await host.select(decrypt=False)
        await host.seed(SEED_BYTES, 10 * number)
        await case.load_messages(host, 2)
        await host.start(4)
        await host.until_done()
        await case.check_encrypted(host, 2, 10 * number)
        host.pause(channel, 0.0)
        BINS.hit(f"back-pressure {channel}")
    for channel in CHANNELS:
        host.pause(channel, 0.4, seed=2)
    await encrypt_runs(host, Case(70), 4, primed=True, first_run=1000)
    BINS.hit("back-pressure on all channels")


async def refused(host: Host, code: int, name: str) -> None:
    """The last command was refused with this code, and nothing is running."""
    assert await host.take_error() == code
    assert not await host.status() & BUSY
    BINS.hit(name)


@cocotb.test(skip=LOG_N > 6)
async def start_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(80)
    await host.start(2)
    await refused(host, NO_SEED, "NO_SEED")
    await host.soft_reset()
    await host.seed(SEED_BYTES, 0)
    for primed in (False, True):
        if primed:
            await case.load_key(host)
            await host.write(CTRL, KEY_LOADED)
            await host.until_primed()
        for polys in (1, 31):
            await host.start(polys)
            await refused(host, COUNT_ODD, f"COUNT_ODD {'primed' if primed else 'idle'}")
            await host.soft_reset()
    await host.write(MODE, 1)
    await host.start(2, lfsr=0)
    await refused(host, SEED_ZERO, "SEED_ZERO")
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


@cocotb.test(skip=LOG_N > 6)
async def counter_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(81)
    await case.load_key(host)
    await case.load_messages(host, 1)
    await host.seed(SEED_BYTES, 5)
    await host.start(2)
    await host.until_done()
    await host.counter(5)
    await refused(host, COUNTER_REUSED, "COUNTER_REUSED")
    await host.counter(2**64 - 1)
    await refused(host, COUNTER_EXHAUSTED, "COUNTER_EXHAUSTED")
    await host.counter(2**64 - 2)
    assert await host.take_error() == NONE
    await host.start(2)
    await host.until_done()
    await case.check_encrypted(host, 1, 2**64 - 2)
    assert not await host.status() & ARMED
    await host.start(2)
    await refused(host, NO_SEED, "NO_SEED")


@cocotb.test(skip=LOG_N > 6)
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


@cocotb.test(skip=LOG_N > 6)
async def data_errors(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(83)
    await host.write_codes(case.s)
    for place in range(16):
        with pytest.raises(RefusedError):
            await host.write(MULTIPLIER, 0b10 << 2 * place | (0 if place == 5 else 1 << 10))
        await refused(host, BAD_CODE, "BAD_CODE")
    with pytest.raises(RefusedError):
        await host.write_poly(2, 0, case.c0[0])
    await refused(host, DATA_ADDRESS, "DATA_ADDRESS")
    with pytest.raises(RefusedError):
        await host.write_poly(3, 0, case.c0[0])
    await refused(host, DATA_ADDRESS, "DATA_ADDRESS")
    answer = await host.axi.read(0, 4)
    assert int(answer.resp) != 0
    await refused(host, DATA_ADDRESS, "DATA_ADDRESS")
    # Words with a bad code were not written.
    await decrypt_kept(host, case)


async def decrypt_kept(host: Host, case: Case) -> None:
    """Decryption with the codes that are in the device."""
    await case.load_ciphertexts(host, 2)
    await host.start(2, decrypt=True)
    await host.until_done()
    await case.check_decrypted(host, 2)


@cocotb.test(skip=LOG_N > 6)
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


@cocotb.test(skip=LOG_N > 6)
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


@cocotb.test(skip=LOG_N > 6)
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
    await refused(host, NO_SEED, "clear wipes the seed")


@cocotb.test(skip=LOG_N > 6)
async def clear_in_a_run(dut: Any) -> None:
    host = await Host.up(dut)
    case = Case(88)
    await case.load_key(host)
    await case.load_messages(host, 16)
    await host.seed(SEED_BYTES, 3)
    await host.start(32)
    await wait_cycles(host, 8 * N)
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


@cocotb.test(skip=LOG_N > 6)
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
    await wait_cycles(host, 3)
    assert not int(dut.irq_o.value)
    await host.until_done()
    BINS.hit("interrupt")


@cocotb.test(skip=LOG_N > 6)
async def cycles_do_not_tell_secrets(dut: Any) -> None:
    host = await Host.up(dut)
    counted: dict[str, set[int]] = {"encrypt": set(), "decrypt": set(), "paper": set()}
    source = random.Random(5)
    for number in range(3):
        case = Case(300 + number)
        if number == 0:
            case.s = [0] * N
            case.messages = [np.zeros(N, dtype=np.uint64)] * 16
        await host.write_codes(case.s)
        await case.load_ciphertexts(host, 4)
        await host.start(4, decrypt=True)
        counted["decrypt"].add(await host.until_done())
        await host.write(MODE, 1)
        await host.start(4, decrypt=True)
        counted["paper"].add(await host.until_done())
        await host.soft_reset()
        await host.write(MODE, 0)
        await case.load_key(host)
        await case.load_messages(host, 4)
        await host.seed(source.randbytes(32), number)
        await wait_cycles(host, 300 + 2 * N)
        await host.start(8)
        counted["encrypt"].add(await host.until_done())
    assert all(len(found) == 1 for found in counted.values()), counted
    BINS.hit("two secrets, the same cycles")


@cocotb.test(skip=LOG_N > 6)
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_toy() -> None:
    run_bench(block="bfv_crypt", dut="bfv_crypt", configuration="toy16", public_depth=1)


def test_small() -> None:
    run_bench(
        block="bfv_crypt", dut="bfv_crypt", configuration="small64", public_depth=1, fast=True
    )


@pytest.mark.full
def test_paper_size() -> None:
    run_bench(
        block="bfv_crypt", dut="bfv_crypt", configuration="paper_1024", public_depth=1, fast=True
    )
