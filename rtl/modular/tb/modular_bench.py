"""What the benches of rtl/modular share: moduli, operands, a run through a pipeline.

Inputs change at the falling edge, where outputs are read too: a cycle is one step of the bench.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

PAPER = 257**3
# Primes 1 modulo 2048, for transforms of n = 1024: the largest of 26 and of 27 bits.
NTT_26 = 67_104_769
NTT_27 = 134_215_681
MODULI = (PAPER, NTT_26, NTT_27)


def parameter(name: str, default: int) -> int:
    """A parameter of the design under test."""
    value = json.loads(os.environ.get("RTL_PARAMETERS", "{}")).get(name, default)
    return int(value)


def modulus() -> int:
    """The modulus of the design under test."""
    return parameter("Q", PAPER)


def rng() -> random.Random:
    """The generator of the run's seed."""
    return random.Random(int(os.environ.get("RTL_SEED", "1")))


def edges(q: int) -> list[int]:
    """Residues at which carries, borrows and tables change."""
    near = [0, q // 2, q, *(1 << i for i in range(q.bit_length()))]
    return sorted({(x + step) % q for x in near for step in (-2, -1, 0, 1, 2)})


def pairs(q: int, count: int) -> list[tuple[int, int]]:
    """All pairs of a choice of edges, then random ones."""
    source = rng()
    some = [*edges(q)[::3], q - 1, q - 2, (q + 1) // 2]
    drawn = [(source.randrange(q), source.randrange(q)) for _ in range(count)]
    return [(a, b) for a in some for b in some] + drawn


def range_bits() -> int:
    """Bits of x that the reducer under test reads."""
    return parameter("XBits", 2 * modulus().bit_length())


def windows(bits: int) -> list[int]:
    """Every group of five neighbouring bits at every place, in zeros and in ones."""
    full = (1 << bits) - 1
    numbers = []
    for place in range(bits):
        mask = (31 << place) & full
        for value in range(32):
            group = (value << place) & full
            numbers += [group, (full & ~mask) | group]
    return numbers


def near_multiples(q: int, bits: int) -> list[int]:
    """Where the quotient changes, over the whole range."""
    top = (1 << bits) // q
    source = rng()
    quotients = [*range(70), *(top - i for i in range(70))]
    quotients += [min(1 << i, top) for i in range(bits)]
    quotients += [source.randrange(top) for _ in range(500)]
    numbers = [k * q + step for k in quotients for step in (-2, -1, 0, 1, 2)]
    return [x for x in numbers if 0 <= x < 1 << bits]


async def reduces(dut: Any, latency: int) -> None:
    """A reducer on windows, near multiples, at random, and with bits set above its range."""
    q, bits, ports = modulus(), range_bits(), len(dut.x_i)
    source = rng()
    numbers = windows(bits) + near_multiples(q, bits)
    numbers += [source.getrandbits(bits) for _ in range(5000)]
    numbers += [source.getrandbits(ports) for _ in range(200)]
    cases = [({"x_i": x}, x % (1 << bits) % q) for x in numbers]
    await pipeline(dut, latency, cases)


async def combinational(dut: Any, cases: Iterable[tuple[Mapping[str, int], int]]) -> None:
    """Each case: inputs by port, and the result expected."""
    for inputs, expected in cases:
        for name, value in inputs.items():
            getattr(dut, name).value = value
        await Timer(1, "ns")
        assert int(dut.r_o.value) == expected, f"{inputs}: {int(dut.r_o.value)} != {expected}"


async def pipeline(
    dut: Any, latency: int, cases: Sequence[tuple[Mapping[str, int], int]], **still: int
) -> None:
    """One case a cycle; each result exactly `latency` cycles later. `still`: inputs that hold."""
    for name, value in {**still, **cases[0][0]}.items():
        getattr(dut, name).value = value
    await Timer(1, "ns")
    clock = cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start(start_high=False))
    await FallingEdge(dut.clk_i)
    for at in range(len(cases) + latency):
        if at >= latency:
            inputs, expected = cases[at - latency]
            assert int(dut.r_o.value) == expected, f"{inputs}: {int(dut.r_o.value)} != {expected}"
        for name, value in cases[min(at, len(cases) - 1)][0].items():
            getattr(dut, name).value = value
        await FallingEdge(dut.clk_i)
    clock.cancel()
