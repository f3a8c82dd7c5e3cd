"""Pictures of a compilation: instances as points, dependences as arrows, order, tiles, fronts.

Points and arrows are those of all steps that have the same instances; each step adds an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.dependence import Dependence
from polyir.model.scop import Scop
from polyir.report.picture_sizes import Drawn, drawn_of
from polyir.report.trees import NodeView
from polyir.view.layout import DEPTH, Node, Place, Plane, place_of, planes_of, sampled
from polyir.view.picture import (
    DRAWN_KINDS,
    Arrow,
    Coordinates,
    Instance,
    Panel,
    dates_of,
    iterator_names,
    pairs_of,
    tiles_of,
)

MOST_ARROWS: Final = 5000
"""So many arrows are in a picture: those from some instances if there are more."""

_GAP: Final = 4.0
"""How far planes are apart."""

_LETTER: Final = 0.42
"""How wide a letter of a title is."""

_WIDTH: Final = 64.0
"""How wide a row of planes is at most, but for one that is wider alone."""


@dataclass(frozen=True)
class Axis:
    """An iterator: where its values begin and end, and the least and the greatest of them."""

    name: str
    start: Place
    end: Place
    low: int
    high: int


@dataclass(frozen=True)
class Scene:
    """The points of a picture: their statements, iterators and places, y upwards.

    `titles` are those of the planes, each above its points.
    """

    function: str
    drawn: Drawn
    statements: tuple[str, ...]
    nodes: tuple[Node, ...]
    places: tuple[Place, ...]
    axes: tuple[Axis, ...]
    titles: tuple[tuple[str, Place], ...]


@dataclass(frozen=True)
class Arrows:
    """The dependences of a picture: for each kind, pairs of numbers of points.

    If there are too many, they are those from some instances only (`is_sample`). `missing` are
    arrays with dependences whose pairs are hard to list.
    """

    pairs: Mapping[str, tuple[tuple[int, int], ...]]
    is_sample: bool
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Execution:
    """The order of a step: the number of each point, its tile, and the front it is in.

    Points in one front may run at the same time: see `fronts_of`. All numbers are from 0.
    """

    scene: int
    arrows: int
    order: tuple[int, ...]
    tiles: tuple[int, ...]
    fronts: tuple[int, ...]


@dataclass
class Pictures:
    """The pictures of a compilation; `executions` refer to the others by their numbers."""

    scenes: list[Scene] = field(default_factory=list)
    arrows: list[Arrows] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    _known_scenes: dict[object, int] = field(default_factory=dict)
    _known_arrows: dict[object, int] = field(default_factory=dict)

    def add(self, scop: Scop, function: str, tree: NodeView, stride: int) -> int | None:
        """Add the picture of a step, and return its number; `None` if it cannot be drawn.

        `stride` is the size of the largest tiles in any step.
        """
        domains = tuple(str(each.domain) for each in scop.statements)
        key = function, domains, str(scop.context)
        if key not in self._known_scenes:
            self._known_scenes[key] = len(self.scenes)
            self.scenes.append(scene_of(scop, function, drawn_of(scop, stride)))
        number = self._known_scenes[key]
        scene = self.scenes[number]
        if not scene.nodes:
            return None
        items = scop.dependences.of_kind(*DRAWN_KINDS) if scop.dependences is not None else ()
        arrows = (number, *(str(each.relation) for each in items))
        if arrows not in self._known_arrows:
            self._known_arrows[arrows] = len(self.arrows)
            self.arrows.append(arrows_of(scene, items))
        self.executions.append(execution_of(scop, tree, scene, number, self._known_arrows[arrows]))
        return len(self.executions) - 1


def scene_of(scop: Scop, function: str, drawn: Drawn) -> Scene:
    """The points, each statement's together, in lexicographic order."""
    panels = []
    for instances in drawn.instances:
        found = pairs_of(isl.Map.from_range(instances), drawn.parameters)
        points = tuple(Instance(iterators, 0, 0) for _, iterators in found)
        panels.append(Panel(instances.get_tuple_name(), iterator_names(instances), points))
    panels = [panel for panel in panels if panel.instances]
    places: dict[Node, Place] = {}
    axes: list[Axis] = []
    titles: list[tuple[str, Place]] = []
    for plane, (x, y) in _side_by_side(planes_of(panels, is_oblique=True)):
        places |= {node: (px + x, py + y) for node, (px, py) in plane.places.items()}
        axes += _axes_of(plane, (x, y))
        (left, _), (_, top) = plane.box
        titles.append((_title(plane), (left + x, top + y)))
    return Scene(
        function,
        drawn,
        tuple(panel.statement for panel in panels),
        tuple(places),
        tuple(places.values()),
        tuple(axes),
        tuple(titles),
    )


def _side_by_side(planes: Sequence[Plane]) -> Iterable[tuple[Plane, Place]]:
    """Each plane, and how far it is moved: they stand in rows."""
    x = y = lowest = 0.0
    for plane in planes:
        (left, bottom), (right, top) = plane.box
        width = max(right - left, _LETTER * len(_title(plane)))
        if x and x + width > _WIDTH:
            x, y = 0.0, lowest - _GAP
        yield plane, (x - left, y - top)
        lowest = min(lowest, y - (top - bottom))
        x += width + _GAP


def _title(plane: Plane) -> str:
    """The statements of a plane and their iterators: `S0, S1 [i, j]`."""
    return f"{', '.join(plane.statements)} [{', '.join(plane.names)}]"


def _axes_of(plane: Plane, moved: Place) -> Iterable[Axis]:
    """The axes of a plane, from the corner with the least values of all iterators.

    The one that leads away from the reader begins at the end of the one that leads to the right.
    """
    columns = list(zip(*(iterators for _, iterators in plane.places), strict=True))
    lows, highs = [min(each) for each in columns], [max(each) for each in columns]
    x, y = place_of(tuple(lows), plane.steps)
    # Statements with one iterator have a row each.
    rows = len(plane.statements) - 1 if len(plane.names) == 1 else 0
    x, y = x + moved[0], y + moved[1] - rows
    width = max((high - low for high, low in zip(highs, lows, strict=True)), default=0)
    for name, step, low, high in zip(plane.names, plane.steps, lows, highs, strict=True):
        start = (x + width, y) if step == DEPTH else (x, y)
        end = start[0] + (high - low) * step[0], start[1] + (high - low) * step[1]
        yield Axis(name, start, end, low, high)


def arrows_of(scene: Scene, items: Iterable[Dependence]) -> Arrows:
    """The arrows between the points of a scene."""
    drawn = {each.get_tuple_name(): each for each in scene.drawn.instances}
    found: dict[str, list[Arrow]] = {}
    missing: dict[str, None] = {}
    for each in items:
        if each.source not in drawn or each.target not in drawn:
            continue
        pairs = _pairs(each, drawn, scene.drawn.parameters)
        if pairs is None:
            missing[each.array] = None
        found.setdefault(each.kind.value, []).extend(
            Arrow(each.kind, (each.source, source), (each.target, target))
            for source, target in pairs or ()
        )
    total = [arrow for arrows in found.values() for arrow in dict.fromkeys(arrows)]
    kept = sampled(total, MOST_ARROWS)
    numbers = {node: number for number, node in enumerate(scene.nodes)}
    pairs_by_kind: dict[str, list[tuple[int, int]]] = {kind: [] for kind in found}
    for arrow in kept:
        pairs_by_kind[arrow.kind.value].append((numbers[arrow.source], numbers[arrow.target]))
    return Arrows(
        {kind: tuple(pairs) for kind, pairs in pairs_by_kind.items()},
        len(kept) < len(total),
        tuple(missing),
    )


def _pairs(
    dependence: Dependence, drawn: Mapping[str, isl.Set], parameters: Mapping[str, int]
) -> list[tuple[Coordinates, Coordinates]] | None:
    """The pairs of a dependence that are drawn; `None` if they are too hard to list."""
    relation = dependence.relation.intersect_domain(drawn[dependence.source])
    relation = relation.intersect_range(drawn[dependence.target])
    return within_operations(budgets.SHOWN_PAIRS, lambda: pairs_of(relation, parameters))


def execution_of(scop: Scop, tree: NodeView, scene: Scene, number: int, arrows: int) -> Execution:
    """The order in which a step runs the points of a scene, whose number and arrows are given."""
    dates = dates_of(scop, scene.drawn.instances, scene.drawn.parameters)
    order = sorted(dates, key=dates.__getitem__)
    numbers = {node: number for number, node in enumerate(order)}
    tiles = tiles_of(dates, order)
    parallel = {name: parallel_positions(tree, name) for name in scene.statements}
    fronts = fronts_of(dates, parallel)
    return Execution(
        number,
        arrows,
        tuple(numbers[node] for node in scene.nodes),
        tuple(tiles[node] for node in scene.nodes),
        tuple(fronts[node] for node in scene.nodes),
    )


def fronts_of(
    dates: Mapping[Node, Coordinates], parallel: Mapping[str, Sequence[bool]]
) -> dict[Node, int]:
    """When each instance runs, from 0, if every one takes a step, and no thread has to wait.

    The iterations of a parallel loop begin together; what comes after the loop begins when the
    last one has ended. `parallel` tells for each statement which coordinates are those of such
    loops.
    """
    found: dict[Node, int] = {}

    def run(nodes: Sequence[Node], depth: int, start: int) -> int:
        """The end of instances whose dates differ from `depth` on only."""
        if len(nodes) == 1 or depth == len(dates[nodes[0]]):
            found.update(dict.fromkeys(nodes, start))
            return start + 1
        groups: dict[int, list[Node]] = {}
        for node in nodes:
            groups.setdefault(dates[node][depth], []).append(node)
        is_parallel = parallel[nodes[0][0]][depth : depth + 1] == (True,)
        end = start
        for value in sorted(groups):
            ended = run(groups[value], depth + 1, start if is_parallel else end)
            end = max(end, ended)
        return end

    if dates:
        run(tuple(dates), 0, 0)
    return found


def parallel_positions(tree: NodeView, statement: str) -> tuple[bool, ...]:
    """For each coordinate of the dates of a statement, whether it is that of a parallel loop.

    Where a statement is in more than one part of the tree, none of the loops further inside is
    told to be.
    """
    found: list[bool] = []
    node: NodeView | None = tree
    while node is not None:
        found += [bool(loop.is_parallel) for loop in node.loops]
        if node.kind in ("sequence", "set"):
            found.append(False)
        inside = [child for child in node.children if statement in child.statements]
        node = inside[0] if len(inside) == 1 else None
    return tuple(found)


def largest_stride(tree: NodeView) -> int:
    """The size of the largest tiles of a tree, 1 without tiles."""
    own = max((loop.stride for loop in tree.loops), default=1)
    return max([own, *map(largest_stride, tree.children)])
