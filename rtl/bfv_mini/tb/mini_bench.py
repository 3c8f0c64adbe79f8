"""What the benches of the encryptor, the decryptor and the device share."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import mini_model as model
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

# Each ring and alphabet of the paper, and its larger margin t = 2^8.
CONFIGURATIONS: list[dict[str, object]] = [
    {"LogN": 2, "OperandBits": 1},
    {"LogN": 2, "OperandBits": 2},
    {"LogN": 3, "OperandBits": 1},
    {"LogN": 3, "OperandBits": 2},
    {"LogN": 4, "OperandBits": 1},
    {"LogN": 4, "OperandBits": 2},
    {"LogN": 4, "OperandBits": 2, "LogT": 8},
]


def short(parameters: dict[str, object]) -> str:
    """An id for pytest: n4-2, n16-2-t8."""
    n, bits = 1 << int(str(parameters["LogN"])), parameters["OperandBits"]
    return f"n{n}-{bits}" + (f"-t{parameters['LogT']}" if "LogT" in parameters else "")


def scheme() -> model.Scheme:
    """The scheme of the design that is simulated."""
    given = json.loads(os.environ.get("RTL_PARAMETERS", "{}"))
    return model.Scheme(
        1 << int(given.get("LogN", 4)), int(given.get("LogT", 16)), int(given.get("OperandBits", 2))
    )


def pack_small(values: model.Polynomial, bits: int) -> int:
    return model.pack([model.CODE[value] for value in values], bits)


async def reset(dut: Any) -> None:
    """Clock and reset; returns just after an edge, out of reset."""
    Clock(dut.clk_i, 10, unit="ns").start()
    dut.rst_ni.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


@dataclass
class Outputs:
    """What a pipeline gave: the value of each port of `names` and the cycle, for each result."""

    dut: Any
    names: tuple[str, ...]
    results: list[tuple[int, ...]] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)
    cycle: int = 0

    async def step(self) -> None:
        """One clock cycle; what stands at its end counts as seen in it."""
        await RisingEdge(self.dut.clk_i)
        if int(self.dut.valid_o.value):
            self.results.append(tuple(int(getattr(self.dut, n).value) for n in self.names))
            self.cycles.append(self.cycle)
        self.cycle += 1
