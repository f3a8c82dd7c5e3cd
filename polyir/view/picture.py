"""The contents of a picture of a scop, as numbers: points, arrows, tiles, execution order.

Everything is for one value of each parameter. Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.model.scop import Scop
from polyir.sets.boxes import shape_of
from polyir.sets.lists import maps_of, parameters_of
from polyir.sets.maps import at_sizes

Coordinates = tuple[int, ...]

MOST_DIMENSIONS = 3
"""Statements with more iterators cannot be drawn."""

DRAWN_KINDS = tuple(kind for kind in DependenceKind if kind is not DependenceKind.INPUT)
"""The kinds that are drawn if nothing is said."""

MOST_INSTANCES = 20_000
"""Pictures with more points are illegible. The points of the box around a statement count."""


@dataclass(frozen=True)
class Instance:
    """A statement instance: its iterators, its place in the execution order, its tile.

    Instances are numbered from 1, over all statements of the picture; tiles from 0 in the
    order in which they are begun, over all statements. Without tiles, all are in tile 0.
    """

    iterators: Coordinates
    number: int
    tile: int


@dataclass(frozen=True)
class Arrow:
    """A dependence between two instances, given by their statements and iterators."""

    kind: DependenceKind
    source: tuple[str, Coordinates]
    target: tuple[str, Coordinates]


@dataclass(frozen=True)
class Panel:
    """One statement: the names of its iterators, its instances in execution order."""

    statement: str
    names: tuple[str, ...]
    instances: tuple[Instance, ...]


@dataclass(frozen=True)
class Picture:
    """The panels in program order, the arrows, and how many tiles there are."""

    panels: tuple[Panel, ...]
    arrows: tuple[Arrow, ...]
    tiles: int
    parameters: Mapping[str, int]


def parameter_values(scop: Scop, values: Sequence[int], size: int) -> dict[str, int]:
    """A value for each parameter: `values` in their order, or `size` for all of them.

    Raises `OptionError` if there is not one value per parameter, or if the scop's context excludes
    the values.
    """
    names = parameters_of(scop.context.get_space())
    if values and len(values) != len(names):
        raise OptionError(
            f"expected one value per parameter ({', '.join(names) or 'none'}), got {len(values)}"
        )
    chosen = dict(zip(names, values or (size,) * len(names), strict=True))
    if at_sizes(scop.context, chosen).is_empty():
        shown = ", ".join(f"{name} = {value}" for name, value in chosen.items())
        raise OptionError(f"the scop's context excludes {shown}")
    return chosen


def picture_of(
    scop: Scop,
    dependences: Dependences,
    parameters: Mapping[str, int],
    statements: Sequence[str] = (),
    kinds: Sequence[DependenceKind] = DRAWN_KINDS,
    arrays: Sequence[str] = (),
) -> Picture:
    """The picture of `statements`, or of all with at most `MOST_DIMENSIONS` iterators.

    It shows the dependences of `kinds` through `arrays`, or through all of them.

    Raises `OptionError` if there are none, or if one has more than `MOST_INSTANCES` instances.
    """
    drawn = [each for each in scop.statements if not statements or each.name in statements]
    drawn = [each for each in drawn if each.domain.dim(isl.dim_type.set) <= MOST_DIMENSIONS]
    if not drawn:
        raise OptionError(f"nothing to draw: no statement has at most {MOST_DIMENSIONS} iterators")
    names = [each.name for each in drawn]
    for each in drawn:
        _require_few(each.domain, parameters)
    dates = dates_of(scop, [each.domain for each in drawn], parameters)
    order = sorted(dates, key=dates.__getitem__)
    numbers = {instance: number for number, instance in enumerate(order, 1)}
    tiles = tiles_of(dates, order)
    panels = tuple(
        Panel(
            each.name,
            iterator_names(each.domain),
            tuple(
                Instance(iterators, numbers[name, iterators], tiles[name, iterators])
                for name, iterators in order
                if name == each.name
            ),
        )
        for each in drawn
    )
    arrows = tuple(
        arrow
        for dependence in dependences.of_kind(*kinds)
        if dependence.source in names and dependence.target in names
        if not arrays or dependence.array in arrays
        for arrow in _arrows(dependence, parameters)
    )
    arrows = tuple(dict.fromkeys(arrows))
    return Picture(panels, arrows, max(tiles.values(), default=0) + 1, dict(parameters))


_Named = tuple[str, Coordinates]


def dates_of(
    scop: Scop, drawn: Sequence[isl.Set], parameters: Mapping[str, int]
) -> dict[_Named, Coordinates]:
    """The date under the current schedule tree of each instance in one of the sets."""
    schedule = scop.schedule.map
    found: dict[_Named, Coordinates] = {}
    for instances in drawn:
        name = instances.get_tuple_name()
        for relation in maps_of(schedule.intersect_domain(isl.UnionSet.from_set(instances))):
            pairs = pairs_of(relation, parameters)
            found |= {(name, instance): date for instance, date in pairs}
    return found


def _require_few(instances: isl.Set, parameters: Mapping[str, int]) -> None:
    """Raise `OptionError` if the box around `instances` has more than `MOST_INSTANCES` points."""
    points = at_sizes(instances, parameters)
    if points.is_empty():
        return
    name = instances.get_tuple_name()
    if not points.is_bounded():
        raise OptionError(f"{name} has infinitely many instances")
    count = prod(shape_of(points))
    if count > MOST_INSTANCES:
        raise OptionError(
            f"the box around the instances of {name} has {count} points, more than "
            f"{MOST_INSTANCES}: choose a smaller size"
        )


def pairs_of(
    relation: isl.Map, parameters: Mapping[str, int]
) -> list[tuple[Coordinates, Coordinates]]:
    """All pairs of a relation, in lexicographic order."""
    fixed = at_sizes(relation, parameters)
    count = relation.dim(isl.dim_type.in_)
    points = fixed.wrap().flatten()
    points = points.project_out(isl.dim_type.param, 0, points.dim(isl.dim_type.param))
    found: list[Coordinates] = []

    def add(point: isl.Point) -> None:
        dimensions = range(points.dim(isl.dim_type.set))
        values = (point.get_coordinate_val(isl.dim_type.set, d) for d in dimensions)
        found.append(tuple(int(value.to_python()) for value in values))

    points.foreach_point(add)
    return [(values[:count], values[count:]) for values in sorted(found)]


def iterator_names(domain: isl.Set) -> tuple[str, ...]:
    count = domain.dim(isl.dim_type.set)
    names = (domain.get_dim_name(isl.dim_type.set, position) for position in range(count))
    return tuple(name or f"i{position}" for position, name in enumerate(names))


def tiles_of(dates: Mapping[_Named, Coordinates], order: Sequence[_Named]) -> dict[_Named, int]:
    """The tile of each instance, numbered in the order in which they are begun.

    A coordinate of the dates of a statement belongs to its tiles if the later ones determine it: it
    is then the number of a block of points. A tile ends where a coordinate differs that comes
    before the last one of these, for any statement that runs with it. A statement whose tiles have
    one point each has no such coordinates.
    """
    statements: dict[str, dict[Coordinates, Coordinates]] = {}
    for (name, iterators), date in dates.items():
        statements.setdefault(name, {})[iterators] = date
    ends = {name: _end_of_tiles(list(own.values())) for name, own in statements.items()}
    keys: dict[_Named, Coordinates] = {}

    def cut(instances: Sequence[_Named], depth: int) -> None:
        """Give keys to instances whose dates differ from `depth` on only."""
        if depth >= max(ends[name] for name, _ in instances):
            keys.update((each, dates[each][:depth]) for each in instances)
            return
        parts: dict[int, list[_Named]] = {}
        for each in instances:
            parts.setdefault(dates[each][depth], []).append(each)
        for part in parts.values():
            cut(part, depth + 1)

    if order:
        cut(order, 0)
    numbers: dict[Coordinates, int] = {}
    return {each: numbers.setdefault(keys[each], len(numbers)) for each in order}


def _end_of_tiles(dates: Sequence[Coordinates]) -> int:
    """How many coordinates of the dates of a statement tell its tiles, 0 without tiles."""
    outer = [
        position
        for position in range(len(dates[0]))
        if len({date[position] for date in dates}) > 1
        # The later coordinates determine it.
        if len({date[position:] for date in dates}) == len({date[position + 1 :] for date in dates})
    ]
    if len({tuple(date[position] for position in outer) for date in dates}) == len(dates):
        return 0
    return max(outer, default=-1) + 1


def _arrows(dependence: Dependence, parameters: Mapping[str, int]) -> list[Arrow]:
    return [
        Arrow(dependence.kind, (dependence.source, source), (dependence.target, target))
        for source, target in pairs_of(dependence.relation, parameters)
    ]
