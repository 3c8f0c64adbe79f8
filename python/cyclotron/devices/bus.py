"""The way to a device: five calls, the same for a simulation and for a board."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Bus(Protocol):
    """Register and data access to one device.

    Addresses are byte addresses, multiples of 4; words have 32 bits. Registers and data window are
    separate address spaces.
    """

    def read32(self, address: int) -> int:
        """Reads a register."""
        ...

    def write32(self, address: int, value: int) -> None:
        """Writes a register."""
        ...

    def read_block(self, address: int, count: int) -> NDArray[np.uint32]:
        """Reads ``count`` words of the data window."""
        ...

    def write_block(self, address: int, words: NDArray[np.uint32]) -> None:
        """Writes consecutive words of the data window."""
        ...

    def wait(self, address: int, mask: int, cycles: int, *, set: bool = True) -> int:
        """Waits until the register has one of the bits of ``mask`` (``set=True``) or none of them,
        for so many clock cycles of the device (a board takes them at 10 MHz, and a second more).
        Gives the register's contents; raises `DeviceTimeoutError`."""
        ...
