"""Drawing a picture with matplotlib: one part for each plane, reproducible output.

In SVG, the group of the points of statement S0 has the id `points-S0`, those of its arrows
`arrow-S0`, of arrows from S0 to S1 `arrow-S0-S1`, and the outlines of tile 1 `tile-1`, so that
tests can count what a picture shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Final

from polyir.base.diagnostics import OptionError, PolyirError
from polyir.dialects.dependence import DependenceKind
from polyir.view.layout import SPREAD, Frame, Node, Place, Plane, outline, planes_of, sampled
from polyir.view.picture import Arrow, Instance, Picture

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")

COLOURS: Mapping[DependenceKind, str] = {
    DependenceKind.FLOW: "#222222",
    DependenceKind.ANTI: "#c0392b",
    DependenceKind.OUTPUT: "#7d4bb0",
    DependenceKind.REDUCTION: "#2e8b57",
    DependenceKind.INPUT: "#7f8c8d",
}
"""The colour of the arrows of each kind."""

_BENDS: Mapping[DependenceKind, float] = {
    DependenceKind.FLOW: 0.0,
    DependenceKind.ANTI: 0.22,
    DependenceKind.OUTPUT: -0.22,
    DependenceKind.REDUCTION: -0.4,
    DependenceKind.INPUT: 0.4,
}
"""How much arrows are bent, so that those between the same points stand beside each other."""

TILE_COLOURS = (
    *("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3"),
    *("#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd"),
)
"""The colours of tiles, in turn."""

MOST_ARROWS: Final = 300
"""So many arrows are shown in a plane unless told otherwise."""

_BETWEEN: Final = 5
"""So many arrows are shown from a statement to one in another plane: they cross everything."""

_FROM_SLICE_TO_SLICE: Final = 60
"""So many arrows are shown from slices to others: they cross what is between."""

_MARKERS: Final = "osDv"
"""The shapes of the points of the statements in a plane."""

_LEGEND: Final = 12
"""So many tiles are in the legend."""

_SMALLEST_NUMBER: Final = 4.5
"""The size of numbers that can still be read, in points."""


def check_format(file: str) -> None:
    """Raise `OptionError` if pictures cannot be written to a file of that name."""
    if Path(file).suffix not in FORMATS:
        raise OptionError(f"the file name '{file}' must end in {' or '.join(FORMATS)}")


def draw(picture: Picture, file: str, numbered: bool, most_arrows: int = MOST_ARROWS) -> int:
    """Write `picture` to `file`; `numbered` adds execution order and tiles. How many arrows it has.

    Raises `PolyirError` if matplotlib is not installed or the file cannot be written.
    """
    try:
        from matplotlib import rc_context
    except ImportError:
        raise PolyirError(
            "pictures need matplotlib: pip install 'polyir[plot]'", name="missing-package"
        ) from None
    settings = {"svg.hashsalt": "polyir", "svg.fonttype": "none", "font.size": 9.0}
    with rc_context(settings):
        painter = _Painter(picture, numbered)
        count = painter.paint(most_arrows)
        kind = Path(file).suffix[1:]
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        try:
            painter.figure.savefig(file, format=kind, dpi=120, metadata=metadata)
        except OSError as error:
            raise PolyirError(
                f"cannot write '{file}': {error.strerror}", name="file-access"
            ) from None
    return count


@dataclass(frozen=True)
class _Scale:
    """How large a plane is drawn, in inches, and its points and their numbers, in points."""

    width: float
    height: float
    diameter: float
    digits: float

    @staticmethod
    def of(plane: Plane, largest_number: int) -> _Scale:
        (left, bottom), (right, top) = plane.box
        columns, rows = right - left + 1.6, top - bottom + 1.6
        crowd = _crowd(plane)
        # About half an inch from point to point, up to nine inches in all.
        unit = min((0.5, 0.75, 1.05, 1.4)[crowd - 1], 9.0 / max(columns, rows))
        room = 72 * unit * (0.62 if crowd == 1 else 0.7 * SPREAD / (crowd - 1))
        diameter = max(2.5, min(19.0, room))
        digits = min(8.0, diameter * 0.92 / (0.62 * max(2, len(str(largest_number)))))
        return _Scale(columns * unit, rows * unit, diameter, digits)


def _crowd(plane: Plane) -> int:
    """How many statements stand at one place."""
    return len(plane.statements) if len(plane.names) > 1 else 1


class _Painter:
    """Paints one picture on `figure`."""

    def __init__(self, picture: Picture, numbered: bool) -> None:
        from matplotlib.figure import Figure

        self._picture = picture
        self._numbered = numbered
        self._planes = planes_of(picture.panels)
        self._instances: dict[Node, Instance] = {
            (panel.statement, instance.iterators): instance
            for panel in picture.panels
            for instance in panel.instances
        }
        largest = max((each.number for each in self._instances.values()), default=1)
        self._scales = [_Scale.of(plane, largest) for plane in self._planes]
        columns = min(3, len(self._planes))
        rows = -(-len(self._planes) // columns)
        starts = range(0, rows * columns, columns)
        grid = [self._scales[start : start + columns] for start in starts]
        widths = [
            max(max(2.4, row[column].width) for row in grid if column < len(row)) + 0.6
            for column in range(columns)
        ]
        heights = [max(max(1.2, each.height) for each in row) + 1.2 for row in grid]
        size = (sum(widths) + 1.6, max(sum(heights) + 0.6, 2.8))
        self.figure: Figure = Figure(figsize=size, layout="constrained")
        cells = self.figure.add_gridspec(rows, columns, width_ratios=widths, height_ratios=heights)
        self._axes: dict[str, Axes] = {}
        for number, plane in enumerate(self._planes):
            axes = self.figure.add_subplot(cells[number // columns, number % columns])
            self._axes |= dict.fromkeys(plane.statements, axes)
            _prepare(axes, plane, picture)

    def paint(self, most_arrows: int) -> int:
        """Paint everything; the number of arrows painted."""
        count = 0
        for plane, scale in zip(self._planes, self._scales, strict=True):
            if self._numbered and self._picture.tiles > 1:
                self._paint_tiles(plane)
            self._paint_points(plane, scale)
            count += self._paint_arrows(plane, scale, most_arrows)
        count += self._paint_between(most_arrows)
        values = ", ".join(f"{name} = {value}" for name, value in self._picture.parameters.items())
        total = len(self._picture.arrows)
        shown = "" if count == total else f"{count} of {total} dependences are shown"
        title = "\n".join(part for part in (values, shown) if part)
        self.figure.suptitle(title, x=0.02, ha="left", fontsize=10)
        handles = self._legend()
        if handles:
            self.figure.legend(handles=handles, loc="outside right upper", fontsize=8)
        return count

    def _paint_tiles(self, plane: Plane) -> None:
        """An outline around the points of each tile, with the number of the tile."""
        from matplotlib.patches import Polygon

        tiles: dict[tuple[int, object], list[Place]] = {}
        for node, place in plane.places.items():
            # A tile has a part in each slice.
            part = node[1][0] if plane.frames else None
            tiles.setdefault((self._instances[node].tile, part), []).append(place)
        for (tile, _), places in tiles.items():
            colour = TILE_COLOURS[tile % len(TILE_COLOURS)]
            corners = outline(places, 0.34 if _crowd(plane) == 1 else 0.21)
            patch = Polygon(
                corners, closed=True, facecolor=f"{colour}26", edgecolor=colour, linewidth=1.2
            )
            patch.set_gid(f"tile-{tile + 1}")
            patch.set_zorder(1)
            self._axes[plane.statements[0]].add_patch(patch)

    def _paint_points(self, plane: Plane, scale: _Scale) -> None:
        shows_numbers = self._shows_numbers(scale)
        axes = self._axes[plane.statements[0]]
        for statement, marker in zip(plane.statements, _markers(plane), strict=False):
            nodes = [node for node in plane.places if node[0] == statement]
            if not nodes:
                continue
            tiles = [self._instances[node].tile if self._numbered else 0 for node in nodes]
            points = axes.scatter(
                *zip(*(plane.places[node] for node in nodes), strict=True),
                s=self._diameter(scale) ** 2,
                c=[TILE_COLOURS[tile % len(TILE_COLOURS)] for tile in tiles],
                marker=marker,
                linewidths=0,
                zorder=3,
            )
            points.set_gid(f"points-{statement}")
            for node in nodes if shows_numbers else ():
                axes.text(
                    *plane.places[node],
                    str(self._instances[node].number),
                    ha="center",
                    va="center_baseline",
                    fontsize=scale.digits,
                    color="white",
                    zorder=4,
                )

    def _paint_arrows(self, plane: Plane, scale: _Scale, most: int) -> int:
        """The arrows in a plane: of some instances only if there are many."""
        from matplotlib.patches import FancyArrowPatch

        inside = [
            arrow
            for arrow in self._picture.arrows
            if arrow.source in plane.places and arrow.target in plane.places
        ]
        near = [arrow for arrow in inside if not _crosses(plane, arrow)]
        far = [arrow for arrow in inside if _crosses(plane, arrow)]
        kept = (*sampled(near, most), *sampled(far, min(most, _FROM_SLICE_TO_SLICE)))
        gap = self._diameter(scale) / 2 + 0.5
        for arrow in kept:
            source, target = arrow.source[0], arrow.target[0]
            crosses = _crosses(plane, arrow)
            patch = FancyArrowPatch(
                plane.places[arrow.source],
                plane.places[arrow.target],
                arrowstyle="-|>",
                mutation_scale=min(7.0, 2.0 + 0.4 * scale.diameter),
                shrinkA=gap,
                shrinkB=gap,
                color=COLOURS[arrow.kind],
                connectionstyle=f"arc3,rad={0.12 if crosses else _bend(arrow)}",
                linewidth=0.5 if crosses else 0.8,
                alpha=0.45 if crosses else 0.8,
                zorder=2,
            )
            patch.set_gid(f"arrow-{source}" if source == target else f"arrow-{source}-{target}")
            self._axes[source].add_patch(patch)
        return len(kept)

    def _shows_numbers(self, scale: _Scale) -> bool:
        return self._numbered and scale.digits >= _SMALLEST_NUMBER

    def _diameter(self, scale: _Scale) -> float:
        """That of points; without numbers they need not be large."""
        return scale.diameter if self._shows_numbers(scale) else min(0.6 * scale.diameter, 7.0)

    def _paint_between(self, most: int) -> int:
        """Some arrows from plane to plane."""
        from matplotlib.patches import ConnectionPatch

        groups: dict[tuple[str, str, DependenceKind], list[Arrow]] = {}
        for arrow in self._picture.arrows:
            source, target = arrow.source[0], arrow.target[0]
            if self._axes[source] is not self._axes[target]:
                groups.setdefault((source, target, arrow.kind), []).append(arrow)
        places = {node: place for plane in self._planes for node, place in plane.places.items()}
        count = 0
        for (source, target, kind), arrows in groups.items():
            few = min(most, _BETWEEN, len(arrows))
            kept = [arrows[number * len(arrows) // few] for number in range(few)]
            count += len(kept)
            for arrow in kept:
                patch = ConnectionPatch(
                    places[arrow.source],
                    places[arrow.target],
                    "data",
                    "data",
                    axesA=self._axes[source],
                    axesB=self._axes[target],
                    arrowstyle="-|>",
                    mutation_scale=7,
                    shrinkA=4,
                    shrinkB=4,
                    color=COLOURS[kind],
                    connectionstyle=f"arc3,rad={0.12 + _BENDS[kind] / 2}",
                    linewidth=0.5,
                    alpha=0.45,
                )
                patch.set_gid(f"arrow-{source}-{target}")
                self.figure.add_artist(patch)
        return count

    def _legend(self) -> list[Artist]:
        """What the colours of arrows and tiles and the shapes of points mean."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        found = {arrow.kind for arrow in self._picture.arrows}
        handles: list[Artist] = [
            Line2D([], [], color=COLOURS[kind], label=kind.value)
            for kind in DependenceKind
            if kind in found
        ]
        for plane in self._planes:
            if _crowd(plane) > 1:
                for statement, marker in zip(plane.statements, _MARKERS, strict=False):
                    handles.append(
                        Line2D([], [], color="#555555", marker=marker, ls="", label=statement)
                    )
        if self._numbered and self._picture.tiles > 1:
            for tile in range(min(self._picture.tiles, _LEGEND)):
                colour = TILE_COLOURS[tile % len(TILE_COLOURS)]
                handles.append(
                    Patch(facecolor=f"{colour}26", edgecolor=colour, label=f"tile {tile + 1}")
                )
            if self._picture.tiles > _LEGEND:
                last = f"... tile {self._picture.tiles}"
                handles.append(Line2D([], [], ls="", label=last))
        return handles


def _markers(plane: Plane) -> str:
    """The shapes of the points of each statement: in rows they need not differ."""
    return _MARKERS if _crowd(plane) > 1 else _MARKERS[0] * len(plane.statements)


def _crosses(plane: Plane, arrow: Arrow) -> bool:
    """Does an arrow go from slice to slice, over points that it has nothing to do with?"""
    return bool(plane.frames) and arrow.source[1][0] != arrow.target[1][0]


def _bend(arrow: Arrow) -> float:
    """An arrow over other points would hide behind them: it goes round."""
    bend = _BENDS[arrow.kind]
    (source, start), (target, end) = arrow.source, arrow.target
    steps = [after - before for before, after in zip(start, end, strict=False)]
    if source == target and gcd(*steps) > 1:
        return bend + (0.25 if bend > 0 else -0.25)
    return bend


def _prepare(axes: Axes, plane: Plane, picture: Picture) -> None:
    """Limits, titles, ticks and frames."""
    from matplotlib.ticker import MaxNLocator

    (left, bottom), (right, top) = plane.box
    axes.set_xlim(left - 0.8, right + 0.8)
    axes.set_ylim(bottom - 0.8, top + 0.8)
    axes.set_aspect("equal", adjustable="box")
    names = {panel.statement: ", ".join(panel.names) for panel in picture.panels}
    titles = [
        f"{statement}[{names[statement]}]" if names[statement] else statement
        for statement in plane.statements
    ]
    axes.set_title(", ".join(titles), fontsize=9)
    if plane.frames:
        axes.set_axis_off()
        axes.set_xlim(left - 1.2, right + 0.8)
        axes.set_ylim(bottom - 1.2, top + 1.2)
        for frame in plane.frames:
            _paint_frame(axes, frame)
        return
    axes.xaxis.set_major_locator(MaxNLocator(16, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(16, integer=True))
    axes.grid(color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    for direction, name in zip("xy", plane.names, strict=False):
        getattr(axes, f"set_{direction}label")(name)
    if len(plane.names) == 1:
        axes.set_yticks([-number for number in range(len(plane.statements))], plane.statements)
    if not plane.names:
        axes.set_xticks(range(len(plane.statements)), plane.statements)
        axes.set_yticks([])


def _paint_frame(axes: Axes, frame: Frame) -> None:
    from matplotlib.patches import Rectangle

    (left, right), (bottom, top) = frame.ranges
    x, y = frame.corner
    width, height = right - left, top - bottom
    axes.add_patch(
        Rectangle(
            (x - 0.5, y - 0.5), width + 1, height + 1, fill=False, edgecolor="#bbbbbb", zorder=0
        )
    )
    small = {"fontsize": 7, "color": "#555555"}
    axes.text(x + width / 2, y + height + 0.6, frame.title, ha="center", va="bottom", **small)
    for value in {left, right}:
        axes.text(x + value - left, y - 0.55, str(value), ha="center", va="top", **small)
    for value in {bottom, top}:
        axes.text(x - 0.6, y + value - bottom, str(value), ha="right", va="center", **small)
    first, second = frame.names
    axes.text(x + width / 2, y - 0.55, first, ha="center", va="top", style="italic", **small)
    axes.text(x - 0.6, y + height / 2, second, ha="right", va="center", style="italic", **small)
