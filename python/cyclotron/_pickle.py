"""What pickles of contexts, keys and ciphertexts call to restore them.

A pickle holds the parameters (as pinned JSON), the engine options, and for keys and ciphertexts the
bytes of their file format: no engine data, so it may be read on any machine. Objects of one pickle
share one context. As with every pickle, read only what comes from someone you trust; for anything
else there is ``from_bytes``, which checks what it reads.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from cyclotron._native import Context, Pow2Context

T = TypeVar("T", covariant=True)


class Stored(Protocol[T]):
    """A class with the file format's ``from_bytes``."""

    @staticmethod
    def from_bytes(context: Any, data: bytes, /) -> T: ...


def context(pinned: str, options: dict[str, Any]) -> Context:
    """The context of pinned parameters on a fresh engine."""
    return Context.from_json(pinned, **options)


def pow2_context(pinned: str, device: str) -> Pow2Context:
    """The context of pinned parameters modulo a power of two, with its device opened anew."""
    return Pow2Context.from_json(pinned, device=device)


def stored(cls: Stored[T], owner: Context | Pow2Context, data: bytes) -> T:
    """A key or ciphertext of a context."""
    return cls.from_bytes(owner, data)
