"""A picture of the results, where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .report import Ratios
from .results import Result
from .variants import BASE


class NoPlotError(Exception):
    """There is nothing to draw with, or nothing to draw."""


def plot(results: Sequence[Result], path: Path) -> None:
    """Draw the speed-ups over the base as bars on a logarithmic axis. Raises `NoPlotError`."""
    try:
        from matplotlib.figure import (  # type: ignore[import-not-found, unused-ignore]
            Figure,
        )
    except ImportError:
        raise NoPlotError("matplotlib is not installed") from None
    ratios = Ratios(results)
    columns = [column for column in ratios.columns if column != f"{BASE.name}@1"]
    if not columns:
        raise NoPlotError("only the base was measured")
    figure = Figure(figsize=(2 + 0.16 * len(columns) * len(ratios.kernels), 5))
    axes = figure.add_subplot()
    width = 0.8 / len(columns)
    for number, column in enumerate(columns):
        values = [ratios.ratio(kernel, column) for kernel in ratios.kernels]
        places = [n for n, value in enumerate(values) if value is not None]
        # Bars stand on 1, the base.
        heights = [value - 1 for value in values if value is not None]
        lefts = [place - 0.4 + number * width for place in places]
        axes.bar(lefts, heights, width, bottom=1, align="edge", label=column)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_ylabel(f"speed-up over {BASE.name}")
    axes.set_xticks(range(len(ratios.kernels)), ratios.kernels, rotation=90)
    axes.legend(fontsize="small", ncols=2)
    figure.savefig(path, bbox_inches="tight")
