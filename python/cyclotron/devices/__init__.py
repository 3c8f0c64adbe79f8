"""Accelerators behind a bus: simulated in this process, or on a PYNQ board.

* `Bus`: the five calls that reach a device; `SimBus` makes them to a model of the RTL, `PynqBus`
  to a board;
* `sim_device`: a `pynq.Device` over a simulated device, so that PYNQ notebooks run without a board;
* `registers`: register maps, generated from the same source as the RTL.

Encryption and decryption on a device is ``cyclotron.pow2.Context(..., device="bfv-crypt")``; this
package is for those who talk to the registers themselves. The guide is docs/devices.md.
"""

from cyclotron._native import SimBus
from cyclotron.devices.bus import Bus
from cyclotron.devices.pynq_bus import PynqBus
from cyclotron.devices.sim_device import sim_device

__all__ = ["Bus", "PynqBus", "SimBus", "sim_device"]
