"""The study of the noise generators: the S-BFV paper's figures 30 to 32 and tables 3 and 4.

The paper's generator with 20 and 60 bits, the rotation-only baseline it compares with, and the
default noise of our device, all from models that agree with the RTL bit for bit.
"""

from __future__ import annotations

import datetime
import platform
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import cyclotron
from cyclotron.report import generators, nist, prng_figures, tables

#: Samples of the plots: the period of the 20-bit register, as in the paper.
SAMPLES = 2**20 - 1
#: Bits of the tests of SP 800-22, as in the paper.
BITS = 10**6
LAGS = 30

#: Where each register starts. The paper names no state; any but zero gives the same cycle.
STATES = {20: 0xABCDE, 60: 0x0123456789ABCDE, 11: 0x5A5}
SEED = bytes(range(32))

#: Table 4 of the paper: p-value as printed (0.0 stands for "~ 0").
PAPER_P = {
    "frequency (monobit)": 0.717,
    "frequency within a block": 0.404,
    "runs": 0.0,
    "longest run of ones in a block": 0.0,
    "binary matrix rank": 0.694,
    "discrete Fourier transform": 0.0,
    "non-overlapping template": 0.0,
    "overlapping template": 0.296,
    "Maurer's universal": 0.0,
    "linear complexity": 0.809,
    "serial": 0.0,
    "approximate entropy": 0.797,
    "cumulative sums, forward": 0.634,
    "cumulative sums, reverse": 0.774,
    "random excursions": 0.673,
    "random excursions variant": 0.658,
}

#: Table 3 of the paper: LUTs, FFs, bits, clock cycles a number.
PAPER_AREA = (
    ("LFSR113, quoted", 79, 162, 32, 2),
    ("Taus88, quoted", 68, 130, 32, 2),
    ("LFSR258, quoted", 171, 386, 64, 2),
    ("LUT-SR, quoted", 64, 64, 32, 2),
    ("rotation only, quoted", 40, 11, 20, 1),
    ("paper, 20 bits, quoted", 81, 41, 20, 1),
    ("paper, 60 bits, quoted", 241, 91, 60, 1),
)

#: Ours: name, configuration of the block `random` for Xilinx 7, bits, clock cycles a number.
OUR_AREA = (
    ("rotation only, 11 bits (`gauss_rotation`)", "rotation_11", 11, 1),
    ("rotation only, 20 bits (`gauss_rotation`)", "rotation_20", 20, 1),
    ("paper, 20 bits (`gauss_lfsr`)", "gauss_20", 20, 1),
    ("paper, 60 bits (`gauss_lfsr`)", "gauss_60", 60, 1),
    ("default: ChaCha20 and sampler (`device_random`)", "both_1024", 256, 1),
)


@dataclass(frozen=True)
class Source:
    """Samples of one generator and what the study says of them."""

    name: str
    samples: generators.Samples
    period: str
    correlation: NDArray[np.float64]
    p_values: dict[str, float]

    @property
    def mean(self) -> float:
        """Of the samples."""
        return float(self.samples.mean())

    @property
    def sigma(self) -> float:
        """Their standard deviation."""
        return float(self.samples.std())

    def moment(self, order: int) -> float:
        """A standardised central moment."""
        return float((((self.samples - self.mean) / self.sigma) ** order).mean())

    @property
    def passed(self) -> int:
        """Tests passed, of those that could be made."""
        return sum(p >= nist.SIGNIFICANCE for p in self.p_values.values())


def run(out: Path, *, quick: bool = False) -> None:
    """Draws the figures below ``out``/figures and writes ``out``/prng-study.md."""
    sources = study(quick=quick)
    figures = out / "figures"
    prng_figures.histograms(sources, figures / "prng-histogram.png")
    prng_figures.quantiles(sources, figures / "prng-quantiles.png")
    prng_figures.correlations(sources, figures / "prng-autocorrelation.png")
    page = out / "prng-study.md"
    page.write_text(text(sources, quick=quick), encoding="utf-8")
    print(f"written: {page} and three figures in {figures}")


def study(*, quick: bool) -> list[Source]:
    """All generators; ``quick`` leaves out the tests of SP 800-22."""
    sources = []
    for generator in (
        generators.SPLIT_20,
        generators.SPLIT_60,
        generators.ROTATION_20,
        generators.ROTATION_11,
    ):
        states = generator.states(STATES[generator.width], SAMPLES)
        samples = generator.samples(states)
        period = f"2^{generator.width} - 1"
        sources.append(examine(generator.name, samples, period, quick=quick))
    noise = generators.binomial_noise(SEED, 0, 0, (SAMPLES + 1) // 2)[:SAMPLES]
    sources.append(examine("default (CBD, ChaCha20)", noise, "none", quick=quick))
    return sources


def examine(name: str, samples: generators.Samples, period: str, *, quick: bool) -> Source:
    """Correlation and tests of one generator's samples."""
    bits = lowest_bits(samples)[:BITS]
    p_values = {} if quick else {test: value(bits) for test, value in nist.TESTS}
    return Source(name, samples, period, autocorrelation(samples, LAGS), p_values)


def lowest_bits(samples: generators.Samples) -> nist.Bits:
    """The bits that are tested: the lowest one of each sample, in order."""
    return (samples & 1).astype(np.uint8)


def autocorrelation(samples: generators.Samples, lags: int) -> NDArray[np.float64]:
    """The correlation of the samples with themselves 1 .. ``lags`` later, closed to a ring.

    The ring makes it exact for a whole period; for others it differs in ``lags`` of all terms.
    """
    centred = samples - samples.mean()
    power = float(centred @ centred)
    return np.array([centred @ np.roll(centred, -lag) / power for lag in range(1, lags + 1)])


def text(sources: list[Source], *, quick: bool) -> str:
    """The page."""
    starts = ", ".join(f"`{state:x}` ({width} bits)" for width, state in STATES.items())
    shortened = "\nThis was a shortened run (`--quick`): no tests of SP 800-22.\n" if quick else ""
    return f"""\
# Noise generators

The study of the S-BFV paper ("BFV homomorphic encryption accelerator with integrated Gaussian
PRNG on FPGA", figures 30 to 32, tables 3 and 4) on its own generator, on the rotation-only
baseline, and on the default noise of our device ([device-randomness.md](device-randomness.md)).
Made by `python -m cyclotron.report prng`; the generators are the models that the RTL of
`rtl/random` is tested against, bit for bit. Statistics say nothing of security: the 20-bit
generator is [broken in seconds](attacks.md), and so would any other be that is a shift register.

- date: {datetime.date.today().isoformat()}
- machine: {tables.machine()}
- versions: cyclotron {cyclotron.__version__}, Python {platform.python_version()},
  numpy {np.__version__}
- samples: {SAMPLES:,} of each generator (the period of the 20-bit register)
- registers begin at {starts}; the default's seed is `00 01 .. 1f`
{shortened}
## Distribution

{distribution_table(sources)}

Every generator is scaled to a deviation near, and not below, the 3.19 of the security tables
([why these](../rtl/random/README.md)). The paper's generators add four rotations of one register,
whose eight samples are not independent. The default is the centred binomial distribution with k =
21, of which sigma is 3.2404 and the excess kurtosis -0.0476.

![Histograms](figures/prng-histogram.png)

![Quantiles against the normal distribution](figures/prng-quantiles.png)

## Autocorrelation

![Autocorrelation for lags 1 to 30](figures/prng-autocorrelation.png)

{correlation_text(sources)}

## SP 800-22

{nist_table(sources) if not quick else ""}

p-values of the first {BITS:,} bits; a test is passed when p >= {nist.SIGNIFICANCE}, which a
perfect source misses once in a hundred. Not applicable: the random walk returns to zero fewer
than 500 times, and the excursions cannot be tested.

The 60-bit register passes everything, and is a shift register all the same: such tests find
defects, they cannot find security.

The paper does not say which bits it tested. Here it is **the lowest bit of each sample**, in
order, because it alone must be unbiased: P(even) - P(odd) of a Gaussian with sigma 3.2 is below
10^-20, while the sign and the high bits of any Gaussian are not uniform, so that tests of whole
samples fail for a perfect generator as well. Parameters and choice of p-value are those of the
publication's appendix B (block of 128, template 000000001, state +1, variant -1, serial m = 16,
entropy m = 10).

The tests are our own (`python/cyclotron/report/nist.py`) and agree with the publication's worked
examples and with appendix B for the digits of e in all sixteen rows
(`tests/python/test_nist.py`). The package that is kept on PyPI (nistrng 1.2.3) does not: it takes
min and max of the block length of the entropy test the wrong way round, among other faults
reported to it.

## Area

{area_table()}

Area/bits is the paper's: (LUTs + FFs) x 8 / bits, where bits are those of the register; for the
default they are those of the seed. Quoted rows are the paper's table 3, after its place and
route; ours are Yosys' counts before placement, without pads. The paper's 11 registers of the
rotation-only design are those of an 11-bit register, though its table says 20 bits; both are
built here. The default makes 64 random bits a cycle and needs two block RAMs of 18 Kbit and one
of 36 Kbit besides, for n = 1024.
"""


def distribution_table(sources: list[Source]) -> str:
    """Moments and range."""
    header = ["generator", "mean", "sigma", "skewness", "excess kurtosis", "range", "period"]
    rows = [
        [
            source.name,
            f"{source.mean:+.4f}",
            f"{source.sigma:.4f}",
            f"{source.moment(3):+.4f}",
            f"{source.moment(4) - 3:+.4f}",
            f"{source.samples.min()} .. {source.samples.max()}",
            source.period,
        ]
        for source in sources
    ]
    return tables.table(header, rows)


def correlation_text(sources: list[Source]) -> str:
    """What the figure shows, in numbers."""
    header = ["generator", "lag 1", "lags 2..10", "lags 11..19", "lags 20..30"]

    def decibels(values: NDArray[np.float64]) -> str:
        return f"{float(np.median(prng_figures.decibels(values))):.0f} dB"

    rows = [
        [
            source.name,
            decibels(source.correlation[:1]),
            decibels(source.correlation[1:10]),
            decibels(source.correlation[10:19]),
            decibels(source.correlation[19:]),
        ]
        for source in sources
    ]
    return f"""\
{tables.table(header, rows)}

10 log10 |corr|, the paper's measure; medians of the lags. Successive states share all bits but
one, so the samples of every shift register are correlated as long as a bit stays in the register,
with a peak at half the width, where the halves have changed places; for 60 bits that is all of the
figure. After that only the shortness of the period is left: for a sum of all m bits of a
register of period P about m/P, which is -47 dB for 20 bits and -23 dB for 11. Rounding to small
samples takes the paper's 20-bit generator from -48 dB to the -39 dB shown.

The paper reports about -60 dB for its generator and about -30 dB for rotation only beyond lag 20.
The distance between the two is that of a 20-bit and an 11-bit register, not of two of 20 bits.
Independent samples of this number have -30 dB by chance; lower values show that a whole period has
been used up, not that a generator is better."""


def nist_table(sources: list[Source]) -> str:
    """Table 4 with ours beside it."""

    def shown(p: float) -> str:
        if isnan(p):
            return "not applicable"
        return f"{'~0' if p < 0.0005 else f'{p:.3f}'} {verdict(p)}"

    header = ["test", "paper's table 4", *(source.name for source in sources)]
    rows = [
        [name, shown(PAPER_P[name]), *(shown(source.p_values[name]) for source in sources)]
        for name, _ in nist.TESTS
    ]
    passed = [str(sum(p >= nist.SIGNIFICANCE for p in PAPER_P.values()))]
    rows.append(["passed, of 16", *passed, *(str(source.passed) for source in sources)])
    return tables.table(header, rows)


def verdict(p: float) -> str:
    """Passed or failed."""
    return "pass" if p >= nist.SIGNIFICANCE else "**fail**"


def area_table() -> str:
    """Table 3 with ours below."""
    header = ["generator", "LUT", "FF", "bits", "area/bits", "cycles a number"]
    rows = [area_row(*row) for row in PAPER_AREA]
    for name, configuration, bits, clocks in OUR_AREA:
        found = tables.resources(f"random.{configuration}")
        if found is None:
            rows.append([name, "not synthesised", "-", bits, "-", clocks])
        else:
            luts = int(found["lut"] + found["lutram"])
            rows.append(area_row(name, luts, int(found["ff"]), bits, clocks))
    return tables.table(header, rows)


def area_row(name: str, luts: int, ffs: int, bits: int, clocks: int) -> list[object]:
    """A row of table 3 with the paper's quotient."""
    return [name, f"{luts:,}", f"{ffs:,}", bits, f"{(luts + ffs) * 8 / bits:.1f}", clocks]
