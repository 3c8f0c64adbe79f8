"""A device on a PYNQ board: two memory-mapped windows of an overlay.

Not run on a board here; tested over the simulated device of `sim_device`.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cyclotron.errors import DeviceError, DeviceTimeoutError

# The slowest clock that a time limit allows for, and what the operating system may add.
_SLOWEST_HZ = 10_000_000
_SLACK = 1.0


class Window(Protocol):
    """What is used of a `pynq.MMIO`."""

    length: int
    base_addr: int
    array: Any  # of its words: a numpy array where the device is mapped
    device: Any

    def read(self, offset: int = 0) -> int: ...
    def write(self, offset: int, value: int) -> None: ...


class PynqBus:
    """The `Bus` of an overlay: ``registers`` and ``data`` are its two windows.

    Each is a `pynq.MMIO`, or an IP driver of the overlay that has one as ``mmio``
    (``overlay.bfv_crypt_0``). `on_board` makes them from addresses.
    """

    def __init__(self, registers: Any, data: Any) -> None:
        self._registers: Window = getattr(registers, "mmio", registers)
        self._data: Window = getattr(data, "mmio", data)

    @classmethod
    def on_board(
        cls, registers: tuple[int, int], data: tuple[int, int], device: Any = None
    ) -> PynqBus:
        """The bus of a device at two (physical address, bytes) of the active overlay."""
        try:
            from pynq import MMIO  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise DeviceError(
                "pynq is not installed: it comes with the images of PYNQ boards; on another machine"
                " use cyclotron.devices.SimBus"
            ) from error
        return cls(
            MMIO(registers[0], registers[1], device=device), MMIO(data[0], data[1], device=device)
        )

    def read32(self, address: int) -> int:
        return int(self._registers.read(_inside(self._registers, address, 1)))

    def write32(self, address: int, value: int) -> None:
        self._registers.write(_inside(self._registers, address, 1), int(value))

    def read_block(self, address: int, count: int) -> NDArray[np.uint32]:
        window, first = self._data, _inside(self._data, address, count) // 4
        if isinstance(window.array, np.ndarray):
            return np.array(window.array[first : first + count], dtype=np.uint32)
        # Registers only: the device moves whole blocks itself.
        data = window.device.read_registers(window.base_addr + address, 4 * count)
        return np.frombuffer(data, dtype="<u4").astype(np.uint32)

    def write_block(self, address: int, words: NDArray[np.uint32]) -> None:
        words = np.ascontiguousarray(words, dtype=np.uint32)
        window, first = self._data, _inside(self._data, address, len(words)) // 4
        if isinstance(window.array, np.ndarray):
            window.array[first : first + len(words)] = words
            return
        data = words.astype("<u4").tobytes()
        window.device.write_registers(window.base_addr + address, data)

    def wait(self, address: int, mask: int, cycles: int, *, set: bool = True) -> int:
        end = time.monotonic() + cycles / _SLOWEST_HZ + _SLACK
        while True:
            found = self.read32(address)
            if bool(found & mask) == set:
                return found
            if time.monotonic() >= end:
                raise DeviceTimeoutError(
                    f"register {address:#x} reads {found:#x} after {cycles} cycles at"
                    f" {_SLOWEST_HZ // 1_000_000} MHz: bits {mask:#x} did not change;"
                    " reset the device"
                )


def _inside(window: Window, address: int, count: int) -> int:
    """Demands whole words inside the window."""
    if address % 4 or address < 0 or address + 4 * count > window.length:
        raise DeviceError(
            f"{count} words at {address:#x} where a multiple of 4 below {window.length:#x}"
            " is needed"
        )
    return address
