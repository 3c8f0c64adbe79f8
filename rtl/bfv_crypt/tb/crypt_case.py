"""Keys, messages and ciphertexts of the device's benches, and the checks of its results."""

from __future__ import annotations

import crypt_model as model
import numpy as np
from crypt_host import BUSY, Host, N

SEED_BYTES = bytes(range(1, 33))


class Case:
    """A key, messages and ciphertexts of one seed."""

    def __init__(self, number: int) -> None:
        source = np.random.default_rng(number)
        self.key = tuple(source.integers(0, model.Q, N, dtype=np.uint64) for _ in range(2))
        self.messages = [model.scaled(source.integers(0, model.T, N)) for _ in range(16)]
        self.s = [int(v) for v in source.integers(-1, 2, N)]
        self.c0 = [source.integers(0, model.Q, N, dtype=np.uint64) for _ in range(32)]
        self.c1 = [source.integers(0, model.Q, N, dtype=np.uint64) for _ in range(32)]

    async def load_key(self, host: Host) -> None:
        for i, part in enumerate(self.key):
            await host.write_poly(0, i, part)

    async def load_messages(self, host: Host, count: int) -> None:
        for k in range(count):
            await host.write_poly(1, 2 * k, self.messages[k])

    async def load_ciphertexts(self, host: Host, count: int) -> None:
        for k in range(count):
            await host.write_poly(0, k, self.c1[k])
            await host.write_poly(1, k, self.c0[k])

    async def check_encrypted(self, host: Host, count: int, run: int) -> None:
        for k in range(count):
            wanted = model.encrypt(self.key, self.messages[k], SEED_BYTES, run, k)
            for i in range(2):
                found = await host.read_poly(2 * k + i)
                assert np.array_equal(found, wanted[i]), f"run {run} plaintext {k} c{i}"

    async def check_decrypted(self, host: Host, count: int) -> None:
        for k in range(count):
            found = await host.read_poly(k)
            assert np.array_equal(found, model.decrypt(self.c0[k], self.c1[k], self.s)), k


async def refused(host: Host, code: int) -> None:
    """The last command was refused with this code, and nothing is running."""
    assert await host.take_error() == code
    assert not await host.status() & BUSY
