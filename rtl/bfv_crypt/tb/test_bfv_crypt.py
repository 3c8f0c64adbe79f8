"""bfv_crypt through its buses: results and cycles of both modes, at n = 16, 64 and 1024."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import crypt_model as model
import numpy as np
import pytest
from cocotb.triggers import ClockCycles
from crypt_case import SEED_BYTES, Case
from crypt_host import (
    CHANNELS,
    CTRL,
    KEY_LOADED,
    LOG_N,
    MODE,
    NEEDS_RESET,
    Host,
    N,
    overlap_cycles,
    paper_cycles,
)

from bench import run_bench
from coverage_bins import Bins

BINS = Bins(__file__, "test_bfv_crypt")
# At n = 16 the first words take longer than a period: these cycles are waited for, not computed.
EXACT = LOG_N >= 6


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
            await ClockCycles(host.dut.clk_i, 300 + 2 * N)
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
        await ClockCycles(dut.clk_i, 300 + 2 * N)
        await host.start(8)
        counted["encrypt"].add(await host.until_done())
    assert all(len(found) == 1 for found in counted.values()), counted
    BINS.hit("two secrets, the same cycles")


@cocotb.test()
async def one_of_each(dut: Any) -> None:
    """One plaintext encrypted and one ciphertext decrypted: short enough for the paper's degree."""
    host = await Host.up(dut)
    await encrypt_runs(host, Case(5), 1, primed=True)
    await decrypt_run(host, Case(6), 1, primed=False)


@cocotb.test(skip=LOG_N > 6)
async def every_bin_was_hit(dut: Any) -> None:
    BINS.check()


def test_toy() -> None:
    run_bench(block="bfv_crypt", dut="bfv_crypt", configuration="toy16", public_depth=1)


def test_small() -> None:
    run_bench(block="bfv_crypt", dut="bfv_crypt", configuration="small64", public_depth=1)


def test_paper_size_one_of_each() -> None:
    run_bench(
        block="bfv_crypt",
        dut="bfv_crypt",
        configuration="paper_1024",
        public_depth=1,
        testcase="one_of_each",
    )


@pytest.mark.full
def test_paper_size() -> None:
    run_bench(block="bfv_crypt", dut="bfv_crypt", configuration="paper_1024", public_depth=1)
