"""A picture of the results: bars on a logarithmic axis, as SVG and without a library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import Final

from .report import Ratios
from .results import Result
from .variants import BASE

_HEIGHT: Final = 300
_LEFT: Final = 48
_TOP: Final = 40
_BOTTOM: Final = 110
_BAR: Final = 9
_GAP: Final = 10
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
    """Bars that stand on 1, a colour for each series, a group for each name.

    `bars` maps the series to the values of the groups; `None` leaves a gap. The axis is from the
    power of ten below the values to the one above. Raises `NoPlotError` without values.
    """
    values = [value for series in bars.values() for value in series.values() if value]
    if not values:
        raise NoPlotError("only the base was measured")
    low = min(floor(log10(min(values))), 0)
    high = max(ceil(log10(max(values))), 1)

    def height_of(value: float) -> float:
        return _TOP + _HEIGHT * (high - log10(value)) / (high - low)

    group_width = _BAR * len(bars) + _GAP
    right = _LEFT + group_width * len(groups) + _GAP
    parts = [f'<text x="{_LEFT}" y="16">{escape(title)}, logarithmic</text>']
    parts += _axis(low, high, height_of(1) if low <= 0 else _TOP, right)
    foot = _TOP + _HEIGHT
    for number, group in enumerate(groups):
        left = _LEFT + _GAP + number * group_width
        for place, (name, series) in enumerate(bars.items()):
            value = series.get(group)
            if value:
                label = f"{group}, {name}: {value:.2f}"
                span = (height_of(value), height_of(1))
                parts.append(_bar(left + place * _BAR, span, _colour(place), label))
        middle = left + _BAR * len(bars) / 2 + 4
        turned = f'transform="rotate(-90 {middle:g} {foot + 8})" text-anchor="end"'
        parts.append(f'<text x="{middle:g}" y="{foot + 8}" {turned}>{escape(group)}</text>')
    parts += _legend(list(bars))
    size = f'width="{right:g}" height="{foot + _BOTTOM}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif"'
    background = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([f'{head} font-size="11">', background, *parts, "</svg>", ""])


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _bar(left: float, span: tuple[float, float], colour: str, label: str) -> str:
    """A rectangle between two heights; the label is shown under the pointer."""
    top, height = min(span), abs(span[0] - span[1])
    place = f'x="{left:g}" y="{top:.1f}" width="{_BAR - 1}" height="{max(height, 0.5):.1f}"'
    return f'<rect {place} fill="{colour}"><title>{escape(label)}</title></rect>'


def _axis(low: int, high: int, base: float, right: float) -> list[str]:
    """Lines and numbers at 1, 2 and 5 times each power of ten, and the line of the base."""
    parts: list[str] = []
    for value in (factor * 10.0**power for power in range(low, high + 1) for factor in (1, 2, 5)):
        if value > 10.0**high:
            continue
        y = _TOP + _HEIGHT * (high - log10(value)) / (high - low)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{right:g}" stroke="#dddddd"/>')
        parts.append(f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts.append(f'<path d="M{_LEFT} {base:.1f}H{right:g}" stroke="#000000"/>')
    return parts


def _legend(names: Sequence[str]) -> list[str]:
    parts: list[str] = []
    left: float = _LEFT
    for place, name in enumerate(names):
        parts.append(f'<rect x="{left:g}" y="23" width="9" height="9" fill="{_colour(place)}"/>')
        parts.append(f'<text x="{left + 13:g}" y="31">{escape(name)}</text>')
        left += 28 + 6.5 * len(name)
    return parts
