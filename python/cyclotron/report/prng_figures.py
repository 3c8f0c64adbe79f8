"""Figures of the study of the noise generators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.patches import Patch
from numpy.typing import NDArray
from scipy.special import ndtri  # type: ignore[import-untyped]

from cyclotron.report import charts

COLOURS = (charts.BLUE, charts.SKY, charts.ORANGE, charts.VERMILION, charts.GREEN)
MARKERS = ("o", "s", "^", "v", "D")

#: Correlations are drawn down to this, in dB.
FLOOR = -70.0


class Sampled(Protocol):
    """What the figures need to know of a generator."""

    @property
    def name(self) -> str: ...
    @property
    def samples(self) -> NDArray[np.int64]: ...
    @property
    def mean(self) -> float: ...
    @property
    def sigma(self) -> float: ...
    @property
    def correlation(self) -> NDArray[np.float64]: ...


def decibels(correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """10 log10 |corr|, the paper's measure, not below the floor of the figure."""
    return np.asarray(10 * np.log10(np.maximum(np.abs(correlation), 10 ** (FLOOR / 10))))


def histograms(sources: Sequence[Sampled], path: Path) -> Path:
    """Relative frequencies with the normal density of the same mean and deviation."""
    made, axes = charts.figure(1, len(sources), 13, 3.1)
    for axis, source, colour in zip(axes, sources, COLOURS, strict=True):
        values, counts = np.unique(source.samples, return_counts=True)
        axis.bar(values, counts / len(source.samples), width=0.85, color=colour, label="measured")
        x = np.linspace(-22, 22, 400)
        normal = np.exp(-(((x - source.mean) / source.sigma) ** 2) / 2)
        normal /= source.sigma * np.sqrt(2 * np.pi)
        label = "normal, same mean and deviation"
        axis.plot(x, normal, color="black", linewidth=1.2, label=label)
        axis.set_title(f"{source.name}\n$\\sigma$ = {source.sigma:.2f}", fontsize="small")
        axis.set_xlabel("sample")
        axis.set_xlim(-22, 22)
        axis.set_ylim(0, 0.14)
    for axis in axes[1:]:
        axis.tick_params(labelleft=False)
    axes[0].set_ylabel("relative frequency")
    handles, labels = axes[0].get_legend_handles_labels()
    handles[labels.index("measured")] = Patch(color=charts.GREY)
    made.legend(handles, labels, loc="lower center", ncols=2, frameon=False, fontsize="small")
    return charts.save(made, path, bottom=0.08)


def quantiles(sources: Sequence[Sampled], path: Path) -> Path:
    """Standardised quantiles against those of the normal distribution."""
    made, axes = charts.figure(1, len(sources), 13, 3.3)
    for axis, source, colour in zip(axes, sources, COLOURS, strict=True):
        ordered = np.sort(source.samples)
        # Even places on the normal axis show the tails, which even ranks would crowd.
        normal = np.linspace(-4.6, 4.6, 185)
        shares = np.linspace(0, 1, len(ordered) + 1)[1:] - 0.5 / len(ordered)
        places = np.interp(normal, ndtri(shares), np.arange(len(ordered)))
        found = (ordered[places.astype(int)] - source.mean) / source.sigma
        axis.plot([-5, 5], [-5, 5], color="black", linewidth=1, label="normal")
        axis.plot(normal, found, ".", color=colour, markersize=3, label="measured")
        axis.set_title(source.name, fontsize="small")
        axis.set_xlabel("normal quantile [$\\sigma$]")
        axis.set_xlim(-5, 5)
        axis.set_ylim(-5, 5)
        axis.set_aspect("equal")
    for axis in axes[1:]:
        axis.tick_params(labelleft=False)
    axes[0].set_ylabel("sample quantile [$\\sigma$]")
    handles, labels = axes[0].get_legend_handles_labels()
    handles[labels.index("measured")] = Patch(color=charts.GREY)
    made.legend(handles, labels, loc="lower center", ncols=2, frameon=False, fontsize="small")
    return charts.save(made, path, bottom=0.07)


def correlations(sources: Sequence[Sampled], path: Path) -> Path:
    """10 log10 |corr| for every lag."""
    made, (axis,) = charts.figure(1, 1, 8.5, 4.6)
    for source, colour, marker in zip(sources, COLOURS, MARKERS, strict=True):
        lags = np.arange(1, len(source.correlation) + 1)
        axis.plot(
            lags,
            decibels(source.correlation),
            marker=marker,
            markersize=4,
            linewidth=1.1,
            color=colour,
            label=source.name,
        )
    chance = 10 * np.log10(1 / np.sqrt(len(sources[0].samples)))
    axis.axhline(chance, color=charts.GREY, linestyle=":", label="independent samples, one sigma")
    axis.set_xlabel("lag k [samples]")
    axis.set_ylabel("10 log10 |corr| [dB]")
    axis.set_xlim(0.5, 30.5)
    axis.set_ylim(FLOOR, 2)
    charts.legend_below(made, axis, 3)
    return charts.save(made, path, bottom=0.1)
