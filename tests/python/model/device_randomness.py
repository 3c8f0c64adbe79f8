"""The randomness of an encryption by the device, from docs/device-randomness.md alone."""

from __future__ import annotations

import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

WORD_BYTES = 8


def words(seed: bytes, run: int, k: int, count: int) -> list[int]:
    """The first `count` 64-bit words of the stream of plaintext `k`."""
    # `cryptography` takes the block counter and the nonce as one field of 16 bytes.
    start = struct.pack("<IIQ", 0, k, run)
    encryptor = Cipher(algorithms.ChaCha20(seed, start), mode=None).encryptor()
    stream = encryptor.update(bytes(WORD_BYTES * count))
    return [int.from_bytes(stream[i : i + 8], "little") for i in range(0, len(stream), 8)]


def noise(word: int) -> int:
    """e[w]."""
    digits = f"{word:064b}"[::-1]
    return digits[0:21].count("1") - digits[21:42].count("1")


def ternary(first: int, second: int) -> int:
    """u[w div 2] of the two words."""
    x = (first >> 42) + (second >> 42 << 22)
    return (0, 1, -1)[3 * x // 2**44]


def plaintext(seed: bytes, run: int, k: int, n: int) -> dict[str, list[int]]:
    """`u`, `e1` and `e2` of plaintext `k`, `n` coefficients each."""
    stream = words(seed, run, k, 2 * n)
    e = [noise(word) for word in stream]
    u = [ternary(*stream[2 * i : 2 * i + 2]) for i in range(n)]
    return {"u": u, "e1": e[:n], "e2": e[n:]}
