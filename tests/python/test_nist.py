"""The tests of SP 800-22 against the worked examples of the publication (rev. 1a)."""

from __future__ import annotations

import numpy as np
import pytest
from cyclotron.report import nist

# Section 2.1.8 and others: the first 100 binary digits of pi.
PI = (
    "1100100100001111110110101010001000100001011010001100001000110100"
    "110001001100011001100010100010111000"
)
# Section 2.4.8.
LONGEST = (
    "1100110000010101011011000100110011100000000000100100110101010001"
    "0001001111010110100000001101011111001100111001101101100010110010"
)
# Appendix B, the first million binary digits of e.
OF_E = {
    "frequency": 0.953749,
    "block_frequency": 0.211072,
    "runs": 0.561917,
    "longest_run": 0.718945,
    "rank": 0.306156,
    "spectral": 0.847187,
    "non_overlapping_template": 0.078790,
    "universal": 0.282568,
    "serial": 0.766182,
    "approximate_entropy": 0.700073,
    "cumulative_sums": 0.669887,
    "cumulative_sums_reverse": 0.724266,
    "random_excursions": 0.786868,
    "random_excursions_variant": 0.826009,
}
# Printed with six places; the publication's normal distribution is a little off in the last.
TOLERANCE = 1.5e-6


def bits(text: str) -> nist.Bits:
    return np.frombuffer(text.encode(), dtype=np.uint8) - ord("0")


def digits_of_e(count: int) -> nist.Bits:
    """The first binary digits of e, 10.101101...."""

    def split(a: int, b: int) -> tuple[int, int]:
        # sum of a! / k! for k in (a, b], as a fraction
        if b - a == 1:
            return 1, b
        middle = (a + b) // 2
        p, q = split(a, middle)
        r, s = split(middle, b)
        return p * s + r, q * s

    # The factorial of the last term is above 2^count.
    p, q = split(0, 64 + count // 14)
    value = ((p + q) << count) // q
    text = f"{value:b}"[:count]
    return np.frombuffer(text.encode(), dtype=np.uint8) - ord("0")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (nist.frequency(bits(PI)), 0.109599),
        (nist.block_frequency(bits(PI), 10), 0.706438),
        (nist.runs(bits(PI)), 0.500798),
        (nist.cumulative_sums(bits(PI)), 0.219194),
        (nist.cumulative_sums_reverse(bits(PI)), 0.114866),
        (nist.approximate_entropy(bits(PI), 2), 0.235301),
        (nist.longest_run(bits(LONGEST)), 0.180609),
        (nist.block_frequency(bits("0110011010"), 3), 0.801252),
        (nist.runs(bits("1001101011")), 0.147232),
        (nist.serial(bits("0011011101"), 3), 0.808792),
        (nist.approximate_entropy(bits("0100110101"), 3), 0.261961),
        (nist.cumulative_sums(bits("1011010111")), 0.411658),
    ],
)
def test_worked_examples(found: float, expected: float) -> None:
    assert found == pytest.approx(expected, abs=TOLERANCE)


def test_register_length_of_the_worked_example() -> None:
    """Section 2.10.4: the sequence 1101011110001 has the linear complexity 4."""
    assert nist.register_length(bits("1101011110001")) == 4


@pytest.mark.slow
def test_a_million_digits_of_e() -> None:
    digits = digits_of_e(10**6)
    for name, expected in OF_E.items():
        found = getattr(nist, name)(digits)
        assert found == pytest.approx(expected, abs=TOLERANCE), name
    # The appendix was printed with probabilities that the text has since corrected.
    old = [np.exp(-1) * x for x in (1, 1 / 2, 3 / 8, 13 / 48, 73 / 384)]
    old.append(1 - sum(old))
    assert nist.overlapping_template(digits, chances=old) == pytest.approx(0.110434, abs=TOLERANCE)
    old = [0.01047, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833]
    assert nist.linear_complexity(digits, chances=old) == pytest.approx(0.826335, abs=TOLERANCE)


def test_what_cannot_be_tested_is_not_a_number() -> None:
    walk = np.ones(10**4, dtype=np.uint8)
    assert np.isnan(nist.random_excursions(walk))
    assert np.isnan(nist.random_excursions_variant(walk))
    assert np.isnan(nist.universal(walk))
