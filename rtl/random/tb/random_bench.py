"""What the benches of rtl/random share: clock, reset, seeds, and the vectors.

Inputs change at the falling edge, where outputs are read too: all outputs but those of purely
combinational modules come from registers, so that a cycle is one step of the bench.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

VECTORS = Path(__file__).resolve().parents[3] / "tests" / "vectors"

FIRST_WORD_LATENCY = 43
RING_FLUSH_CYCLES = 9
NOISE_LATENCY = 4
TERNARY_LATENCY = 2

SEEDS = (
    bytes(range(32)),
    bytes.fromhex("8f14e45fceea167a5a36dedd4bea2543c4ca4238a0b923820dcc509a6f75849b"),
    bytes(32),
    bytes([255] * 32),
)


def parameter(name: str, default: int) -> int:
    """A parameter of the design under test."""
    value = json.loads(os.environ.get("RTL_PARAMETERS", "{}")).get(name, default)
    return int(value)


def vectors(name: str) -> list[dict[str, Any]]:
    """The cases of a file in tests/vectors."""
    cases: list[dict[str, Any]] = json.loads((VECTORS / name).read_text())["cases"]
    return cases


def rng() -> random.Random:
    """The generator of the run's seed."""
    return random.Random(int(os.environ.get("RTL_SEED", "1")))


def key(seed: bytes) -> int:
    """A seed as the port takes it."""
    return int.from_bytes(seed, "little")


async def cycle(dut: Any) -> None:
    """To the next place where outputs are read and inputs are set."""
    await FallingEdge(dut.clk_i)


async def start_clock(dut: Any, **inputs: int) -> None:
    """Inputs first, all of them (nothing starts at a known value), then the clock."""
    for name, value in inputs.items():
        getattr(dut, name).value = value
    await Timer(1, "ns")
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start(start_high=False))
    await cycle(dut)


async def reset(dut: Any, **inputs: int) -> None:
    """`start_clock`, and three cycles of reset."""
    await start_clock(dut, rst_ni=0, **inputs)
    for _ in range(3):
        await cycle(dut)
    dut.rst_ni.value = 1


async def until_idle(dut: Any, limit: int) -> int:
    """Waits for `busy_o` to fall and gives the cycles it took; fails after `limit`."""
    for waited in range(limit + 1):
        if not int(dut.busy_o.value):
            return waited
        await cycle(dut)
    raise AssertionError(f"busy for more than {limit} cycles")
