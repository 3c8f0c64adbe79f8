"""bfv_crypt_pynq: the device through the wrapper of the block design, its buses and interrupt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles

sys.path.append(str(Path(__file__).resolve().parents[2] / "bfv_crypt" / "tb"))

from crypt_case import SEED_BYTES, Case
from crypt_host import CTRL, IRQ_ENABLE, IRQ_STATUS, KEY_LOADED, Host

from bench import run_bench

IDENTIFICATION = 0x4359_4301


@cocotb.test()
async def encrypts_and_decrypts(dut: Any) -> None:
    host = await Host.up(dut)
    assert await host.read(0) == IDENTIFICATION
    case = Case(1)
    await case.load_key(host)
    await host.select(decrypt=False)
    await host.seed(SEED_BYTES, 3)
    await host.write(CTRL, KEY_LOADED)
    await case.load_messages(host, 16)
    await host.start(32)
    await host.until_done()
    await case.check_encrypted(host, 16, 3)
    await host.select(decrypt=True)
    await host.write_codes(case.s)
    await case.load_ciphertexts(host, 32)
    await host.write(IRQ_STATUS, 1)
    await ClockCycles(dut.clk_i, 2)
    await host.write(IRQ_ENABLE, 1)
    assert int(dut.irq_o.value) == 0
    await host.start(32, decrypt=True)
    await host.until_done()
    assert int(dut.irq_o.value) == 1
    await host.write(IRQ_STATUS, 1)
    await ClockCycles(dut.clk_i, 2)
    assert int(dut.irq_o.value) == 0
    await case.check_decrypted(host, 32)


@cocotb.test()
async def registers_repeat_in_the_upper_half_of_their_segment(dut: Any) -> None:
    host = await Host.up(dut)
    assert await host.read(0x800) == IDENTIFICATION
    await host.write(0x800 + IRQ_ENABLE, 2)
    assert await host.read(IRQ_ENABLE) == 2


def test_toy() -> None:
    run_bench(block="boards", dut="bfv_crypt_pynq", configuration="toy16", public_depth=1)
