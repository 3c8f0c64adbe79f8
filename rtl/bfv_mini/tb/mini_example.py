"""The worked example of the README, n = 8: small numbers, so that they can be followed by hand."""

from __future__ import annotations

from pathlib import Path

import mini_model as model

README = Path(__file__).resolve().parents[1] / "README.md"
SCHEME = model.Scheme(8, 16, 2)
S = [1, 0, -1, 1, 0, 0, 1, -1]
P1 = [1, 2, 3, 4, 5, 6, 7, 8]
KEY_ERROR = [1, 0, -1, 0, 0, 1, 0, 0]
P0 = [-(x + e) % model.Q for x, e in zip(model.negacyclic(P1, S), KEY_ERROR, strict=True)]
ITEM = model.Encryption(
    message=[1, 2, 3, 4, 5, 6, 7, 8],
    u=[1, 1, 0, -1, 0, 0, 0, 1],
    e1=[1, -1, 0, 2, 0, 0, -2, 0],
    e2=[0, 1, 0, 0, -1, 0, 3, 0],
)


def table() -> list[str]:
    """The README's lines: i, then the words at index i of each memory and register."""
    c0, c1 = SCHEME.encrypt(P0, P1, ITEM)
    message = SCHEME.decrypt(c0, c1, S)
    rows = zip(S, P0, P1, ITEM.words(), c0, c1, message, strict=True)
    return [
        f"| {i} | {s} | {p0:08x} | {p1:08x} | {word:08x} | {x:08x} | {y:08x} | {m} |"
        for i, (s, p0, p1, word, x, y, m) in enumerate(rows)
    ]
