"""What runs on one rank at a time: the phases of a schedule tree, and where their tiles go.

A *phase* is a subtree whose outermost loops are parallel. The sequential loops around it run on
all ranks; each iteration of them is a *step* of the phase, in which every rank runs its part of
the parallel loops. A subtree without a parallel loop is a phase, too, of which one rank runs all.

U. Bondhugula, "Compiling affine loop nests for distributed-memory parallel architectures" (SC
2013), divides loop nests in this way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.distributed.placement import places_in_space
from polyir.model.scop import Scop
from polyir.sets.hulls import coalesced
from polyir.sets.lists import basic_sets_of, parameters_of, sets_of
from polyir.sets.values import isl_value
from polyir.tree import LEAF, Band, BandMember, Domain, Filter, Kind, Node, Schedule, SequenceNode
from polyir.tree.nodes import joined


@dataclass(frozen=True)
class TiledRange:
    """The values of a parallel loop in all steps: from `least` to `greatest`, in tiles.

    Both are functions of the parameters of the scop, where the loop runs at all. Tile t has the
    values v with `offset + stride * t <= v < offset + stride * (t + 1)`. A rank has whole tiles,
    so that its bounds are simple: `32 * floor(i / 32) >= 32 * begin` is `i >= 32 * begin`.
    """

    least: isl.PwAff
    greatest: isl.PwAff
    stride: int
    offset: int

    def is_near(self, other: TiledRange) -> bool:
        """Do the bounds of two loops differ by bounded numbers, whatever the parameters are?"""
        return all(
            _is_bounded(one.sub(another))
            for one, another in (
                (self.least, other.least),
                (self.greatest, other.greatest),
            )
        )

    def union(self, other: TiledRange) -> TiledRange:
        """A range around both, with the larger tiles."""
        larger = max(self, other, key=lambda each: each.stride)
        return replace(
            larger,
            least=coalesced(self.least.union_min(other.least)),
            greatest=coalesced(self.greatest.union_max(other.greatest)),
        )

    def tile(self, value: isl.PwAff) -> isl.PwAff:
        """The number of the tile that has a value."""
        shifted = value.add_constant_val(isl_value(-self.offset))
        return shifted.scale_down_val(isl_value(self.stride)).floor()


def _is_bounded(difference: isl.PwAff) -> bool:
    # isl asks for coefficients that are integers, also where n is even in n/2.
    whole = difference.floor()
    return all(bool(value.is_int()) for value in (whole.min_val(), whole.max_val()))


@dataclass(frozen=True)
class Phase:
    """A subtree that the ranks share, with the loops around it.

    `step` is `{ S[i] -> [s] }`, the values of the `steps` sequential loops around it, outermost
    first; parameters that are called `stem` and a number stand for them. `place` is
    `{ S[i] -> [p] }`, those of the parallel loops that are divided, or functions of them and of
    the step; `ranges` has all their values. If there are no parallel loops, all instances are in
    one place. `is_near` tells whether places follow subscripts of what is written. `tree` is the
    subtree, from the band with these loops down. If the phase is not divided, one rank runs all of
    it.
    """

    name: str
    domain: isl.UnionSet
    step: isl.UnionMap
    steps: int
    stem: str
    place: isl.UnionMap
    ranges: tuple[TiledRange, ...]
    is_near: bool
    tree: Node
    is_divided: bool

    @property
    def statements(self) -> tuple[str, ...]:
        """The names of the statements in it."""
        return tuple(each.get_tuple_name() or "" for each in sets_of(self.domain))


@dataclass(frozen=True)
class DividedTree:
    """A schedule tree in which a statement of one instance a step stands for each phase.

    `tree` is over `{ P[s] }`, P the name of a phase.
    """

    tree: Schedule
    phases: tuple[Phase, ...]


def divided(scop: Scop, dimensions: int, updates: Collection[str] = ()) -> DividedTree:
    """The phases of a scop, whose outermost `dimensions` parallel loops are divided, or fewer.

    Around the statements in `updates`, the first parallel loop of a phase is not parallel but for
    partial results that each rank has; in the phase, it is said to be sequential.
    """
    root = scop.schedule.tree
    division = _Division(scop, dimensions, updates)
    domain = root.instances.intersect_params(scop.context)
    nothing = _Around((), domain)
    tree = division.divide(root.children[0], nothing)
    phases = tuple(division.phases)
    instances = reduce(isl.UnionSet.union, (_instances(each) for each in phases))
    instances = instances.intersect_params(scop.context)
    return DividedTree(Schedule(Domain((tree,), instances)), phases)


def unused_stem(wanted: str, taken: Iterable[str]) -> str:
    """`wanted`, or a longer word with which, and a number, no name in `taken` begins."""
    names = tuple(taken)
    stem = wanted
    while any(re.match(rf"{stem}\d", name) for name in names):
        stem += "_"
    return stem


def instances_of_steps(phase: Phase) -> isl.Set:
    """The steps of a phase, `{ P[s] }`, and perhaps some in which it has no instance.

    For some wavefronts of tiles, isl needs minutes to find out which steps have no instance.
    """
    steps = phase.domain.apply(phase.step)
    (only,) = sets_of(steps) or (isl.Set.empty(steps.get_space()),)
    strides = [_stride_of(only, place) for place in range(phase.steps)]
    divisions = max((each.dim(isl.dim_type.div) for each in basic_sets_of(only)), default=0)
    if divisions > sum(stride > 1 for stride, _ in strides):
        only = coalesced(only.remove_divs())
        for place, (stride, offset) in enumerate(strides):
            if stride > 1:
                only = only.intersect(_lattice(phase.steps, place, stride, offset))
    return only.set_tuple_name(phase.name)


def _stride_of(values: isl.Set, position: int) -> tuple[int, int]:
    """A stride and an offset that all values of a coordinate have."""
    lattice = values.get_stride_info(position)
    stride, offset = int(lattice.get_stride().to_python()), lattice.get_offset()
    if not offset.is_cst():
        return 1, 0
    return stride, int(offset.get_constant_val().to_python()) % stride


def _lattice(dimensions: int, position: int, stride: int, offset: int) -> isl.Set:
    """The points whose coordinate in a position has a stride."""
    names = ", ".join(f"s{place}" for place in range(dimensions))
    return isl.Set(f"{{ [{names}] : (s{position} - {offset}) mod {stride} = 0 }}")


def _instances(phase: Phase) -> isl.UnionSet:
    return isl.UnionSet.from_set(instances_of_steps(phase))


@dataclass(frozen=True)
class _Around:
    """The sequential loops around a node, and the instances that come through."""

    loops: tuple[isl.UnionPwAff, ...]
    domain: isl.UnionSet

    def within(self, part: isl.UnionSet) -> _Around:
        return replace(self, domain=self.domain.intersect(part))

    def step(self) -> isl.UnionMap:
        """`{ S[i] -> [s] }`."""
        return _values(self.loops, self.domain)


def _values(loops: Sequence[isl.UnionPwAff], domain: isl.UnionSet) -> isl.UnionMap:
    """The values of loops for each instance."""
    if not loops:
        return isl.UnionMap.from_domain_and_range(domain, isl.UnionSet("{ [] }"))
    return isl.UnionMap.from_multi_union_pw_aff(joined(loops)).intersect_domain(domain)


class _Division:
    """Visits a tree from the root down, and collects the phases in the order of the tree."""

    def __init__(self, scop: Scop, dimensions: int, updates: Collection[str]) -> None:
        self.phases: list[Phase] = []
        self._updates = updates
        self._scop, self._context = scop, scop.context
        self._dimensions = dimensions
        self._stem = unused_stem("step", parameters_of(scop.context.get_space()))

    def divide(self, node: Node, around: _Around) -> Node:
        """What stands for a subtree in the tree of the phases.

        band [s_1, p, q] > X    =>    band [s_1] > statement P0,    P0 = band [p, q] > X
              p, q parallel
        """
        if not _has_parallel_loop(node):
            return self._phase(node, around, ())
        if isinstance(node, Band):
            return self._divide_band(node, around)
        if node.kind in (Kind.SEQUENCE, Kind.SET):
            # Of a filter without an instance, nothing would stand in the tree of the phases.
            filters = (child for child in node.children if isinstance(child, Filter))
            return SequenceNode(
                tuple(
                    self._divide_filter(child, around)
                    for child in filters
                    if not around.within(child.instances).domain.is_empty()
                )
            )
        return self.divide(node.children[0], around)

    def _divide_filter(self, node: Filter, around: _Around) -> Filter:
        before = len(self.phases)
        below = self.divide(node.children[0], around.within(node.instances))
        own = [_instances(phase) for phase in self.phases[before:]]
        return Filter((below,), reduce(isl.UnionSet.union, own))

    def _divide_band(self, band: Band, around: _Around) -> Node:
        functions = [member.function for member in band.members]
        parallel = [member.is_coincident for member in band.members]
        count = len(functions)
        first = next((place for place in range(count) if parallel[place]), count)
        inner = replace(around, loops=(*around.loops, *functions[:first]))
        before = len(self.phases)
        if first == count:
            below = self.divide(band.children[0], inner)
        else:
            last = first
            while last < count and parallel[last]:
                last += 1
            members = list(band.members[first:])
            if self._has_updates(around.domain):
                members[0] = replace(members[0], is_coincident=False)
            rest = replace(band, members=tuple(members), options=None)
            below = self._phase(rest, inner, tuple(functions[first:last]))
        if first == 0:
            return below
        own = self.phases[before:]
        loops = (_identity(own, len(around.loops) + place) for place in range(first))
        return Band((below,), tuple(map(BandMember, loops)))

    def _phase(self, node: Node, around: _Around, loops: tuple[isl.UnionPwAff, ...]) -> Node:
        if loops:
            count = min(len(loops), self._dimensions)
            places, is_near = loops[:count], True
            if not self._has_updates(around.domain):
                places, is_near = places_in_space(
                    self._scop, around.domain, loops, around.loops, count
                )
            place = _values(places, around.domain)
            moves = [
                not one.plain_is_equal(other) for one, other in zip(places, loops, strict=False)
            ]
            ranges = tuple(
                self._range(place, position, moves[position]) for position in range(count)
            )
        else:
            is_near = True
            place = isl.UnionMap.from_domain_and_range(around.domain, isl.UnionSet("{ [0] }"))
            zero = isl.PwAff("{ [(0)] }")
            ranges = (TiledRange(zero, zero, 1, 0),)
        self.phases.append(
            Phase(
                f"P{len(self.phases)}",
                around.domain,
                around.step(),
                len(around.loops),
                self._stem,
                place,
                ranges,
                is_near,
                _with_instances(node, around.domain),
                bool(loops),
            )
        )
        return LEAF

    def _has_updates(self, domain: isl.UnionSet) -> bool:
        return any(each.get_tuple_name() in self._updates for each in sets_of(domain))

    def _range(self, place: isl.UnionMap, position: int, is_sum: bool) -> TiledRange:
        (values,) = sets_of(place.range())
        values = values.intersect_params(self._context)
        stride, offset = _stride_of(values, position)
        if is_sum:
            # The exact bounds have many pieces; these are at most a tile further apart. A hull may
            # have none: pieces of several statements may end at different parameters.
            values = coalesced(values.remove_divs())
        least, greatest = (coalesced(bound(position)) for bound in (values.dim_min, values.dim_max))
        return TiledRange(least, greatest, stride, offset)


def _with_instances(node: Node, domain: isl.UnionSet) -> Node:
    """A subtree without the filters that let no instance of `domain` through."""
    return node.with_children(
        _with_instances(child, domain)
        for child in node.children
        if not isinstance(child, Filter) or not child.instances.is_disjoint(domain)
    )


def _has_parallel_loop(node: Node) -> bool:
    return any(
        member.is_coincident
        for each in node.walk()
        if isinstance(each, Band)
        for member in each.members
    )


def _identity(phases: Sequence[Phase], position: int) -> isl.UnionPwAff:
    """`{ P[s] -> s_position }` for each phase."""
    functions: Iterator[isl.UnionPwAff] = (
        isl.UnionPwAff.from_pw_aff(
            isl.PwAff.var_on_domain(
                instances_of_steps(phase).get_space(),
                isl.dim_type.set,
                position,
            )
        )
        for phase in phases
    )
    return reduce(isl.UnionPwAff.union_add, functions)
