"""Loops over tiles of symbolic sizes, generated with isl's AST builder.

Kim, Renganarayanan, Rostron, Rajopadhye, Strout: Multi-level tiling: M for the price of one
(SC 2007); Renganarayanan, Rajopadhye: Computations on Iteration Spaces, section 15.3.1.3. The
first point o of a tile is a multiple of its size T, which affine sets cannot express. But the
points of the tile are o <= i < o + T, which is affine in o, i and T; and the o of all such windows
that contain points, the outset of the iteration space, have affine bounds. So isl generates loops
over all o in the outset, in steps of one, with point loops inside, and code generation changes
their step to T, starting at the first multiple of T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import PolyirError
from polyir.codegen.band_members import iterator_of
from polyir.dialects.mark_attributes import SymbolicTiles, TileAttr
from polyir.sets.lists import sets_of
from polyir.tree import BandMember, Schedule, ScheduleNode
from polyir.tree.order import Member
from polyir.tree.symbolic_tiles import marks_of_tiles, tiled_loops, tiles_at


@dataclass(frozen=True)
class TilesBelow:
    """The object of a mark above a band of loops over first points: the number of the band."""

    number: int


@dataclass(frozen=True)
class Box:
    """The rectangular hull of the points that are tiled: the ends of each loop, as parameters."""

    lower: tuple[isl.PwAff, ...]
    upper: tuple[isl.PwAff, ...]


@dataclass(frozen=True)
class TileBand:
    """A band of loops over the first points of tiles, and the depth of the outermost of them.

    The box is there where the tile loops need it.
    """

    tiles: SymbolicTiles
    depth: int
    box: Box | None


@dataclass(frozen=True)
class ExpandedTiles:
    """A schedule tree with bands over the first points of tiles, and what is known of them.

    Instances have the first points of their tiles as further dimensions. `origins` has, for
    each statement, the iterators that these correspond to, if any. The object of the mark above
    the band number n is `TilesBelow(n)`.
    """

    schedule: Schedule
    origins: Mapping[str, tuple[int | None, ...]]
    bands: tuple[TileBand, ...]

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of all sizes, each once."""
        return tuple(dict.fromkeys(size for band in self.bands for size in band.tiles.sizes))


def expand_tiles(schedule: Schedule, context: isl.Set) -> ExpandedTiles:
    """`schedule` with a band of loops over first points below each mark of symbolic tiles.

        mark #poly.tile<outset [T0]>       mark TilesBelow(0)
          band [i]                =>         band [o]
                                               band [i]

    An instance S[i] becomes S[i, o] with o <= i < o + T0, for all o, of which only one is a
    multiple of T0. If S also occurs elsewhere in the tree, o is 0 there.
    """
    origins: dict[str, tuple[int | None, ...]] = {}
    bands: list[TileBand] = []
    while (mark := next(marks_of_tiles(schedule.root), None)) is not None:
        tiles = tiles_at(mark)
        assert tiles is not None
        if mark.domain.is_empty():
            schedule = mark.delete().schedule
            continue
        members = tuple(loop.member for loop in tiled_loops(mark))
        if not members:
            raise PolyirError(
                f"the mark {TileAttr(tiles)} must stand above {len(tiles.sizes)} nested loops",
                name="invalid-tree",
            )
        needs_box = tiles.origins == "box" or tiles.wavefront > 0
        box = _box(mark, members, context) if needs_box else None
        for name, along in _iterators(mark, members).items():
            origins[name] = origins.get(name, ()) + along
        below = TilesBelow(len(bands))
        bands.append(TileBand(tiles, mark.schedule_depth, box))
        schedule = _with_origins(mark, members, tiles, below)
    return ExpandedTiles(schedule, origins, tuple(bands))


def _iterators(mark: ScheduleNode, members: Sequence[Member]) -> dict[str, tuple[int | None, ...]]:
    return {
        part.get_tuple_name(): tuple(
            iterator_of(member[part.get_tuple_name()]) for member in members
        )
        for part in sets_of(mark.domain)
    }


def _box(mark: ScheduleNode, members: Sequence[Member], context: isl.Set) -> Box:
    lower: list[isl.PwAff] = []
    upper: list[isl.PwAff] = []
    for member in members:
        values = reduce(
            isl.Set.union,
            (
                part.intersect_params(context).apply(
                    isl.Map.from_pw_aff(member[part.get_tuple_name()])
                )
                for part in sets_of(mark.domain)
            ),
        ).coalesce()
        lower.append(values.lexmin_pw_multi_aff().get_pw_aff(0).coalesce())
        upper.append(values.lexmax_pw_multi_aff().get_pw_aff(0).coalesce())
    return Box(tuple(lower), tuple(upper))


def _with_origins(
    mark: ScheduleNode, members: Sequence[Member], tiles: SymbolicTiles, below: TilesBelow
) -> Schedule:
    """The tree with the band of first points below one mark, which becomes `below`."""
    path = mark.path
    schedule = mark.schedule
    tiled = {part.get_tuple_name(): part for part in sets_of(mark.domain)}
    domains: list[isl.Set] = []
    projections: list[str] = []
    first_points: list[list[str]] = [[] for _ in tiles.sizes]
    for whole in sets_of(schedule.domain):
        statement = whole.get_tuple_name()
        if statement not in tiled:
            domains.append(whole)
            projections.append(_projection(whole, 0))
            continue
        domains.append(_extended(tiled[statement], members, tiles.sizes))
        elsewhere = whole.subtract(tiled[statement])
        if not elsewhere.is_empty():
            domains.append(_at_zero(elsewhere, len(tiles.sizes)))
        projections.append(_projection(whole, len(tiles.sizes)))
        for position, texts in enumerate(first_points):
            texts.append(_first_point(whole, len(tiles.sizes), position))
    every = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, domains))
    projection = isl.UnionPwMultiAff(f"{{ {'; '.join(projections)} }}")
    node = schedule.pulled_back(projection).within(every).root
    for position in path:
        node = node.child(position)
    functions = [isl.UnionPwAff(f"{{ {'; '.join(texts)} }}") for texts in first_points]
    node = node.delete().insert_mark(below).child(0)
    atomic = isl.ast_loop_type.atomic
    return node.insert_band([BandMember(each, kind=atomic) for each in functions]).schedule


def _extended(part: isl.Set, members: Sequence[Member], sizes: Sequence[str]) -> isl.Set:
    """`{ S[i, o] : o <= phi(i) < o + T }`, for each member phi and its size T."""
    name = part.get_tuple_name()
    relation = isl.Map.from_domain(part)
    for member, size in zip(members, sizes, strict=True):
        window = isl.Map(f"[{size}] -> {{ [v] -> [o] : o <= v < o + {size} }}")
        values = isl.Map.from_pw_aff(member[name])
        relation = relation.flat_range_product(values.apply_range(window))
    return relation.wrap().flatten().set_tuple_name(name)


def _at_zero(part: isl.Set, count: int) -> isl.Set:
    zeros = isl.Set(f"{{ [{', '.join(['0'] * count)}] }}")
    relation = isl.Map.from_domain_and_range(part, zeros)
    return relation.wrap().flatten().set_tuple_name(part.get_tuple_name())


def _dimensions(part: isl.Set, count: int) -> tuple[list[str], list[str]]:
    return (
        [f"i{position}" for position in range(part.dim(isl.dim_type.set))],
        [f"o{position}" for position in range(count)],
    )


def _projection(part: isl.Set, count: int) -> str:
    """`S[i, o] -> S[i]`."""
    own, further = _dimensions(part, count)
    name = part.get_tuple_name()
    return f"{name}[{', '.join(own + further)}] -> {name}[{', '.join(own)}]"


def _first_point(part: isl.Set, count: int, position: int) -> str:
    """`S[i, o] -> [o_k]`."""
    own, further = _dimensions(part, count)
    return f"{part.get_tuple_name()}[{', '.join(own + further)}] -> [{further[position]}]"
