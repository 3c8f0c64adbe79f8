"""The product modulo a number given at run time: several moduli in one run, edges, random pairs."""

from __future__ import annotations

from typing import Any

import cocotb
from modular_bench import pairs, parameter, pipeline, rng

from bench import run_bench

LATENCY = 8


def settings(q: int, bits: int) -> dict[str, int]:
    """The inputs for a modulus of `bits` bits."""
    return {"q_i": q, "mu_i": (1 << 2 * bits) // q - (1 << bits)}


def moduli(bits: int) -> list[int]:
    """The ends of the range, and odd and even numbers in it."""
    low, high = (1 << bits - 1) + 1, (1 << bits) - 1
    source = rng()
    return [low, low + 1, high, high - 1, *(source.randint(low, high) for _ in range(4))]


@cocotb.test()
async def canonical_operands(dut: Any) -> None:
    bits = parameter("W", 32)
    for q in moduli(bits):
        cases = [({"a_i": a, "b_i": b}, a * b % q) for a, b in pairs(q, 600)]
        await pipeline(dut, LATENCY, cases, **settings(q, bits))


@cocotb.test()
async def first_operand_of_full_width(dut: Any) -> None:
    bits = parameter("W", 32)
    top = (1 << bits) - 1
    source = rng()
    for q in moduli(bits):
        firsts = [top, top - 1, q, *(source.randint(q, top) for _ in range(100))]
        cases = [({"a_i": a, "b_i": b}, a * b % q) for a in firsts for b in (q - 1, q // 2, 1, 0)]
        await pipeline(dut, LATENCY, cases, **settings(q, bits))


@cocotb.test()
async def shorter_moduli_shifted(dut: Any) -> None:
    """A modulus of fewer bits, with it and one operand shifted up."""
    bits = parameter("W", 32)
    for q in (257, 7681, 3 * 2**18 + 1):
        shift = bits - q.bit_length()
        cases = [({"a_i": a << shift, "b_i": b}, (a * b % q) << shift) for a, b in pairs(q, 300)]
        await pipeline(dut, LATENCY, cases, **settings(q << shift, bits))


def test_32_bits() -> None:
    run_bench(block="modular", dut="mod_mul_barrett_rt", parameters={"W": 32})


def test_24_bits() -> None:
    run_bench(block="modular", dut="mod_mul_barrett_rt", parameters={"W": 24})
