"""Plots of the device studies: one look, colours that the colour-blind can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # a study runs without a screen
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

# Okabe and Ito's colours.
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
VERMILION, PURPLE, SKY, GREY = "#D55E00", "#CC79A7", "#56B4E9", "#7F7F7F"


def figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of ``rows`` x ``columns`` plots, in inches; the plots row by row."""
    made, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False)
    plots = [axis for row in axes for axis in row]
    for axis in plots:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(visible=True, which="major", color="#DDDDDD", linewidth=0.6)
        axis.set_axisbelow(True)
    return made, plots


def legend_below(made: Figure, axis: Axes, columns: int) -> None:
    """One legend for the whole figure, below it, of what ``axis`` shows."""
    handles, labels = axis.get_legend_handles_labels()
    made.legend(handles, labels, loc="lower center", ncols=columns, frameon=False, fontsize="small")


def save(made: Figure, path: Path, *, bottom: float = 0.0) -> Path:
    """Writes a PNG and closes the figure; ``bottom`` is the share kept free for a legend."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made.tight_layout(rect=(0, bottom, 1, 1))
    made.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(made)
    return path


def bar_labels(axis: Axes, positions: Sequence[float], values: Sequence[float]) -> None:
    """The value at the end of each horizontal bar."""
    for position, value in zip(positions, values, strict=True):
        text = f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
        axis.annotate(
            text,
            (value, position),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize="x-small",
        )


def plain_log_ticks(axis: Axes) -> None:
    """1, 2, 5, 10, 20, 50, ... in place of powers, for a logarithmic axis of few decades."""
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
