"""Simulated devices from Python: the bus, the PYNQ adapters, the thin overlay driver."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import cyclotron as cy
import numpy as np
import pytest
from cyclotron.devices import Bus, PynqBus, SimBus, sim_device
from cyclotron.devices.registers import bfv_crypt as regs
from cyclotron.devices.registers import bfv_mini
from cyclotron.devices.registers.field import Field

ROOT = Path(__file__).parents[2]
TOY = "bfv-crypt:toy16"
N = 16


def overlay_module() -> Any:
    """rtl/boards is no package: the file is loaded by its path."""
    path = ROOT / "rtl" / "boards" / "pynq_z1" / "overlay.py"
    spec = importlib.util.spec_from_file_location("pynq_z1_overlay", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakeMMIO:
    """`pynq.MMIO` as far as it is used: words through the active device."""

    array: Any = None

    def __init__(self, base_addr: int, length: int, device: Any = None) -> None:
        self.base_addr, self.length = base_addr, length
        self.device = device or FakeDevice.active_device

    def read(self, offset: int = 0) -> int:
        return int.from_bytes(self.device.read_registers(self.base_addr + offset, 4), "little")

    def write(self, offset: int, value: int) -> None:
        self.device.write_registers(self.base_addr + offset, value.to_bytes(4, "little"))


class FakeDevice:
    """`pynq.Device` as far as it is used."""

    active_device: Any = None

    def __init__(self, tag: str) -> None:
        self.tag = tag


@pytest.fixture
def pynq(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The package itself where it is installed, otherwise the parts of it that are used."""
    if importlib.util.find_spec("pynq") is not None:
        import pynq

        return pynq
    fake: Any = types.ModuleType("pynq")
    fake.Device, fake.MMIO = FakeDevice, FakeMMIO
    buffer: Any = types.ModuleType("pynq.buffer")
    buffer.PynqBuffer = object
    monkeypatch.setitem(sys.modules, "pynq", fake)
    monkeypatch.setitem(sys.modules, "pynq.buffer", buffer)
    return fake


def operands(batch: int) -> dict[str, Any]:
    """A true key pair, messages and a seed."""
    rng = np.random.default_rng(7)
    secret = rng.integers(-1, 2, N).astype(np.int8)
    p1 = rng.integers(0, 1 << 32, N, dtype=np.uint32)
    error = rng.integers(-3, 4, N)
    product = [0] * N
    for i in range(N):
        for j in range(N):
            sign = 1 if i + j < N else -1
            product[(i + j) % N] += sign * int(p1[i]) * int(secret[j])
    p0 = np.array(
        [-(a + int(e)) % (1 << 32) for a, e in zip(product, error, strict=True)], np.uint32
    )
    messages = rng.integers(0, 256, (batch, N), dtype=np.uint32)
    return {"secret": secret, "p0": p0, "p1": p1, "messages": messages, "seed": bytes(range(1, 33))}


def test_names() -> None:
    assert TOY in SimBus.names()
    with pytest.raises(cy.DeviceUnsupportedError, match="bfv-crypt:toy16"):
        SimBus("bfv-crypt:none")


def test_bus_reads_writes_and_counts() -> None:
    bus = SimBus(TOY)
    assert isinstance(bus, Bus)
    assert bus.read32(regs.ID) == regs.ID_VALUE
    before = bus.cycles
    assert before is not None
    bus.step(100)
    assert bus.cycles == before + 100
    with pytest.raises(cy.DeviceError, match="answered 2"):
        bus.read32(regs.SEED)
    with pytest.raises(cy.DeviceError, match="multiple of 4"):
        bus.read32(2)
    with pytest.raises(cy.DeviceTimeoutError, match="50 cycles"):
        bus.wait(regs.STATUS, regs.STATUS_DONE.mask, 50)
    assert bus.wait(regs.STATUS, regs.STATUS_BUSY.mask, 50, set=False) == 0
    bus.write_block(0, np.arange(2 * N, dtype=np.uint32))
    assert bus.read_block(2 << 17, N).shape == (N,)
    with pytest.raises((TypeError, cy.CyclotronError)):
        bus.write_block(0, np.arange(4, dtype=np.float64))  # type: ignore[arg-type]


def test_register_maps_are_up_to_date() -> None:
    """What is committed is what the maps give: RTL, header, constants and tables."""
    pytest.importorskip("peakrdl_regblock")
    tool = ROOT / "tools" / "rtl" / "regmap.py"
    command = [sys.executable, str(tool), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_registers_say_the_same_in_all_languages() -> None:
    """The header, the Python constants and the device itself."""
    header = (ROOT / "rtl/bfv_crypt/generated/bfv_crypt_regs.h").read_text(encoding="utf-8")
    assert f"BFV_CRYPT_CONTROL {regs.CONTROL:#x}u" in header
    assert f"BFV_CRYPT_CONTROL_LFSR_SEED_MASK {regs.CONTROL_LFSR_SEED.mask:#010x}u" in header
    assert SimBus(TOY).read32(regs.SENTINEL) == regs.SENTINEL_VALUE
    assert bfv_mini.ID_VALUE != regs.ID_VALUE
    field = Field(8, 20)
    assert field.get(field.put(0xABCDE)) == 0xABCDE
    with pytest.raises(ValueError, match="1048575"):
        field.put(1 << 20)


@pytest.mark.parametrize("batch", [1, 16])
def test_overlay_over_the_simulated_bus(batch: int) -> None:
    case = operands(batch)
    overlay = overlay_module().BfvCryptOverlay(SimBus(TOY))
    args = (case["p0"], case["p1"], case["messages"], case["seed"])
    c0, c1 = overlay.encrypt(*args, run_counter=0)
    assert overlay.cycles >= 2 * batch * N
    found = overlay.decrypt(case["secret"], c0, c1)
    assert (found == case["messages"]).all()
    with pytest.raises(cy.DeviceError, match="COUNTER_REUSED"):
        overlay.encrypt(*args, run_counter=0)
    with pytest.raises(cy.DeviceError, match="1 to 16 rows of 16"):
        overlay.encrypt(case["p0"], case["p1"], np.zeros((17, N), np.uint32), case["seed"], 1)
    overlay.clear()
    assert not overlay.bus.read_block(2 << 17, N).any()


def test_overlay_refuses_another_device() -> None:
    names = [name for name in SimBus.names() if name.startswith("bfv-mini")]
    if not names:
        pytest.skip("built without bfv-mini")
    with pytest.raises(cy.DeviceMismatchError, match="0x43594302"):
        overlay_module().BfvCryptOverlay(SimBus(names[0]))


def test_a_notebook_runs_on_the_simulated_device(pynq: Any) -> None:
    """What a PYNQ notebook does: MMIO windows of the active device."""
    device = sim_device(TOY)
    pynq.Device.active_device = device
    mmio = pynq.MMIO(device.register_address, 0x800)
    assert mmio.read(regs.ID) == regs.ID_VALUE
    bus = PynqBus.on_board((device.register_address, 0x800), (device.data_address, 1 << 19))
    assert isinstance(bus, Bus)
    case = operands(2)
    overlay = overlay_module().BfvCryptOverlay(bus)
    c0, c1 = overlay.encrypt(case["p0"], case["p1"], case["messages"], case["seed"], 0)
    reference = overlay_module().BfvCryptOverlay(SimBus(TOY))
    expected = reference.encrypt(case["p0"], case["p1"], case["messages"], case["seed"], 0)
    assert (c0 == expected[0]).all()
    assert (c1 == expected[1]).all()
    assert (overlay.decrypt(case["secret"], c0, c1) == case["messages"]).all()
    with pytest.raises(cy.DeviceError, match="below 0x800"):
        bus.read32(0x800)


def test_a_mapped_window_is_used_as_an_array() -> None:
    """On a board both windows are numpy arrays over the device's memory."""

    class Mapped(FakeMMIO):
        def __init__(self, words: int) -> None:
            super().__init__(0, 4 * words, object())
            self.array = np.zeros(words, np.uint32)

        def read(self, offset: int = 0) -> int:
            return int(self.array[offset // 4])

        def write(self, offset: int, value: int) -> None:
            self.array[offset // 4] = value

    registers, data = Mapped(8), Mapped(64)
    bus = PynqBus(types.SimpleNamespace(mmio=registers), data)
    bus.write32(4, 0xFFFFFFFF)
    assert (registers.array[1], bus.read32(4)) == (0xFFFFFFFF, 0xFFFFFFFF)
    bus.write_block(16, np.arange(60, dtype=np.uint32))
    assert (data.array[4:] == np.arange(60)).all()
    found = bus.read_block(16, 60)
    data.array[:] = 0
    assert (found == np.arange(60)).all(), "a copy, not a view of the device"
    with pytest.raises(cy.DeviceError, match="61 words at 0x10"):
        bus.write_block(16, np.zeros(61, np.uint32))
    assert bus.wait(4, 1, 10) == 0xFFFFFFFF
    with pytest.raises(cy.DeviceTimeoutError, match="0x4 reads 0xffffffff"):
        bus.wait(4, 1, 10, set=False)


def test_without_pynq_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynq", None)
    with pytest.raises(cy.DeviceError, match="SimBus"):
        sim_device(TOY)
    with pytest.raises(cy.DeviceError, match="SimBus"):
        PynqBus.on_board((0, 4), (0, 4))
