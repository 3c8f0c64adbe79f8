"""A `pynq.Device` over a simulated device: PYNQ notebooks and drivers run without a board.

>>> import pynq                                                   # doctest: +SKIP
>>> from cyclotron.devices import sim_device
>>> device = sim_device("bfv-crypt")
>>> pynq.Device.active_device = device
>>> registers = pynq.MMIO(device.register_address, 0x800)
>>> hex(registers.read(0))
'0x43594301'
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from cyclotron._native import SimBus
from cyclotron.errors import DeviceError

# Where the two windows lie in the address space that the notebook sees, as on a Zynq.
REGISTER_ADDRESS = 0x4000_0000
DATA_ADDRESS = 0x4100_0000
_SPAN = DATA_ADDRESS - REGISTER_ADDRESS
_PAGE = 4096


def sim_device(name: str | SimBus, tag: str = "cyclotron-sim") -> Any:
    """A `pynq.Device` whose memory map is the simulated device ``name`` (or a `SimBus`).

    Registers lie at ``register_address``, the data window at ``data_address``; ``bus`` is the
    `SimBus`. Needs the package `pynq`, which is not a requirement of this one.
    """
    bus = SimBus(name) if isinstance(name, str) else name
    try:
        import pynq  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise DeviceError(
            "pynq is not installed: pip install pynq into an environment of its own (it pins an"
            " older numpy), or use cyclotron.devices.SimBus directly"
        ) from error
    # Made here, since its second base is known only now.
    return types.new_class("SimDevice", (_SimDevice, pynq.Device))(bus, tag)


class _SimDevice:
    """Registers and data window of a simulated device, as PYNQ sees a board.

    Everything of the device but its base class, `pynq.Device`, which takes the ``tag``.
    """

    def __init__(self, bus: SimBus, tag: str) -> None:
        super().__init__(tag)  # type: ignore[call-arg]
        self.capabilities = {"REGISTER_RW": True}
        self.bus = bus
        self.register_address = REGISTER_ADDRESS
        self.data_address = DATA_ADDRESS
        self._next_buffer = 0x1000_0000

    @staticmethod
    def _words(address: int, length: int) -> tuple[bool, int]:
        """(whether the registers are meant, byte address in their window)."""
        if address % 4 or length % 4:
            raise DeviceError(f"{length} bytes at {address:#x}: whole words are needed")
        if REGISTER_ADDRESS <= address < DATA_ADDRESS:
            return True, address - REGISTER_ADDRESS
        if DATA_ADDRESS <= address < DATA_ADDRESS + _SPAN:
            return False, address - DATA_ADDRESS
        raise DeviceError(
            f"nothing at {address:#x}: registers are at {REGISTER_ADDRESS:#x}, data at"
            f" {DATA_ADDRESS:#x}"
        )

    def read_registers(self, address: int, length: int) -> bytes:
        is_register, offset = self._words(address, length)
        if is_register:
            words = [self.bus.read32(offset + i) for i in range(0, length, 4)]
            return np.array(words, dtype="<u4").tobytes()
        return self.bus.read_block(offset, length // 4).astype("<u4").tobytes()

    def write_registers(self, address: int, data: Any) -> None:
        words = np.frombuffer(bytes(data), dtype="<u4").astype(np.uint32)
        is_register, offset = self._words(address, 4 * len(words))
        if is_register:
            for i, word in enumerate(words):
                self.bus.write32(offset + 4 * i, int(word))
        else:
            self.bus.write_block(offset, words)

    def allocate(self, shape: Any, dtype: Any = "u4", **_: Any) -> Any:
        """Ordinary memory: the device has no DMA."""
        from pynq.buffer import PynqBuffer  # type: ignore[import-not-found, unused-ignore]

        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        buffer = PynqBuffer(
            shape, dtype, device=self, device_address=self._next_buffer, coherent=False
        )
        self._next_buffer += (size + _PAGE - 1) // _PAGE * _PAGE
        return buffer

    def flush(self, *_: Any) -> None:
        """Nothing is cached."""

    def invalidate(self, *_: Any) -> None:
        """Nothing is cached."""
