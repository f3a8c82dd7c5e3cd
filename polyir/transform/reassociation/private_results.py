"""Which loops can run in parallel if each part of their iterations has results of its own.

A loop qualifies if it carries nothing but reductions (`polyir.model.reductions`): privatization
of a reduction, as W. Pugh and D. Wonnacott, "Static analysis of upper and lower bounds on
dependences and parallelism" (1994), and OpenMP's `reduction` clause have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import ParallelAttr
from polyir.model.scop import Scop
from polyir.model.tree_loops import loop_steps
from polyir.model.updates import Update, elements
from polyir.proofs.bands import band_facts
from polyir.sets.boxes import most_values
from polyir.sets.lists import maps_of
from polyir.transform.bands import split_at
from polyir.transform.parallel import runs_once
from polyir.transform.reassociation.partial_results import (
    NoReductionError,
    PartialResults,
    Parts,
    function_of,
    partial_results,
)
from polyir.transform.reassociation.reduction_loops import ReductionLoops
from polyir.transform.walk import BAND
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import TreePath, node_at
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import Active, all_active

MOST_PARTS = 64
"""A statement adds up the results of all parts, and has so many operands."""


@dataclass(frozen=True)
class PrivatizeReductionsOptions:
    """How the iterations of a loop are divided: into `parts`, in turns of `block` iterations.

    Without a `block`, a loop around others has turns of one iteration, and an innermost loop longer
    ones.

    Raises `OptionError` for other numbers.
    """

    parts: int
    block: int | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.parts <= MOST_PARTS:
            raise OptionError(f"parts must be a number from 2 to {MOST_PARTS}: parts={self.parts}")
        if self.block is not None and self.block < 1:
            raise OptionError(f"block must be a positive number: block={self.block}")


@dataclass(frozen=True)
class Privatization:
    """A loop that carries only reductions, and what its parts have of their own.

    The loop is the first member of the band at `path` in `schedule`; `depth` loops are around it,
    and it is called `loop`. A turn of a part has `block` iterations.
    """

    schedule: Schedule
    path: TreePath
    depth: int
    loop: str
    arrays: tuple[PartialResults, ...]
    parts: Parts
    block: int

    @property
    def values(self) -> isl.UnionPwAff:
        """The values of the loop."""
        return node_at(self.schedule, self.path).members[0].function

    def __str__(self) -> str:
        names = ", ".join(array.name for array in self.arrays)
        turns = f", in turns of {self.block} iterations" if self.block > 1 else ""
        parts = self.parts.count
        return f"{self.loop} has {parts} parts with results of their own in {names}{turns}"


@dataclass(frozen=True)
class Found:
    """The first loop that can run in parts, if any, and why loops before it cannot."""

    privatization: Privatization | None
    reasons: tuple[str, ...]


def next_privatization(
    scop: Scop, dependences: Dependences, options: PrivatizeReductionsOptions, turn: int
) -> Found:
    """The first loop that is not parallel but for reductions, in a nest without a parallel loop.

    Without a `block`, an innermost loop has turns of `turn` iterations.

    Of nested bands, the outermost such loop is taken, even if there are parallel loops inside
    another band: threads start once, then. Loops around that are not parallel stay around.
    """
    search = _Search(scop, options, turn)
    root = scop.schedule.root
    found = next(search.visit(root, all_active(dependences.ordering)), None)
    return Found(found, tuple(dict.fromkeys(search.reasons)))


class _Search(ReductionLoops[Privatization]):
    """The loops that run in parts: no loop of the bands around them is parallel."""

    left_out = "has no parts"

    def __init__(self, scop: Scop, options: PrivatizeReductionsOptions, turn: int) -> None:
        super().__init__(scop)
        self._options = options
        self._turn = turn

    def _is_left(self, band: ScheduleNode, actives: tuple[Active, ...]) -> bool:
        parallel = band_facts(actives, band.band.functions_by_statement).parallel
        some = (each and not runs_once(band, place) for place, each in enumerate(parallel))
        is_marked = any(ParallelAttr() in each for each in band.loop_attributes)
        return is_marked or any(some)

    def _planned(
        self, band: ScheduleNode, position: int, carried: Sequence[Active]
    ) -> Privatization:
        step = loop_steps(band)[position]
        node = split_at(band, position)
        depth = node.schedule_depth
        is_innermost = not _has_loops_inside(node)
        extent = _extent(node)
        if is_innermost and _runs_often(node):
            raise NoReductionError("in each iteration of the loops around, there is little to do")
        if extent is not None and extent <= max(MOST_PARTS, self._options.parts):
            raise NoReductionError(f"it has at most {extent} iterations")
        block = self._options.block or (self._turn if is_innermost else 1)
        names = tuple(dict.fromkeys(each.dependence.array for each in carried))
        arrays = tuple(results_below(self._scop, self._updates, node, name) for name in names)
        around = name_list(statements_of(node))
        return Privatization(
            schedule=node.schedule,
            path=node.path,
            depth=depth,
            loop=f"loop {depth + 1} around {around}",
            arrays=arrays,
            parts=Parts(self._options.parts, block * step),
            block=block,
        )


def results_below(
    scop: Scop, updates_in_scop: Sequence[Update], node: ScheduleNode, array: str
) -> PartialResults:
    """The results that each part of the loops below `node` has of an array.

    `updates_in_scop` are those of the scop. Raises `NoReductionError`.
    """
    inside = statements_of(node)
    accessing = [
        body
        for body in scop.bodies
        if body.name in inside and any(each.array == array for each in body.accesses)
    ]
    updates = tuple(
        update
        for update in updates_in_scop
        if update.array == array and update.statement.name in inside
    )
    for body in accessing:
        update = next((each for each in updates if each.statement.name == body.name), None)
        if update is None or any(each.array == array for each in update.others):
            raise NoReductionError(f"{body.name} accesses partial results in {array}")
    instances = node.domain
    for update in updates:
        # Its body is changed, wherever in the tree its instances are.
        domain = update.statement.domain.intersect_params(scop.context)
        if not isl.UnionSet.from_set(domain).is_subset(instances):
            name = update.statement.name
            raise NoReductionError(f"{name} is in several places of the schedule tree")
    places = tuple(function_of(elements(update)) for update in updates)
    cells = _cells(node, updates).intersect_params(scop.context).coalesce()
    return partial_results(scop, updates, places, node.schedule_depth, cells)


def _has_loops_inside(band: ScheduleNode) -> bool:
    """Whether there are loops inside the first one of a band."""
    return len(band.members) > 1 or band.child(0).has(BAND)


def _dates(band: ScheduleNode, members: int) -> isl.UnionMap:
    """`{ S[i] -> [v] }`: the loops around a band, and its first members."""
    dates = band.prefix_functions
    for position in range(members):
        member = band.members[position].function
        dates = dates.flat_range_product(isl.MultiUnionPwAff.from_union_pw_aff(member))
    return isl.UnionMap.from_multi_union_pw_aff(dates).intersect_domain(band.domain)


def _runs_often(band: ScheduleNode) -> bool:
    """Whether a band may run more than once."""
    if band.schedule_depth == 0:
        return False
    dates = isl.Set.from_union_set(_dates(band, 0).range())
    return not bool(dates.lexmin().is_equal(dates.lexmax()))


def _extent(band: ScheduleNode) -> int | None:
    """The most values of the first loop of a band, if that is a constant."""
    outer, inner = _dates(band, 0), _dates(band, 1)
    values = isl.Map.from_union_map(outer.reverse().apply_range(inner))
    last = values.dim(isl.dim_type.out) - 1
    return most_values(values.project_out(isl.dim_type.out, 0, last))


def _cells(band: ScheduleNode, updates: Sequence[Update]) -> isl.Set:
    """`{ [v, c] }`: the elements that updates access in each iteration v of the loops around."""
    dates = _dates(band, 0)
    found: list[isl.Set] = []
    for update in updates:
        name = update.statement.name
        mine = [each for each in maps_of(dates) if each.get_tuple_name(_IN) == name]
        for part in mine:
            pairs = part.reverse().apply_range(elements(update))
            found.append(pairs.wrap().flatten())
    return reduce(isl.Set.union, found)


_IN = isl.dim_type.in_
