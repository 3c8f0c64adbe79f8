"""BFV modulo a power of two, on the processor or a device.

    >>> import numpy as np
    >>> import cyclotron as cy
    >>> ctx = cy.pow2.Context("PAPER_BFV_1024", acknowledge_insecure=True)
    >>> keys = ctx.keygen()
    >>> x = keys.encrypt(np.array([1, 2, 3]), insecure_seed=7)
    >>> keys.decrypt(2 * x + 1)
    array([3, 5, 7])

The hardware papers encrypt and decrypt with ``q = 2^32``: a device needs no multipliers then.
``devices()`` lists what there is; every device gives the same ciphertexts for the same
seed. The guide is docs/python.md.
"""

from cyclotron._native import Pow2Ciphertext as Ciphertext
from cyclotron._native import Pow2Context as Context
from cyclotron._native import Pow2Cost as Cost
from cyclotron._native import Pow2Keys as Keys
from cyclotron._native import Pow2PublicKey as PublicKey
from cyclotron._native import Pow2RelinearizationKey as RelinearizationKey
from cyclotron._native import Pow2SecretKey as SecretKey
from cyclotron._native import pow2_devices as devices
from cyclotron._native import pow2_presets as presets

__all__ = [
    "Ciphertext",
    "Context",
    "Cost",
    "Keys",
    "PublicKey",
    "RelinearizationKey",
    "SecretKey",
    "devices",
    "presets",
]
