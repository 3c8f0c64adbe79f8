"""The BFV device as an overlay of a PYNQ-Z1: a thin driver in Python, for notebooks.

Not run on a board here: no bitstream is made in this repository. The same class runs over
`cyclotron.devices.SimBus`, which is how it is tested (tests/python/test_devices.py). Programs use
the Rust driver (`cyclotron.pow2`, docs/devices.md), which checks more.

    overlay = BfvCryptOverlay.load("bfv_crypt.bit")
    c0, c1 = overlay.encrypt(p0, p1, messages, seed, run_counter=0)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from cyclotron.devices.bus import Bus
from cyclotron.devices.pynq_bus import PynqBus
from cyclotron.devices.registers import bfv_crypt as regs
from cyclotron.errors import DeviceError, DeviceMismatchError
from numpy.typing import NDArray

Words = NDArray[np.uint32]

LOG_DELTA = 24
MULTIPLICAND, ADDEND, OUTPUT = range(3)
ENCRYPT, DECRYPT = range(2)


class BfvCryptOverlay:
    """The device behind a bus. ``degree`` and ``max_polys`` are what it was built for."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        for what, address, expected in (
            ("identification", regs.ID, regs.ID_VALUE),
            ("byte order", regs.SENTINEL, regs.SENTINEL_VALUE),
        ):
            found = bus.read32(address)
            if found != expected:
                raise DeviceMismatchError(
                    f"{what} of the device is {found:#010x} where {expected:#010x} is needed; load"
                    " the matching design"
                )
        sizes = bus.read32(regs.CONFIG0)
        abilities = bus.read32(regs.CAPS)
        self.degree = 1 << regs.CONFIG0_LOG_N.get(sizes)
        self.max_polys = regs.CONFIG0_MAX_POLYS.get(sizes)
        self._region = 1 << (
            regs.CAPS_DATA_ADDRESS_BITS.get(abilities) - regs.CAPS_REGION_BITS.get(abilities)
        )
        bus.write32(regs.CONTROL, regs.CONTROL_RESET.mask)
        bus.write32(regs.MODE, 0)

    @classmethod
    def load(cls, bitstream: str, instance: str = "bfv_crypt_0") -> BfvCryptOverlay:
        """Loads the bitstream on a board; ``instance`` names the device in the block design."""
        try:
            from pynq import Overlay  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise DeviceError("pynq is not installed: it comes with the board's image") from error
        ip: dict[str, Any] = Overlay(bitstream).ip_dict
        windows = []
        for port in ("s_axil", "s_axi"):
            entry = ip.get(f"{instance}/{port}") or ip.get(f"{instance}_{port}")
            if entry is None:
                raise DeviceError(f"no {instance}/{port} in the overlay; it has {', '.join(ip)}")
            windows.append((int(entry["phys_addr"]), int(entry["addr_range"])))
        return cls(PynqBus.on_board(windows[0], windows[1]))

    def encrypt(
        self, p0: Words, p1: Words, messages: Words, seed: bytes, run_counter: int
    ) -> tuple[Words, Words]:
        """Encrypts a batch of messages (batch, n): ``c0`` and ``c1`` of the same shape. The pair of
        seed (32 bytes, secret) and run counter serves once."""
        batch = self._batch(messages, 2)
        self._prepare(ENCRYPT, 2 * batch)
        self._write(MULTIPLICAND, 0, np.concatenate([p0, p1]))
        self.bus.write32(regs.CTRL, regs.CTRL_KEY_LOADED.mask)
        for i, word in enumerate(np.frombuffer(seed, "<u4", regs.SEED_WORDS)):
            self.bus.write32(regs.SEED + 4 * i, int(word))
        self.bus.write32(regs.RUN_COUNTER_LO, run_counter & 0xFFFFFFFF)
        self.bus.write32(regs.RUN_COUNTER_HI, run_counter >> 32)
        self._check()
        for k, message in enumerate(messages):
            self._write(ADDEND, 2 * k, message.astype(np.uint32) << np.uint32(LOG_DELTA))
        self._run(ENCRYPT, 2 * batch)
        words = self._read(2 * batch).reshape(batch, 2, self.degree)
        return words[:, 0], words[:, 1]

    def decrypt(self, secret: NDArray[np.int8], c0: Words, c1: Words) -> Words:
        """Decrypts ciphertexts (batch, n) under a secret of n coefficients -1, 0, 1."""
        batch = self._batch(c0, 1)
        self._prepare(DECRYPT, batch)
        codes = (np.asarray(secret, dtype=np.int64) & 3).astype(np.uint32).reshape(-1, 16)
        shifts = np.arange(0, 32, 2, dtype=np.uint32)
        for i, word in enumerate(np.bitwise_or.reduce(codes << shifts, axis=1)):
            self.bus.write32(regs.MULTIPLIER + 4 * i, int(word))
        self._write(MULTIPLICAND, 0, c1.reshape(-1))
        self.bus.write32(regs.CTRL, regs.CTRL_KEY_LOADED.mask)
        self._write(ADDEND, 0, c0.reshape(-1))
        self._run(DECRYPT, batch)
        return self._read(batch).reshape(batch, self.degree)

    def clear(self) -> None:
        """Wipes keys, randomness and all memories."""
        self.bus.write32(regs.CTRL, regs.CTRL_CLEAR.mask)
        words = self.max_polys * self.degree
        self.bus.wait(regs.STATUS, regs.STATUS_BUSY.mask, 4 * words, set=False)

    @property
    def cycles(self) -> int:
        """Clock cycles of the last run, from start to done."""
        return self.bus.read32(regs.CYCLES_HI) << 32 | self.bus.read32(regs.CYCLES_LO)

    def _batch(self, words: Words, polys: int) -> int:
        batch, n = words.shape
        if n != self.degree or not 0 < polys * batch <= self.max_polys:
            most = self.max_polys // polys
            raise DeviceError(
                f"{batch} rows of {n} words where 1 to {most} rows of {self.degree} are needed"
            )
        return int(batch)

    def _control(self, mode: int, polys: int) -> int:
        count: int = polys % (1 << regs.CONTROL_COUNT.width)  # 32 is written as 0
        return regs.CONTROL_COUNT.put(count) | regs.CONTROL_MODE.put(mode)

    def _prepare(self, mode: int, polys: int) -> None:
        self.bus.write32(regs.CONTROL, self._control(mode, polys))

    def _run(self, mode: int, polys: int) -> None:
        control = self._control(mode, polys)
        self.bus.write32(regs.CONTROL, control | regs.CONTROL_START.mask)
        ends = regs.STATUS_DONE.mask | regs.STATUS_ERROR.mask
        self.bus.wait(regs.STATUS, ends, 4 * self.degree * (polys + 2))
        self._check()
        self.bus.write32(regs.CONTROL, control)
        self.bus.write32(regs.STATUS, regs.STATUS_DONE.mask)

    def _check(self) -> None:
        code = self.bus.read32(regs.ERRCODE)
        if code:
            self.bus.write32(regs.STATUS, regs.STATUS_ERROR.mask)
            name, remedy = regs.ERRORS.get(code, ("unknown", "see the register map"))
            raise DeviceError(f"the device refused with code {code} ({name}); {remedy}")

    def _write(self, region: int, poly: int, words: Words) -> None:
        address = region * self._region + 4 * poly * self.degree
        self.bus.write_block(address, np.ascontiguousarray(words, dtype=np.uint32))

    def _read(self, polys: int) -> Words:
        return self.bus.read_block(OUTPUT * self._region, polys * self.degree)
