"""A picture of the results: bars on a logarithmic axis, as SVG and without a library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, log10
from pathlib import Path
from typing import Final

from .report import Ratios
from .results import Result
from .variants import BASE

_WIDTH: Final = 860
"""Pages are about as wide, so that letters are as large as those of the text."""

_HEAD: Final = 41
"""Where the names of the series begin: their first line."""

_LINE: Final = 20
_BAR: Final = 8
_GAP: Final = 9
_MARGIN: Final = 20
_LETTER: Final = 8
"""The width of a letter, at the most."""

_LABELS: Final = 84
"""How wide a power of ten must be for three numbers on the axis."""

_COLOURS: Final = ("#3b6ea5", "#e0812d", "#4f9d54", "#c04b4b", "#8565ad", "#8a6250", "#777777")


class NoPlotError(Exception):
    """There is nothing to draw."""


def plot(results: Sequence[Result], path: Path) -> None:
    """Draw the speed-ups over the base to an SVG file. Raises `NoPlotError`."""
    ratios = Ratios(results)
    columns = [column for column in ratios.columns if column != f"{BASE.name}@1"]
    bars = {
        column: {kernel: ratios.ratio(kernel, column) for kernel in ratios.kernels}
        for column in columns
    }
    path.write_text(bars_svg(ratios.kernels, bars, f"speed-up over {BASE.name}"))


def bars_svg(
    groups: Sequence[str], bars: Mapping[str, Mapping[str, float | None]], title: str
) -> str:
    """Bars that begin at 1, a colour for each series, a row for each name.

    `bars` maps the series to the values of the groups; `None` leaves a gap. Many rows are in two
    columns. Raises `NoPlotError` without values.
    """
    values = [value for series in bars.values() for value in series.values() if value]
    if not values:
        raise NoPlotError("only the base was measured")
    count = 2 if len(groups) > MANY else 1
    rows = ceil(len(groups) / count)
    row_height = _BAR * len(bars) + _GAP
    names = _LETTER * max(map(len, groups)) + 10
    legend, head = _legend(bars)
    foot = head + row_height * rows
    parts = [f'<text x="{_MARGIN}" y="20">{escape(title)}, logarithmic</text>', *legend]
    for column in range(count):
        left = column * _WIDTH / count + names
        axis = _Axis.around(values, left, (column + 1) * _WIDTH / count - _MARGIN)
        parts += axis.drawn(head, foot)
        for row, group in enumerate(groups[column * rows : (column + 1) * rows]):
            top = head + row_height * row + _GAP / 2
            middle = top + _BAR * len(bars) / 2 + 4
            parts.append(_text(left - 6, middle, group, "end"))
            for place, (name, series) in enumerate(bars.items()):
                value = series.get(group)
                if value:
                    label = f"{group}, {name}: {value:.2f}"
                    span = (axis.place(value), axis.place(1))
                    parts.append(_bar(top + place * _BAR, span, _colour(place), label))
    size = f'width="{_WIDTH}" height="{foot + 10:g}" viewBox="0 0 {_WIDTH} {foot + 10:g}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif"'
    background = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([f'{opening} font-size="13">', background, *parts, "</svg>", ""])


MANY: Final = 12
"""More rows than this are in two columns."""


@dataclass(frozen=True)
class _Axis:
    """A logarithmic axis from left to right, with lines at 1, 2 and 5 times powers of ten."""

    low: float
    high: float
    left: float
    right: float

    @classmethod
    def around(cls, values: Sequence[float], left: float, right: float) -> _Axis:
        """The axis between the lines around all values and the base."""
        lines = [factor * 10.0**power for power in range(-9, 10) for factor in (1, 2, 5)]
        low = max(line for line in lines if line <= min(*values, 1.0))
        high = min(line for line in lines if line >= max(*values, 10.0))
        return cls(low, high, left, right)

    def place(self, value: float) -> float:
        """Where a value is."""
        share = log10(value / self.low) / log10(self.high / self.low)
        return self.left + (self.right - self.left) * share

    def drawn(self, head: float, foot: float) -> list[str]:
        """The lines from `head` down to `foot`, with the numbers for which there is space."""
        parts: list[str] = []
        is_wide = self.place(10) - self.place(1) >= _LABELS
        for value in (factor * 10.0**power for power in range(-9, 10) for factor in (1, 2, 5)):
            if not self.low <= value <= self.high:
                continue
            x = self.place(value)
            stroke = "#000000" if value == 1 else "#dddddd"
            parts.append(f'<path d="M{x:.1f} {head:g}V{foot:g}" stroke="{stroke}"/>')
            if is_wide or f"{value:e}".startswith("1."):
                parts.append(_text(x, head - 6, f"{value:g}", "middle"))
        return parts


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _bar(top: float, span: tuple[float, float], colour: str, label: str) -> str:
    """A rectangle between two places on the axis; the label is shown under the pointer."""
    left, width = min(span), abs(span[0] - span[1])
    place = f'x="{left:.1f}" y="{top:g}" width="{max(width, 0.5):.1f}" height="{_BAR - 1}"'
    return f'<rect {place} fill="{colour}"><title>{escape(label)}</title></rect>'


def _legend(names: Iterable[str]) -> tuple[list[str], float]:
    """The names of the series, with their colours, and where the rows begin below them."""
    parts: list[str] = []
    left, foot = float(_MARGIN), float(_HEAD)
    for place, name in enumerate(names):
        width = 36 + _LETTER * len(name)
        if left > _MARGIN and left + width > _WIDTH:
            left, foot = _MARGIN, foot + _LINE
        square = f'x="{left:g}" y="{foot - 10:g}" width="11" height="11"'
        parts.append(f'<rect {square} fill="{_colour(place)}"/>')
        parts.append(_text(left + 16, foot, name, "start"))
        left += width
    return parts, foot + 33
