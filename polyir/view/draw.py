"""Drawing a picture with matplotlib: one panel per statement, reproducible output.

In SVG, the group of the points of statement S0 has the id `points-S0`, that of its arrows
`arrows-S0`, that of arrows between panels `arrows`, so that tests can count what a picture shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING

from polyir.diagnostics import OptionError, PolyirError
from polyir.dialects.dependence import DependenceKind
from polyir.view.picture import Arrow, Coordinates, Panel, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")

COLOURS: Mapping[DependenceKind, str] = {
    DependenceKind.FLOW: "#333333",
    DependenceKind.ANTI: "#c44e52",
    DependenceKind.OUTPUT: "#8172b3",
}
"""The colour of the arrows of each kind."""

TILE_COLOURS = (
    *("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3"),
    *("#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd"),
)
"""The colours of tiles, in turn."""

MOST_LABELS = 600
"""Pictures with more instances do not show numbers."""


def check_format(file: str) -> None:
    """Raise `OptionError` if pictures cannot be written to a file of that name."""
    if Path(file).suffix not in FORMATS:
        raise OptionError(f"the file name '{file}' must end in {' or '.join(FORMATS)}")


def draw(picture: Picture, file: str, numbered: bool) -> None:
    """Write `picture` to `file`; `numbered` adds execution order and tiles' colours.

    Raises `PolyirError` if matplotlib is not installed or the file cannot be written.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise PolyirError("pictures need matplotlib: pip install 'polyir[plot]'") from None
    settings = {"svg.hashsalt": "polyir", "svg.fonttype": "none", "font.size": 9.0}
    with rc_context(settings):
        columns = min(3, len(picture.panels))
        rows = -(-len(picture.panels) // columns)
        figure = Figure(figsize=(4.8 * columns, 4.4 * rows), layout="constrained")
        axes = {
            panel.statement: _panel_axes(figure, rows, columns, position, panel)
            for position, panel in enumerate(picture.panels)
        }
        for panel in picture.panels:
            _draw_points(axes[panel.statement], panel, numbered)
        _draw_arrows(figure, axes, picture)
        figure.suptitle(_title(picture))
        kind = Path(file).suffix[1:]
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        try:
            figure.savefig(file, format=kind, dpi=120, metadata=metadata)
        except OSError as error:
            raise PolyirError(f"cannot write '{file}': {error.strerror}") from None


def _title(picture: Picture) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in picture.parameters.items())
    kinds = dict.fromkeys(arrow.kind for arrow in picture.arrows)
    legend = ", ".join(f"{kind.value}: {_COLOUR_NAMES[kind]}" for kind in kinds)
    return "; ".join(part for part in (values, legend) if part)


_COLOUR_NAMES: Mapping[DependenceKind, str] = {
    DependenceKind.FLOW: "black",
    DependenceKind.ANTI: "red",
    DependenceKind.OUTPUT: "violet",
}


def _panel_axes(figure: Figure, rows: int, columns: int, position: int, panel: Panel) -> Axes:
    depth = len(panel.names)
    projection = "3d" if depth == 3 else None
    axes = figure.add_subplot(rows, columns, position + 1, projection=projection)
    axes.set_title(f"{panel.statement}[{', '.join(panel.names)}]")
    for direction, name in zip("xyz", panel.names, strict=False):
        axis = getattr(axes, f"{direction}axis")
        axis.set_label_text(name)
        axis.get_major_locator().set_params(integer=True)
    if depth < 2:
        axes.set_yticks([])
    if depth == 0:
        axes.set_xticks([])
    return axes


def _place(iterators: Coordinates) -> Coordinates:
    """The coordinates of a point: at least two."""
    return iterators if len(iterators) >= 2 else (*iterators, 0, 0)[:2]


def _draw_points(axes: Axes, panel: Panel, numbered: bool) -> None:
    places = [_place(instance.iterators) for instance in panel.instances]
    if not places:
        return
    colours = [
        TILE_COLOURS[instance.tile % len(TILE_COLOURS)] if numbered else TILE_COLOURS[0]
        for instance in panel.instances
    ]
    labelled = numbered and len(places) <= MOST_LABELS
    size = 170 if labelled else 40
    points = axes.scatter(*zip(*places, strict=True), s=size, c=colours, zorder=2)
    points.set_gid(f"points-{panel.statement}")
    if labelled:
        for place, instance in zip(places, panel.instances, strict=True):
            axes.text(
                *place,
                str(instance.number),
                ha="center",
                va="center",
                fontsize=6,
                color="white",
                zorder=4,
            )


def _draw_arrows(figure: Figure, axes: Mapping[str, Axes], picture: Picture) -> None:
    depths = {panel.statement: len(panel.names) for panel in picture.panels}
    # Flow last, on top: where a pair has several dependences it is the one that matters.
    for arrow in sorted(picture.arrows, key=lambda each: each.kind is DependenceKind.FLOW):
        (source, start), (target, end) = arrow.source, arrow.target
        if source == target and depths[source] == 3:
            _draw_in_space(axes[source], arrow)
        elif source == target:
            _draw_in_plane(axes[source], source, _place(start), _place(end), arrow.kind)
        elif max(depths[source], depths[target]) < 3:
            _draw_between(figure, axes, arrow)


def _draw_in_plane(
    axes: Axes, statement: str, start: Coordinates, end: Coordinates, kind: DependenceKind
) -> None:
    from matplotlib.patches import FancyArrowPatch

    # An arrow over other points would hide them: it goes round.
    steps = [after - before for before, after in zip(start, end, strict=True)]
    bend = -0.35 if gcd(*steps) > 1 else 0.0
    patch = FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>",
        mutation_scale=8,
        shrinkA=6,
        shrinkB=6,
        color=COLOURS[kind],
        connectionstyle=f"arc3,rad={bend}",
        linewidth=0.8,
        zorder=3,
    )
    patch.set_gid(f"arrow-{statement}")
    axes.add_patch(patch)


def _draw_in_space(axes: Axes, arrow: Arrow) -> None:
    start, end = arrow.source[1], arrow.target[1]
    steps = [after - before for before, after in zip(start, end, strict=True)]
    lines = axes.quiver(
        *start, *steps, color=COLOURS[arrow.kind], linewidth=0.7, arrow_length_ratio=0.2
    )
    lines.set_gid(f"arrow-{arrow.source[0]}")


def _draw_between(figure: Figure, axes: Mapping[str, Axes], arrow: Arrow) -> None:
    from matplotlib.patches import ConnectionPatch

    patch = ConnectionPatch(
        _place(arrow.source[1]),
        _place(arrow.target[1]),
        "data",
        "data",
        axesA=axes[arrow.source[0]],
        axesB=axes[arrow.target[0]],
        arrowstyle="-|>",
        mutation_scale=8,
        color=COLOURS[arrow.kind],
        linewidth=0.4,
        alpha=0.6,
    )
    patch.set_gid(f"arrow-{arrow.source[0]}-{arrow.target[0]}")
    figure.add_artist(patch)
