"""The third part of the demo: the same data through the simulated encryption device.

Measurements, seven bits each, are encrypted by the RTL of `rtl/bfv_crypt` at its full size
(n = 1024), one ciphertext a measurement, all of a vector in one run. On the processor each is added
to the next, and the device decrypts the sums. The processor repeats both encryptions from the same
seed: the ciphertexts must be equal bit for bit.
"""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import cyclotron as cy
import numpy as np

DEVICE = "bfv-crypt"
PRESET = "PAPER_BFV_1024"
# "BFV homomorphic encryption accelerator with integrated Gaussian PRNG on FPGA": 40.97 us and
# 20.50 us at 100 MHz for one plaintext and one ciphertext.
PAPER_CYCLES = {"encrypt": 4097, "decrypt": 2050}
ASSUMED_MHZ = 100
LEVELS = 127  # seven bits: the sum of two fits in t = 2^8


@contextmanager
def patience(what: str, seconds: float = 2.0) -> Iterator[None]:
    """Says what is going on when it takes long, on a terminal."""

    def say() -> None:
        if sys.stderr.isatty():
            print(f"  {what} ...", file=sys.stderr, flush=True)

    timer = threading.Timer(seconds, say)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def scaled(integers: np.ndarray) -> np.ndarray:
    """Integers from 0 to LEVELS, in exact arithmetic: value / largest, rounded down."""
    return integers * LEVELS // int(integers.max())


def packed(measurements: list[np.ndarray], degree: int) -> np.ndarray:
    """One polynomial a measurement, filled with zeros."""
    rows = np.zeros((len(measurements), degree), dtype=np.int64)
    for row, measurement in zip(rows, measurements, strict=True):
        row[: len(measurement)] = measurement
    return rows.ravel()


def line(what: str, count: int, compute: int, transfer: int) -> str:
    """One row: cycles as simulated, the time at an assumed clock, the paper's figure."""
    each = compute / count
    time = each / ASSUMED_MHZ
    return (
        f"  {what:8} {count:5} {compute:10} {transfer:10} {each:8.0f} {time:16.2f} "
        f"{PAPER_CYCLES[what]:7}"
    )


def run_device(names: list[str], measurements: list[np.ndarray]) -> bool:
    """The whole part; whether everything is as it must be."""
    listing = next(device for device in cy.pow2.devices() if device["name"] == DEVICE)
    if not listing["available"]:
        print(f"\nDevice {DEVICE} is not in this build: {listing['remedy']}")
        return True
    count = len(measurements[0])
    context = cy.pow2.Context(PRESET, acknowledge_insecure=True)
    keys = context.keygen()
    small = [scaled(integers) for integers in measurements]
    # The sum of the two: each measurement and the next.
    values = [packed(part, context.degree) for part in (small[:-1], small[1:])]
    sizes = f"n = {context.degree}, q = 2^{context.log_q}, t = 2^{context.log_t}"
    print(f"\nDevice {DEVICE}, its RTL simulated cycle by cycle: {sizes} (not secure)")

    seed = secrets.token_bytes(32)  # given to both sides, so that they can be compared
    ciphertexts, same = [], True
    compute = transfer = 0
    for run, value in enumerate(values):
        with patience("the device encrypts in simulation"):
            ciphertext = keys.encrypt(value, device=DEVICE, insecure_seed=seed, run_counter=run)
        again = keys.encrypt(value, insecure_seed=seed, run_counter=run)
        same &= bool(np.array_equal(ciphertext.words, again.words))
        cost = ciphertext.cost
        compute += (cost.compute_cycles or 0) if cost else 0
        transfer += (cost.transfer_cycles or 0) if cost else 0
        ciphertexts.append(ciphertext)
    total = ciphertexts[0] + ciphertexts[1]
    with patience("the device decrypts in simulation"):
        decrypted, cost = keys.secret.decrypt_with_cost(total, device=DEVICE)
    # The values are signed 8-bit ones to the scheme: read modulo t = 256.
    equal = decrypted % context.plaintext_modulus == values[0] + values[1]
    sums = (len(small) - 1) * count
    right = int(np.count_nonzero(equal.reshape(-1, context.degree)[:, :count]))

    print(f"  {'':14} {'cycles':>10} {'cycles':>10} {'cycles':>8} {'us each at an':>16} paper's")
    print(
        f"  {'':14} {'computing':>10} {'carrying':>10} {'each':>8} "
        f"{f'assumed {ASSUMED_MHZ} MHz':>16}  cycles"
    )
    print(line("encrypt", 2 * (len(small) - 1), compute, transfer))
    print(line("decrypt", len(small) - 1, cost.compute_cycles or 0, cost.transfer_cycles or 0))
    print(
        f"  {len(names)} measurements of {count} patients, 7 bits each: {names[0]} ... {names[-1]}"
    )
    print(f"  ciphertexts equal to the processor's, bit for bit: {'yes' if same else 'NO'}")
    print(
        f"  added on the processor, decrypted on the device: {right} of {sums} sums exact; "
        f"margin {total.margin:.1f} bits"
    )
    counted = compute > 0 and (cost.compute_cycles or 0) > 0
    return same and bool(equal.all()) and counted
