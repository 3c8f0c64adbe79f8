"""What the module benches share: clock, reset, parameters.

Inputs change at the falling edge, where outputs are read too.
"""

from __future__ import annotations

import json
import os
from typing import Any

from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, Timer


def parameter(name: str, default: int) -> int:
    """A parameter of the design under test."""
    return int(json.loads(os.environ.get("RTL_PARAMETERS", "{}")).get(name, default))


async def cycle(dut: Any, count: int = 1) -> None:
    """To the falling edge of the next cycle."""
    for _ in range(count):
        await FallingEdge(dut.clk_i)


def drive(dut: Any, **inputs: int) -> None:
    for name, value in inputs.items():
        getattr(dut, name).value = value


async def up(dut: Any, **inputs: int) -> None:
    """Clock, inputs, and four cycles of reset where the module has one."""
    # Registers start with any value, and the clock as well: nothing may come before this.
    dut.clk_i.value = Immediate(0)
    if hasattr(dut, "rst_ni"):
        dut.rst_ni.value = Immediate(0)
    drive(dut, **inputs)
    await Timer(1, unit="ns")
    Clock(dut.clk_i, 10, unit="ns").start(start_high=False)
    await cycle(dut, 4)
    if hasattr(dut, "rst_ni"):
        dut.rst_ni.value = 1
        await cycle(dut)
