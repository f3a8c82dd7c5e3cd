"""Which reductions can be computed in parallel, and where they stand in the schedule tree.

A reduction is a statement `X[f] = X[f] op e` with several instances for one element, where op is
associative and commutative. J. Doerfert, K. Streit, S. Hack, Z. Benaissa, "Polly's Polyhedral
Scheduling in the Presence of Reductions" (IMPACT 2015) calls it that, and removes the dependences
between its instances; G. Gupta and S. Rajopadhye, "Simplifying Reductions" (POPL 2006), separates
the loops over results from those that are reduced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.gpu import is_one_block
from polyir.model.scop import Scop
from polyir.model.updates import Update, elements, update_of
from polyir.proofs.bands import active_at, band_facts
from polyir.sets.boxes import most_values
from polyir.sets.examples import example_of
from polyir.sets.maps import moved_along
from polyir.transform.bands import replace_band, split_at
from polyir.transform.gpu.device import Device
from polyir.transform.gpu.tile_sizes import access_score
from polyir.transform.reassociation.partial_results import NoReductionError
from polyir.transform.walk import BAND, with_permutable_bands
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import StatementAddress, TreePath, node_at
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import Active, below


@dataclass(frozen=True)
class ReassociateOptions:
    """Which reductions are computed by how many lanes.

    `lanes` is the number of partial results of each result, `blocks` the number of parts of a
    single result, each with so many lanes. Both are powers of two, and chosen by rule if they are
    not given. If `statements` are named, these become parallel; else all reductions with at most
    one parallel loop around.

    Raises `OptionError` for other numbers.
    """

    lanes: int | None = None
    blocks: int | None = None
    statements: tuple[StatementAddress, ...] = ()

    def __post_init__(self) -> None:
        for name, number, least in (("lanes", self.lanes, 2), ("blocks", self.blocks, 1)):
            if number is not None and not (least <= number <= 1024 and number.bit_count() == 1):
                raise OptionError(
                    f"{name} must be a power of two from {least} to 1024: {name}={number}"
                )

    @property
    def names(self) -> frozenset[str]:
        """The names of `statements`."""
        return frozenset(each.statement for each in self.statements)


@dataclass(frozen=True)
class Loop:
    """A loop around a statement: its values `{ S[i] -> [v] }`, and where it is in the tree.

    `is_parallel`: it carries no dependence that the loops around it leave. `extent` is the largest
    number of its iterations in one iteration of the loops around, `None` if there is none.
    `in_block`: it is below a mark `#poly.one_block`.
    """

    values: isl.PwAff
    path: TreePath
    member: int
    is_parallel: bool
    extent: int | None
    in_block: bool


@dataclass(frozen=True)
class ReductionPlan:
    """A reduction, and how it is to be computed.

    `schedule` is the tree, in which a band begins at the node `path`. The loops around the
    statement are `around`, in whose iterations one result after the other is computed, `results`,
    whose iterations compute results in parallel, and `reduced`. `before` and `after` are the other
    statements inside the loops `results` that must run before and after the reduction.

    Each result has `lanes` partial results; lane l has the instances with `values mod lanes = l`,
    with the values of `lane`, one of the loops `reduced`. A single result is first divided into
    `blocks` parts: by the values of `part`, another reduced loop, or of `lane` divided by `lanes`.
    A block computes `group` results. The lanes are the first dimension of the partial results if
    `lanes_first`, else the last one.
    """

    update: Update
    schedule: Schedule
    path: TreePath
    around: tuple[Loop, ...]
    results: tuple[Loop, ...]
    reduced: tuple[Loop, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    lane: Loop
    part: Loop | None
    lanes: int
    blocks: int
    group: int
    lanes_first: bool

    @property
    def in_block(self) -> bool:
        """Whether one block runs it already, with other things."""
        return self.reduced[0].in_block

    @property
    def prefix(self) -> isl.Map:
        """`{ S[i] -> [v] }`: the values of the loops in whose iterations there is one result."""
        return values_of(self.update, (*self.around, *self.results))


def values_of(update: Update, loops: Sequence[Loop]) -> isl.Map:
    """`{ S[i] -> [v] }`: the values of some loops around a statement."""
    start = isl.Map.from_domain(update.statement.domain)
    functions = (isl.Map.from_pw_aff(loop.values) for loop in loops)
    return reduce(isl.Map.flat_range_product, functions, start).intersect_domain(
        update.statement.domain
    )


def find_reduction(
    scop: Scop, dependences: Dependences, name: str, options: ReassociateOptions, device: Device
) -> ReductionPlan | None:
    """The statement `name` as a reduction that can be computed in parallel; `None` if it is none.

    The loops around it are divided: in one iteration of the first ones, a single element X[f] is
    updated; the rest are reduced. The first ones are as few as possible such that

    - e reads no element that is updated in the same iteration of the first loops;
    - the reduced loops carry no other dependence from the statement to itself;
    - no other statement has to run between its instances in an iteration of the first loops, as one
      would that reads or writes X[f] there. What shares loops with it gets loops of its own.

    Raises `NoReductionError`.
    """
    statement = next(each for each in scop.bodies if each.name == name)
    update = update_of(statement)
    if update is None or elements(update).is_injective():
        return None
    merged = with_permutable_bands(scop.schedule, dependences)
    schedule = _coincident_first(merged, dependences, name)
    loops = tuple(_loops_around(schedule, dependences, update))
    error = NoReductionError("the loops over its results are inside those over what it combines")
    for count in range(_number_of_loops_around_results(update, loops), len(loops)):
        outer, reduced = loops[:count], loops[count:]
        if all(loop.extent == 1 for loop in reduced):
            break
        try:
            _require_other_elements(update, outer)
            first = _first_parallel(outer, reduced, is_named=name in options.names)
            divided = outer[:first], outer[first:], reduced
            return _divided(update, dependences, schedule, divided, options, device)
        except NoReductionError as reason:
            error = reason
    raise error


def _coincident_first(schedule: Schedule, dependences: Dependences, name: str) -> Schedule:
    """The tree with the coincident members first in all permutable bands around a statement."""
    node = schedule.root
    actives = active_at(node, dependences)
    while node.n_children:
        if node.kind is BAND and not node.is_subtree_anchored:
            facts = band_facts(actives, node.band.functions_by_statement)
            flags = facts.coincident
            order = sorted(range(len(flags)), key=lambda position: not flags[position])
            if facts.permutable and order != list(range(len(flags))):
                members = node.members
                ordered = [replace(members[each], is_coincident=flags[each]) for each in order]
                node = replace_band(node, ordered, permutable=True)
        position = _child_of(node, name)
        actives = below(node, actives)[position]
        node = node.child(position)
    return node.schedule


def _child_of(node: ScheduleNode, name: str) -> int:
    """The child of `node` that a statement reaches; raises if there are several."""
    if node.n_children == 1:
        return 0
    # Of a filter, what is below it.
    found = [
        position
        for position in range(node.n_children)
        if name in statements_of(node.child(position).child(0))
    ]
    if len(found) > 1:
        raise NoReductionError("its instances are in several places of the schedule tree")
    return found[0]


def _loops_around(schedule: Schedule, dependences: Dependences, update: Update) -> Iterator[Loop]:
    """The loops around a statement, outermost first."""
    name = update.statement.name
    node = schedule.root
    actives = active_at(node, dependences)
    loops: list[Loop] = []
    in_block = False
    while node.n_children:
        in_block = in_block or is_one_block(node)
        if node.kind is BAND:
            members = node.band.functions_by_statement
            facts = band_facts(actives, members)
            for position, member in enumerate(members):
                values = member[name]
                is_parallel = facts.parallel[position]
                loop = Loop(values, node.path, position, is_parallel, None, in_block)
                loops.append(replace(loop, extent=_extent(update, loops, loop)))
                yield loops[-1]
        position = _child_of(node, name)
        actives = below(node, actives)[position]
        node = node.child(position)


def _extent(update: Update, around: Sequence[Loop], loop: Loop) -> int | None:
    """The most iterations of a loop in one of the loops around, if that is a constant."""
    return most_values(values_of(update, around).reverse().apply_range(values_of(update, (loop,))))


def _number_of_loops_around_results(update: Update, loops: Sequence[Loop]) -> int:
    """How many of the loops, from the outermost on, say which element is updated."""
    for count in range(len(loops)):
        results = values_of(update, loops[:count]).reverse().apply_range(elements(update))
        if results.is_single_valued():
            return count
    return len(loops)


def _require_other_elements(update: Update, outer: Sequence[Loop]) -> None:
    """Raise unless e reads no element that is updated in the same iteration of `outer`."""
    same = values_of(update, outer)
    same = same.apply_range(same.reverse())
    for access in update.others:
        if access.array == update.array:
            pairs = elements(update).apply_range(access.relation.reverse()).intersect(same)
            if not pairs.is_empty():
                example = example_of(pairs)
                where = f" ({example.parameters})" if example.parameters else ""
                raise NoReductionError(
                    f"{example.target} reads an element of {update.array} that {example.source} "
                    f"updates{where}"
                )


def _first_parallel(outer: Sequence[Loop], reduced: Sequence[Loop], is_named: bool) -> int:
    """The position of the first of the parallel loops that are directly around the reduced ones.

    Raises if there are more parallel loops, or several and the statement is not named. In a part of
    the tree that one block runs, loops outside it do not count.
    """
    if reduced[0].in_block:
        inside = [position for position, loop in enumerate(outer) if loop.in_block]
        if not all(outer[position].is_parallel for position in inside):
            raise NoReductionError("the block that runs it has a sequential loop around it")
        return len(outer) - len(inside)
    parallel = [
        position for position, loop in enumerate(outer) if loop.is_parallel and loop.extent != 1
    ]
    if not parallel:
        if sum(loop.extent != 1 for loop in outer) > 1 and not is_named:
            raise NoReductionError("a launch for each result, in several loops, would take longer")
        return len(outer)
    if len(parallel) > 1 and not is_named:
        raise NoReductionError(f"{len(parallel)} loops around it are parallel without it")
    first = parallel[0]
    if any(not loop.is_parallel for loop in outer[first:]):
        raise NoReductionError("a sequential loop is between it and a parallel loop around it")
    if len({loop.path for loop in outer[first:]}) > 1:
        raise NoReductionError("the parallel loops around it are not in one band")
    return first


def _divided(
    update: Update,
    dependences: Dependences,
    schedule: Schedule,
    loops: tuple[tuple[Loop, ...], tuple[Loop, ...], tuple[Loop, ...]],
    options: ReassociateOptions,
    device: Device,
) -> ReductionPlan:
    """The reduction with its lanes and parts, and the statements beside it."""
    around, results, reduced = loops
    lanes_first = bool(results) and _prefers_results(update, loops)
    threads, warp = device.threads, device.warp
    wanted = options.lanes or (threads if not results else threads // warp if lanes_first else warp)
    lane = _lane(reduced, wanted)
    lanes = _at_most(wanted, lane.extent)
    if lanes < device.fewest_lanes and lanes < wanted:
        raise NoReductionError(f"it has at most {lane.extent} iterations")
    blocks, part = 1, None
    if not results and not reduced[0].in_block:
        blocks, part = _parts(options.blocks, device.parts, around, reduced, lane, lanes)
    node, before, after = _apart(update, dependences, schedule, results, reduced)
    return ReductionPlan(
        update=update,
        schedule=node.schedule,
        path=node.path,
        around=around,
        results=results,
        reduced=reduced,
        before=before,
        after=after,
        lane=lane,
        part=part,
        lanes=lanes,
        blocks=blocks,
        group=max(1, threads // lanes) if results else 1,
        lanes_first=lanes_first,
    )


def _prefers_results(
    update: Update, loops: tuple[tuple[Loop, ...], tuple[Loop, ...], tuple[Loop, ...]]
) -> bool:
    """Whether more accesses move to the next element with the last result than with the last loop.

    Neighbouring threads then have neighbouring results, not neighbouring lanes.
    """
    around, results, reduced = loops
    dates = values_of(update, (*around, *results, *reduced))

    def score(depth: int) -> int:
        step = moved_along(dates.range().get_space(), depth, 1)
        following = dates.apply_range(step).apply_range(dates.reverse())
        return sum(access_score(access.relation, following) for access in update.others)

    return score(len(around) + len(results) - 1) > score(dates.dim(isl.dim_type.out) - 1)


def _lane(reduced: Sequence[Loop], wanted: int) -> Loop:
    """The loop whose iterations are divided among lanes: the last one that has enough, or most."""
    for loop in reversed(reduced):
        if loop.extent is None or loop.extent >= wanted:
            return loop
    return max(reduced, key=lambda loop: loop.extent or 0)


def _at_most(wanted: int, extent: int | None) -> int:
    """A power of two, at most `wanted` and, if there is one, `extent`."""
    while extent is not None and wanted > extent:
        wanted //= 2
    return max(1, wanted)


def _parts(
    given: int | None,
    most: int,
    around: Sequence[Loop],
    reduced: Sequence[Loop],
    lane: Loop,
    lanes: int,
) -> tuple[int, Loop | None]:
    """The parts of a single result, and the loop that is divided among them, if not that of lanes.

    Inside a loop of the host, a second launch takes longer than what it saves, unless two loops or
    more are reduced.
    """
    others = [loop for loop in reduced if loop is not lane and loop.extent != 1]
    is_large = bool(others) or all(loop.extent == 1 for loop in around)
    wanted = given or (most if is_large else 1)
    for loop in others:
        if loop.extent is None or loop.extent >= wanted:
            return wanted, loop
    rounds = None if lane.extent is None else -(-lane.extent // lanes)
    return _at_most(wanted, rounds), None


def _apart(
    update: Update,
    dependences: Dependences,
    schedule: Schedule,
    results: Sequence[Loop],
    reduced: Sequence[Loop],
) -> tuple[ScheduleNode, tuple[str, ...], tuple[str, ...]]:
    """The band from which on the reduction gets a tree of its own; what runs before it, and after.

    That is the band of the loops over results; without any, that of the reduced loops.
    """
    name = update.statement.name
    start = (*results, *reduced)[0]
    band = split_at(node_at(schedule, start.path), start.member)
    inside = band
    if results:
        members = len(results)
        inside = (band.split(members) if len(band.members) > members else band).child(0)
    band = inside.parent() if results else inside
    actives = active_at(inside, dependences)
    _require_reduction_only(update, actives)
    after = _reachable(name, actives)
    before = _reachable(name, actives, backwards=True)
    both = [other for other in before if other in after]
    if both:
        raise NoReductionError(f"{name_list(both)} must run between its instances")
    others = [other for other in statements_of(inside) if other != name and other not in after]
    return band, tuple(others), after


def _require_reduction_only(update: Update, actives: Sequence[Active]) -> None:
    """Raise if the reduced loops carry dependences of the statement through other arrays."""
    name = update.statement.name
    for active in actives:
        dependence = active.dependence
        if dependence.source == dependence.target == name and dependence.array != update.array:
            raise NoReductionError(
                f"its loops carry a dependence through {dependence.array}: "
                f"{example_of(active.relation)}"
            )


def _reachable(name: str, actives: Sequence[Active], backwards: bool = False) -> tuple[str, ...]:
    """The other statements that depend on `name`, or, backwards, that it depends on."""
    found = {name}
    growing = True
    while growing:
        growing = False
        for active in actives:
            ends = active.dependence.source, active.dependence.target
            source, target = reversed(ends) if backwards else ends
            if source in found and target not in found:
                found.add(target)
                growing = True
    return tuple(sorted(found - {name}, key=lambda each: (len(each), each)))
