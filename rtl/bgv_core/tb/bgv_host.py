"""The host of the datapath's bench: memories, keystream words and commands by its ports."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from bgv_model import Bgv, Keys, Polynomial
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, Timer

ENCRYPT, DECRYPT, ADD, MULTIPLY, KEY_SWITCH, MOD_SWITCH, CONVERT = range(1, 8)
# Forms: the operands are kept as evaluations, the result is; OpConvert of part 2.
A_EVALUATIONS, B_EVALUATIONS, EVALUATIONS, THIRD = 1, 2, 4, 8
INPUTS = (
    "command_valid_i", "command_i", "ring_i", "signed_digits_i", "ternary_noise_i", "log_p_i",
    "reset_i", "samples_restart_i", "wipe_i", "word_i", "word_valid_i", "host_we_i", "host_space_i",
    "host_index_i", "host_bank_i", "host_beat_i", "host_wdata_i",
)  # fmt: skip


class Host:
    """One accelerator of `bgv`'s sizes with B = 2^log_b butterflies a unit."""

    def __init__(self, dut: Any, bgv: Bgv, log_b: int, units: int) -> None:
        self.dut, self.bgv, self.units = dut, bgv, units
        self.banks = 2 << log_b
        self.beats = bgv.n // self.banks
        self.words: list[int] = []  # of the keystream, as given
        self.pause = 0.0
        self.feeder: Any = None  # the task of `feed`

    async def start(self) -> None:
        for name in ("clk_i", "rst_ni", *INPUTS):
            getattr(self.dut, name).value = Immediate(0)
        await Timer(1, "ns")
        cocotb.start_soon(Clock(self.dut.clk_i, 10, unit="ns").start(start_high=False))
        await self.reset()

    async def reset(self) -> None:
        self.dut.rst_ni.value = 0
        for _ in range(3):
            await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        self.dut.ring_i.value = self.units
        self.dut.signed_digits_i.value = int(self.bgv.signed_digits)
        self.dut.ternary_noise_i.value = int(self.bgv.ternary_noise)
        self.dut.log_p_i.value = self.bgv.log_p
        await self.idle()

    async def idle(self, limit: int = 100_000) -> None:
        await FallingEdge(self.dut.clk_i)
        for _ in range(limit):
            if not int(self.dut.busy_o.value):
                return
            await FallingEdge(self.dut.clk_i)
        raise AssertionError(f"busy after {limit} cycles")

    def place(self, index: int, evaluations: bool) -> tuple[int, int]:
        """(beat, word) of an index: the table in ntt_unit.sv."""
        if not evaluations:
            return index % self.beats, index // self.beats
        low = index % self.banks
        return index // self.banks, low // 2 + self.banks // 2 * (low % 2)

    async def _write(self, space: int, number: int, values: Polynomial) -> None:
        dut = self.dut
        dut.host_space_i.value = space
        dut.host_index_i.value = number
        dut.host_we_i.value = 1
        for index, value in enumerate(values):
            beat, word = self.place(index, evaluations=bool(space))
            dut.host_beat_i.value = beat
            dut.host_bank_i.value = word
            dut.host_wdata_i.value = value
            await FallingEdge(dut.clk_i)
        dut.host_we_i.value = 0

    async def write(self, buffer: int, parts: list[Polynomial]) -> None:
        for part, values in enumerate(parts):
            await self._write(0, 4 * buffer + part, values)

    async def read(self, buffer: int, parts: int) -> list[Polynomial]:
        dut = self.dut
        dut.host_space_i.value = 0
        found = []
        for part in range(parts):
            dut.host_index_i.value = 4 * buffer + part
            values = []
            for step in range(self.bgv.n + 2):
                beat, word = self.place(min(step, self.bgv.n - 1), evaluations=False)
                dut.host_beat_i.value = beat
                dut.host_bank_i.value = word
                if step >= 2:
                    values.append(int(dut.host_rdata_o.value))
                await FallingEdge(dut.clk_i)
            found.append(values)
        return found

    async def load_keys(self, keys: Keys) -> None:
        ring = self.bgv.ring
        lanes = 1 << (2 * self.bgv.digits - 1).bit_length()
        sets = [[p for row in keys.rows for p in row], list(keys.public), [keys.secret]]
        for number, polynomials in enumerate(sets):
            for lane, polynomial in enumerate(polynomials):
                await self._write(1, number * lanes + lane, ring.forward(polynomial))

    async def feed(self, dice: random.Random) -> None:
        """Keystream words for ever; those that were taken are in `words`."""
        dut = self.dut
        while True:
            while dice.random() < self.pause:
                dut.word_valid_i.value = 0
                await FallingEdge(dut.clk_i)
            word = dice.getrandbits(64)
            dut.word_i.value = word
            dut.word_valid_i.value = 1
            taken = False
            while not taken:
                await Timer(1, "ns")  # inputs are there: what the next edge sees
                taken = bool(int(dut.word_ready_o.value))
                await FallingEdge(dut.clk_i)
            self.words.append(word)

    def words_of(self, message: int) -> list[int]:
        """The 2n words of the message of this number."""
        return self.words[2 * self.bgv.n * message :][: 2 * self.bgv.n]

    async def command(
        self, op: int, dst: int, a: int, b: int = 0, level: int = 0, forms: int = 0
    ) -> None:
        """Given, and accepted."""
        dut = self.dut
        dut.command_i.value = op | dst << 4 | a << 8 | b << 12 | level << 16 | forms << 20
        dut.command_valid_i.value = 1
        await Timer(1, "ns")
        while not int(dut.command_ready_o.value):
            await FallingEdge(dut.clk_i)
            await Timer(1, "ns")
        await FallingEdge(dut.clk_i)
        dut.command_valid_i.value = 0
