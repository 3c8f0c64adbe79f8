"""Leveled circuits of BGV on devices: ``Q < 2^27``, ``p = 2^k``.

    >>> import cyclotron as cy
    >>> from cyclotron.bgv_word import add, decrypt, encrypt
    >>> word = cy.bgv_word.Context("PAPER_128_P2", acknowledge_insecure=True)
    >>> device = word.open("cpu")  # or "bgv-core", the simulated accelerator: the same words
    >>> device.load_keys(word.keygen())
    >>> device.load_seed()
    >>> device.write_message(0, [1, 1])
    >>> device.write_message(1, [0, 1, 1])
    >>> cost = device.run([encrypt(0, 2), encrypt(1, 3), add(2, 3, 4), decrypt(4, 5)])
    >>> device.read_message(5)[:4]
    array([1, 0, 1, 0])

A device has numbered buffers, and runs lists of commands over them: from encryption to decryption
without the host. ``devices()`` lists what there is. The specification is docs/bgv-word.md, the
guide docs/python.md.
"""

from __future__ import annotations

from typing import NamedTuple

from cyclotron._native import BgvCiphertext as Ciphertext
from cyclotron._native import BgvContext as Context
from cyclotron._native import BgvDevice as Device
from cyclotron._native import BgvKeys as Keys
from cyclotron._native import Pow2Cost as Cost
from cyclotron._native import bgv_devices as devices
from cyclotron._native import bgv_presets as presets

__all__ = [
    "Ciphertext",
    "Command",
    "Context",
    "Cost",
    "Device",
    "Keys",
    "add",
    "decrypt",
    "devices",
    "encrypt",
    "key_switch",
    "mod_switch",
    "multiply",
    "presets",
]


class Command(NamedTuple):
    """One step of a circuit, over numbers of buffers. The functions of this module make them.

    ``evaluations`` asks the device to keep the result as values at the roots of ``x^n + 1``, which
    saves transforms where a product, a key switch or a decryption follows. It changes no word.
    """

    operation: str
    operands: tuple[int, ...]
    to: int
    evaluations: bool = False


def encrypt(message: int, to: int, *, evaluations: bool = False) -> Command:
    """The message in buffer ``message``, encrypted, at the top level."""
    return Command("encrypt", (message,), to, evaluations)


def add(left: int, right: int, to: int, *, evaluations: bool = False) -> Command:
    """The sum of two ciphertexts at one level."""
    return Command("add", (left, right), to, evaluations)


def multiply(left: int, right: int, to: int, *, evaluations: bool = False) -> Command:
    """The product of two ciphertexts at one level: three polynomials, until `key_switch`."""
    return Command("multiply", (left, right), to, evaluations)


def key_switch(source: int, to: int, *, evaluations: bool = False) -> Command:
    """A product as two polynomials again."""
    return Command("key-switch", (source,), to, evaluations)


def mod_switch(source: int, to: int) -> Command:
    """The same message one level down, with less noise."""
    return Command("mod-switch", (source,), to)


def decrypt(source: int, to: int) -> Command:
    """The message of a ciphertext of two polynomials."""
    return Command("decrypt", (source,), to)
