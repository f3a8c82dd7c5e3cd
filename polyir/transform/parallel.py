"""Marking of parallel loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import islpy as isl
from xdsl.ir import Attribute

from polyir.base import budgets
from polyir.base.diagnostics import LegalityError
from polyir.base.limits import within_operations
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import (
    UNROLLED_ITERATIONS,
    JamAttr,
    ParallelAttr,
    PartsAttr,
    VectorAttr,
    requires_parallel,
)
from polyir.dialects.mark_attributes import SymbolicTiles
from polyir.model.outcome import Outcome
from polyir.model.statements import Statement
from polyir.model.tree_loops import loop_steps
from polyir.model.updates import elements, update_of
from polyir.proofs.bands import active_at, band_facts
from polyir.proofs.legality import Violation, first_ordered
from polyir.sets.boxes import are_apart, ends_of
from polyir.transform.bands import with_attributes_at
from polyir.transform.loop_attributes import parallel_tile_loops, with_attribute
from polyir.transform.walk import BAND, summary
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, Loop, LoopAddress
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import (
    Active,
    Member,
    all_active,
    backward,
    below,
    forward,
    separates,
    still_active,
)
from polyir.tree.symbolic_tiles import replace_tiles, tiled_loops, tiles_at

PARALLEL = ParallelAttr()
LEAF = Kind.LEAF

Which = Literal["outermost", "inner", "all"]
"""Which of the parallel loops of a nest: the outermost, the innermost, or each of them."""


MUCH_LARGER = 16
"""Between tiles of usual shapes, 256 x 32 at most, and panels that threads share: 960 x 32."""

MANY = 64
"""Iterations enough for each of sixteen threads to have four."""


def mark_parallel(
    schedule: Schedule,
    dependences: Dependences,
    which: Which = "outermost",
    statements: Sequence[Statement] = (),
    parts: tuple[int, int] = (1, 1),
) -> Outcome:
    """Mark parallel loops: members of bands get the attribute `#poly.parallel`.

    A member is parallel if it gives equal values to the two ends of every dependence that all
    nodes and members outside it leave active. This is decided exactly, here, whatever the
    coincident flags say. A loop that runs once for each iteration of the loops around it is
    passed over. So is a loop over tiles that are `MUCH_LARGER` times as large as those of another
    loop of its band: it has few iterations.

        band [t_1, t_2]    =>    band [t_1, t_2] loop_attributes [[], [#poly.parallel]]

    Loops over tiles of symbolic sizes are loops of their nest; their mark has the attribute.

    Of `statements`, a nest of one may have no parallel loop, but update one element in all its
    iterations by an associative operation. Then its outermost loop gets the attribute
    `#poly.parts`: threads may compute partial results, each of so many iterations as `parts` says
    of a loop that is alone, and of one around others.

    Each child of a sequence is a nest of its own. Inside a marked loop, `outermost` marks no
    other; around one, `inner` marks no other.
    """
    marker = _Marker(which, {each.name: each for each in statements}, parts)
    root = marker.visit(schedule.root, all_active(dependences.ordering))
    reasons = [str(nest) for nest in marker.sequential]
    if marker.marked:
        done = (*marker.marked, *marker.already)
        return Outcome(root.schedule, done, tuple(reasons), proved=True, name="not-parallel")
    why = summary([*marker.already, *reasons] or ["there is no loop"])
    return Outcome(schedule, (), (f"nothing was marked parallel: {why}",), name="not-parallel")


def carriers(actives: tuple[Active, ...], member: Member) -> tuple[str, ...]:
    """The arrays with active dependences that `member` carries; none if it is parallel."""
    arrays: dict[str, None] = {}
    for active in actives:
        array = active.dependence.array
        if array not in arrays and separates(active, member):
            arrays[array] = None
    return tuple(arrays)


@dataclass(frozen=True)
class _Sequential:
    """A nest without a parallel loop: its statements, and what each of its loops does."""

    statements: tuple[str, ...]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        why = summary(self.reasons)
        return f"no loop around {name_list(self.statements)} is parallel: {why}"


class _Marker:
    """Marks the loops of one tree and notes what it did, in the order of the tree."""

    def __init__(
        self, which: Which, statements: Mapping[str, Statement], parts: tuple[int, int]
    ) -> None:
        self.marked: list[str] = []
        self.already: list[str] = []
        self.sequential: list[_Sequential] = []
        self._which = which
        self._statements = statements
        self._parts = parts

    @property
    def _marks(self) -> int:
        return len(self.marked) + len(self.already)

    def visit(self, node: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
        """The tree from `node` down with its marks, given what is active at `node`."""
        match node.kind:
            case Kind.BAND:
                return self._visit_band(node, actives)
            case Kind.MARK if (tiles := tiles_at(node)) is not None:
                return self._visit_tiles(node, tiles, actives)
            case _:
                return self._visit_children(node, actives)

    def _visit_children(self, node: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
        for position, inner in enumerate(below(node, actives)):
            node = self.visit(node.child(position), inner).parent()
        return node

    def _visit_tiles(
        self, mark: ScheduleNode, tiles: SymbolicTiles, actives: tuple[Active, ...]
    ) -> ScheduleNode:
        """Tiles of symbolic sizes, whose loops are parallel or not whatever the sizes are."""
        marked = [number for number, loop in enumerate(tiles.loops, 1) if PARALLEL in loop]
        if marked:
            self.already.append(f"loop {marked[0]} over tiles is already marked parallel")
            return mark
        facts = band_facts(actives, [loop.member for loop in tiled_loops(mark)])
        parallel_loops = parallel_tile_loops(tiles, facts)
        loop = parallel_loops.index(True) if any(parallel_loops) else None
        if loop is None or self._which == "inner":
            marks = self._marks
            mark = self._visit_children(mark, actives)
            if loop is None or self._marks > marks:
                return mark
        elif self._which == "all":
            mark = self._visit_children(mark, actives)
        names = name_list(statements_of(mark))
        self.marked.append(f"loop {loop + 1} over tiles of {names} is parallel")
        attributes = list(tiles.loops)
        attributes[loop] = (*attributes[loop], PARALLEL)
        return replace_tiles(mark, replace(tiles, loops=tuple(attributes)))

    def _visit_band(self, band: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
        for member, attributes in enumerate(band.loop_attributes):
            if PARALLEL in attributes:
                self.already.append(f"{_loop(band, member)} is already marked parallel")
                return band
        marks, marked, sequential = self._marks, len(self.marked), len(self.sequential)
        parallel, reasons = _parallel_members(band, actives)
        chosen = parallel
        if self._which == "outermost" and len(parallel) > 1:
            steps = loop_steps(band)
            tiles = [steps[member] for member in parallel if steps[member] > 1]
            most = MUCH_LARGER * min(tiles, default=MUCH_LARGER)
            chosen = (min(parallel, key=lambda member: steps[member] >= most),)
        if not chosen or self._which != "outermost":
            band = self._visit_children(band, actives)
        if self._which == "inner":
            chosen = parallel[-1:] if self._marks == marks else ()
        self.marked[marked:marked] = [f"{_loop(band, member)} is parallel" for member in chosen]
        if chosen:
            # What is inside a parallel loop need not be parallel too.
            del self.sequential[sequential:]
        elif self._marks == marks and self._updates_one_element(band):
            # That the loops inside are sequential is no loss.
            del self.sequential[sequential:]
            return self._in_parts(band)
        elif self._marks == marks:
            # One line for the whole nest, not one for each band inside.
            inner = [reason for nest in self.sequential[sequential:] for reason in nest.reasons]
            reasons += tuple(dict.fromkeys(inner))
            self.sequential[sequential:] = [_Sequential(statements_of(band), reasons)]
        return _mark_members(band, chosen)

    def _updates_one_element(self, band: ScheduleNode) -> bool:
        """Whether an outermost band updates one element only, by an associative operation."""
        names = statements_of(band)
        if len(names) != 1 or names[0] not in self._statements or band.schedule_depth:
            return False
        update = update_of(self._statements[names[0]])
        if update is None or band.is_subtree_anchored:
            return False
        updated = elements(update).range()
        return bool(updated.lexmin().is_equal(updated.lexmax()))

    def _in_parts(self, band: ScheduleNode) -> ScheduleNode:
        """`band` with partial results of parts of its first loop."""
        is_alone = len(band.members) == 1 and band.child(0).kind is LEAF
        size = self._parts[0 if is_alone else 1]
        self.marked.append(f"{_loop(band, 0)} has partial results of {size} iterations")
        loops = list(band.loop_attributes)
        loops[0] = with_attribute(loops[0], PartsAttr(size))
        return band.with_loop_attributes(loops)


def _loop(node: ScheduleNode, member: int) -> str:
    """A member of the band at or below `node` in words; loops count from the outermost."""
    number = node.schedule_depth + member + 1
    return f"loop {number} around {name_list(statements_of(node))}"


def _parallel_members(
    band: ScheduleNode, actives: tuple[Active, ...]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The positions of the parallel members of a band, and why the others are not."""
    positions: list[int] = []
    reasons: list[str] = []
    attributes = list(band.loop_attributes)
    for position, member in enumerate(band.band.functions_by_statement):
        number = band.schedule_depth + position + 1
        arrays = carriers(actives, member)
        if arrays:
            reasons.append(f"loop {number} carries dependences through {', '.join(arrays)}")
        elif any(isinstance(each, VectorAttr | JamAttr) for each in attributes[position]):
            reasons.append(f"loop {number} runs in vectors")
        elif runs_once(band, position):
            reasons.append(f"loop {number} has only one iteration")
        else:
            positions.append(position)
        actives = still_active(actives, member)
    return tuple(positions), tuple(reasons)


def runs_once(band: ScheduleNode, position: int) -> bool:
    """Whether a member has one value only for equal values of all that is outside it."""
    members = band.band.partial_schedule
    outside = band.prefix_functions
    for outer in range(position):
        member = isl.MultiUnionPwAff.from_union_pw_aff(members.get_at(outer))
        outside = outside.flat_range_product(member)
    value = isl.UnionMap.from_union_pw_aff(members.get_at(position))
    dates = isl.UnionMap.from_multi_union_pw_aff(outside).intersect_domain(band.domain)
    return dates.reverse().apply_range(value).is_single_valued()


def _mark_members(band: ScheduleNode, positions: tuple[int, ...]) -> ScheduleNode:
    """`band` with the attribute for the members at `positions`."""
    if not positions:
        return band
    loops = list(band.loop_attributes)
    for position in positions:
        loops[position] = (*loops[position], PARALLEL)
    return band.with_loop_attributes(loops)


def collapse(schedule: Schedule, dependences: Dependences) -> Outcome:
    """Let threads share the iterations of parallel loops in each other, where the outer have few.

    The loop directly inside a marked one gets the mark, too, if the outer one may have fewer than
    `MANY` iterations, the inner one always runs over the same values, and another parallel loop is
    left inside, for vectors; and so on. All of them become one loop (`collapse(2)` of OpenMP).

        band [n, k, y]              =>    band [n, k, y]
          loop_attributes                   loop_attributes
            [[#poly.parallel], [], []]        [[#poly.parallel], [#poly.parallel], []]
    """
    done: list[str] = []

    def visit(node: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
        marked = [
            member
            for member, attributes in enumerate(node.loop_attributes if node.kind is BAND else ())
            if PARALLEL in attributes
        ]
        if not marked:
            for position, inner in enumerate(below(node, actives)):
                node = visit(node.child(position), inner).parent()
            return node
        # What isl does not find out in time is not collapsed.
        find = partial(_collapsible, node, marked[0], actives)
        count = within_operations(budgets.UNEQUAL_WORK, find) if len(marked) == 1 else None
        if count:
            done.append(f"threads share {_loop(node, marked[0])} and the {count} inside together")
        return _with_marks(node, marked[0] + 1, count or 0)

    root = visit(schedule.root, all_active(dependences.ordering))
    if not done:
        why = "nothing to do: no parallel loop has few iterations and two others inside"
        return Outcome(schedule, (), (why,), proved=True, name="nothing-to-do")
    return Outcome(root.schedule, tuple(done), proved=True)


def _with_marks(band: ScheduleNode, first: int, count: int) -> ScheduleNode:
    """A band with so many marks, from a member on, and in the bands below it."""
    own = range(first, min(first + count, len(band.members)))
    if count > len(own):
        band = _with_marks(band.child(0), 0, count - len(own)).parent()
    return _mark_members(band, tuple(own))


def _collapsible(band: ScheduleNode, position: int, actives: tuple[Active, ...]) -> int:
    """How many loops directly inside a member are to be shared together with it."""
    place = band.schedule_depth + position
    step = loop_steps(band)[position]
    parallel = {band.schedule_depth + each for each in _parallel_members(band, actives)[0]}
    innermost = band
    while innermost.child(0).kind is BAND:
        depth = innermost.schedule_depth + len(innermost.members)
        if not {*range(place, depth)} <= parallel:
            break
        (actives,) = below(innermost, actives)
        innermost = innermost.child(0)
        parallel |= {depth + each for each in _parallel_members(innermost, actives)[0]}
    outer = innermost.prefix_schedule.intersect_domain(innermost.domain)
    dates = outer.flat_range_product(innermost.band.partial_schedule_map).range()
    values = isl.Set.from_union_set(dates).remove_divs()
    hull = isl.Set.from_basic_set(values.simple_hull())
    count = 0
    while {place + count + 1, place + count + 2} <= parallel:
        has_many = _extent(hull, place + count, 1) > MANY * step
        # Vectors are made of the loop around one that C compilers unroll.
        is_short = _extent(hull, place + count + 2, MANY) <= UNROLLED_ITERATIONS
        if has_many or is_short:
            break
        outside = range(place, place + count + 1)
        if not all(are_apart(_pair(hull, each, place + count + 1), 0, 1) for each in outside):
            break
        count += 1
    return count


def _extent(values: isl.Set, place: int, otherwise: int) -> int:
    """How many values a coordinate has, if that is known; otherwise another number."""
    least, greatest = ends_of(values, place)
    return otherwise if least is None or greatest is None else greatest - least + 1


def _pair(values: isl.Set, one: int, other: int) -> isl.Set:
    """Two coordinates of points."""
    last = values.dim(isl.dim_type.set) - other - 1
    values = values.project_out(isl.dim_type.set, other + 1, last)
    values = values.project_out(isl.dim_type.set, one + 1, other - one - 1)
    return values.project_out(isl.dim_type.set, 0, one)


def mark_loops(
    schedule: Schedule,
    dependences: Dependences,
    addresses: Sequence[LoopAddress],
    attribute: Attribute = PARALLEL,
) -> Outcome:
    """Give the loops at `addresses` an attribute, in the place of another one of its name.

    Raises `OptionError` for addresses of no loop; `LegalityError` if the attribute is true of
    parallel loops only and a loop carries a dependence.
    """
    done: list[str] = []
    for address in addresses:
        loop = Directory(schedule).loop(address)
        known = loop.band.loop_attributes[loop.member]
        if attribute in known:
            done.append(f"{address} already has {attribute}")
            continue
        if requires_parallel((attribute,)) and (carried := _carried(loop, dependences)):
            message = f"{address} is not parallel: it carries {carried}"
            raise LegalityError(message, violated=carried.pair, name="not-parallel")
        schedule = with_attributes_at(schedule, loop.place, with_attribute(known, attribute))
        done.append(f"added {attribute} to {address}")
    return Outcome(schedule, tuple(done), proved=True)


def _carried(loop: Loop, dependences: Dependences) -> Violation | None:
    """A dependence that a loop carries, with an example of it."""
    actives = active_at(loop.band, dependences)
    *outer, member = loop.band.band.functions_by_statement[: loop.member + 1]
    for around in outer:
        actives = still_active(actives, around)
    return first_ordered(actives, member, (forward, backward))
