"""The statistical tests of NIST SP 800-22 rev. 1a, on numpy arrays of zeros and ones.

Each test gives the p-value of its section of the publication: the chance that a perfect source
looks at least as odd. ``tests/python/test_nist.py`` holds them against the worked examples of the
sections and against the results of appendix B for the first million binary digits of e.

Where a test has many p-values (templates, states), the one of appendix B is taken: template
000000001, state +1 of the excursions, state -1 of their variant, the first of the serial test.
NaN means that the sequence cannot be tested (too few cycles, or too short).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erfc, exp, log, prod, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, ndtr  # type: ignore[import-untyped]

Bits = NDArray[np.uint8]

#: A test fails below this.
SIGNIFICANCE = 0.01

NAN = float("nan")


def _chi_square(counts: NDArray[np.int64], probabilities: Sequence[float]) -> float:
    expected = counts.sum() * np.array(probabilities)
    return float(((counts - expected) ** 2 / expected).sum())


def _igamc(a: float, x: float) -> float:
    return float(gammaincc(a, x))


def _patterns(bits: Bits, m: int) -> NDArray[np.int64]:
    """Every window of m bits of the sequence closed to a ring, as a number."""
    ring = np.concatenate([bits, bits[: m - 1]]).astype(np.int64)
    numbers = np.zeros(len(bits), dtype=np.int64)
    for i in range(m):
        numbers = 2 * numbers + ring[i : i + len(bits)]
    return numbers


def frequency(bits: Bits) -> float:
    """2.1: ones and zeros are equally many."""
    total = 2 * int(bits.sum()) - len(bits)
    return erfc(abs(total) / sqrt(2 * len(bits)))


def block_frequency(bits: Bits, m: int = 128) -> float:
    """2.2: so they are in blocks of m."""
    blocks = bits[: len(bits) // m * m].reshape(-1, m)
    chi_square = 4 * m * float(((blocks.mean(axis=1) - 0.5) ** 2).sum())
    return _igamc(len(blocks) / 2, chi_square / 2)


def runs(bits: Bits) -> float:
    """2.3: zeros and ones alternate as often as they should."""
    n = len(bits)
    share = float(bits.mean())
    if abs(share - 0.5) >= 2 / sqrt(n):
        return 0.0
    changes = 1 + int((bits[1:] != bits[:-1]).sum())
    spread = share * (1 - share)
    return erfc(abs(changes - 2 * n * spread) / (2 * sqrt(2 * n) * spread))


def longest_run(bits: Bits) -> float:
    """2.4: the longest runs of ones in blocks."""
    n = len(bits)
    if n >= 750_000:
        m, low, high = 10_000, 10, 16
        chances = [0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727]
    elif n >= 6272:
        m, low, high = 128, 4, 9
        chances = [0.1174035788, 0.242955959, 0.249363483, 0.17517706, 0.102701071, 0.112398847]
    else:
        m, low, high = 8, 1, 4
        chances = [55 / 256, 94 / 256, 59 / 256, 48 / 256]
    blocks = bits[: n // m * m].reshape(-1, m)
    longest = np.zeros(len(blocks), dtype=np.int64)
    running = np.zeros(len(blocks), dtype=np.int64)
    for column in blocks.T:
        running = (running + 1) * column
        np.maximum(longest, running, out=longest)
    counts = np.bincount(np.clip(longest, low, high) - low, minlength=high - low + 1)
    return _igamc((high - low) / 2, _chi_square(counts, chances) / 2)


def rank(bits: Bits) -> float:
    """2.5: ranks of 32 x 32 matrices over GF(2)."""
    count = len(bits) // 1024
    rows = bits[: 1024 * count].reshape(-1, 32).astype(np.uint64)
    numbers = (rows << np.arange(32, dtype=np.uint64)).sum(axis=1).reshape(count, 32)
    ranks = np.array([_rank([int(row) for row in matrix]) for matrix in numbers])
    counts = np.array([(ranks == 32).sum(), (ranks == 31).sum(), (ranks < 31).sum()])
    full = prod(1 - 2.0**-i for i in range(1, 33))
    chances = [full, 2 * full * (1 - 2.0**-32)]
    return exp(-_chi_square(counts, [*chances, 1 - sum(chances)]) / 2)


def _rank(rows: list[int]) -> int:
    found = 0
    while rows:
        pivot = rows.pop()
        if pivot:
            found += 1
            low = pivot & -pivot
            rows = [row ^ pivot if row & low else row for row in rows]
    return found


def spectral(bits: Bits) -> float:
    """2.6: peaks of the discrete Fourier transform."""
    n = len(bits)
    peaks = np.abs(np.fft.rfft(2.0 * bits - 1.0))[: n // 2]
    below = int((peaks < sqrt(log(1 / 0.05) * n)).sum())
    difference = (below - 0.95 * n / 2) / sqrt(n * 0.95 * 0.05 / 4)
    return erfc(abs(difference) / sqrt(2))


def non_overlapping_template(bits: Bits, template: str = "000000001", blocks: int = 8) -> float:
    """2.7: occurrences of a template that cannot overlap itself."""
    m, length = len(template), len(bits) // blocks
    mean = (length - m + 1) / 2**m
    variance = length * (1 / 2**m - (2 * m - 1) / 2 ** (2 * m))
    chi_square = 0.0
    for block in bits[: blocks * length].reshape(blocks, length):
        text = block.tobytes()
        chi_square += (text.count(bytes(map(int, template))) - mean) ** 2 / variance
    return _igamc(blocks / 2, chi_square / 2)


#: Of 0, 1, .. 4, and more occurrences (Hamano and Kaneko's correction, in rev. 1a).
OVERLAPS = (0.364091, 0.185659, 0.139381, 0.100571, 0.0704323, 0.139865)


def overlapping_template(bits: Bits, m: int = 9, chances: Sequence[float] = OVERLAPS) -> float:
    """2.8: occurrences of m ones, which may overlap, in blocks of 1032."""
    length = 1032
    blocks = bits[: len(bits) // length * length].reshape(-1, length)
    if not len(blocks):
        return NAN
    totals = np.cumsum(np.pad(blocks.astype(np.int64), ((0, 0), (1, 0))), axis=1)
    hits = (totals[:, m:] - totals[:, :-m] == m).sum(axis=1)
    counts = np.bincount(np.minimum(hits, 5), minlength=6)
    return _igamc(5 / 2, _chi_square(counts, chances) / 2)


def universal(bits: Bits) -> float:
    """2.9: Maurer's test, how far back blocks of L bits repeat (10 * 2^L of them to begin)."""
    sizes = {6: (5.2177052, 2.954), 7: (6.1962507, 3.125), 8: (7.1836656, 3.238)}
    limits = {6: 387_840, 7: 904_960, 8: 2_068_480}
    fitting = [size for size, limit in limits.items() if len(bits) >= limit]
    if not fitting:
        return NAN
    size = max(fitting)
    expected, variance = sizes[size]
    values = bits[: len(bits) // size * size].reshape(-1, size) @ (1 << np.arange(size)[::-1])
    start = 10 << size
    blocks = len(values) - start
    last = np.zeros(1 << size, dtype=np.int64)
    total = 0.0
    for i, value in enumerate(values.tolist(), 1):
        if i > start:
            total += log(i - last[value], 2)
        last[value] = i
    factor = 0.7 - 0.8 / size + (4 + 32 / size) * blocks ** (-3 / size) / 15
    sigma = factor * sqrt(variance / blocks)
    return erfc(abs(total / blocks - expected) / (sqrt(2) * sigma))


#: Of the seven classes of the linear complexity, as derived in section 3.10.
COMPLEXITIES = (1 / 96, 1 / 32, 1 / 8, 1 / 2, 1 / 4, 1 / 16, 1 / 48)


def linear_complexity(bits: Bits, m: int = 500, chances: Sequence[float] = COMPLEXITIES) -> float:
    """2.10: lengths of the shortest shift registers that make blocks of m bits."""
    blocks = bits[: len(bits) // m * m].reshape(-1, m)
    sign = -1 if m % 2 else 1
    mean = m / 2 + (9 - sign) / 36 - (m / 3 + 2 / 9) / 2.0**m
    values = np.array([sign * (register_length(block) - mean) + 2 / 9 for block in blocks])
    counts = np.bincount(np.searchsorted([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], values), minlength=7)
    return _igamc(3, _chi_square(counts, chances) / 2)


def register_length(bits: Bits) -> int:
    """The linear complexity of a sequence, by Berlekamp and Massey's algorithm."""
    connection = previous = 1
    length, shift, past = 0, 1, 0
    for i, bit in enumerate(bits.tolist()):
        past = past << 1 | bit  # bit j is the j-th last of the sequence
        if (past & connection).bit_count() & 1:
            connection, before = connection ^ previous << shift, connection
            if 2 * length <= i:
                length, previous, shift = i + 1 - length, before, 0
        shift += 1
    return length


def _psi_square(bits: Bits, m: int) -> float:
    if m <= 0:
        return 0.0
    counts = np.bincount(_patterns(bits, m), minlength=1 << m).astype(np.float64)
    return float((counts**2).sum()) * (1 << m) / len(bits) - len(bits)


def serial(bits: Bits, m: int = 16) -> float:
    """2.11: all patterns of m bits are equally many."""
    delta = _psi_square(bits, m) - _psi_square(bits, m - 1)
    return _igamc(2 ** (m - 2), delta / 2)


def approximate_entropy(bits: Bits, m: int = 10) -> float:
    """2.12: patterns of m and of m + 1 bits."""

    def phi(length: int) -> float:
        counts = np.bincount(_patterns(bits, length))
        shares = counts[counts > 0] / len(bits)
        return float((shares * np.log(shares)).sum())

    entropy = phi(m) - phi(m + 1)
    return _igamc(2 ** (m - 1), len(bits) * (log(2) - entropy))


def cumulative_sums(bits: Bits, *, backward: bool = False) -> float:
    """2.13: how far the walk with steps +1 and -1 goes from its start."""
    walk = np.cumsum(2 * bits.astype(np.int64) - 1)
    if backward:
        walk = np.cumsum(2 * bits[::-1].astype(np.int64) - 1)
    n, z = len(bits), int(np.abs(walk).max())

    def between(first: int, last: int, low: int, high: int) -> float:
        k = np.arange(first, last + 1)
        return float((ndtr((4 * k + high) * z / sqrt(n)) - ndtr((4 * k + low) * z / sqrt(n))).sum())

    # Divisions towards zero, as the publication's program does them.
    first, last = int((-n / z + 1) / 4), int((n / z - 1) / 4)
    return 1 - between(first, last, -1, 1) + between(int((-n / z - 3) / 4), last, 1, 3)


def cumulative_sums_reverse(bits: Bits) -> float:
    """2.13, from the end."""
    return cumulative_sums(bits, backward=True)


def _cycles(bits: Bits) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The walk, the number of the cycle that each of its steps is in, and how many there are."""
    walk = np.cumsum(2 * bits.astype(np.int64) - 1)
    ends = walk == 0
    number = np.cumsum(ends) - ends
    return walk, number, int(number[-1]) + 1


def random_excursions(bits: Bits, state: int = 1) -> float:
    """2.14: visits of the walk to a state, in each of its cycles from zero to zero."""
    walk, number, cycles = _cycles(bits)
    if cycles < max(0.005 * sqrt(len(bits)), 500):
        return NAN
    visits = np.bincount(number[walk == state], minlength=cycles)
    counts = np.bincount(np.minimum(visits, 5), minlength=6)
    back = 1 - 1 / (2 * abs(state))
    chances = [back] + [(1 - back) ** 2 * back ** (k - 1) for k in range(1, 5)]
    chances.append(1 - sum(chances))
    return _igamc(5 / 2, _chi_square(counts, chances) / 2)


def random_excursions_variant(bits: Bits, state: int = -1) -> float:
    """2.15: visits of the walk to a state in all."""
    walk, _, cycles = _cycles(bits)
    if cycles < max(0.005 * sqrt(len(bits)), 500):
        return NAN
    visits = int((walk == state).sum())
    return erfc(abs(visits - cycles) / sqrt(2 * cycles * (4 * abs(state) - 2)))


#: Name and test, in the order of table 4 of the S-BFV paper.
TESTS: tuple[tuple[str, Callable[[Bits], float]], ...] = (
    ("frequency (monobit)", frequency),
    ("frequency within a block", block_frequency),
    ("runs", runs),
    ("longest run of ones in a block", longest_run),
    ("binary matrix rank", rank),
    ("discrete Fourier transform", spectral),
    ("non-overlapping template", non_overlapping_template),
    ("overlapping template", overlapping_template),
    ("Maurer's universal", universal),
    ("linear complexity", linear_complexity),
    ("serial", serial),
    ("approximate entropy", approximate_entropy),
    ("cumulative sums, forward", cumulative_sums),
    ("cumulative sums, reverse", cumulative_sums_reverse),
    ("random excursions", random_excursions),
    ("random excursions variant", random_excursions_variant),
)
