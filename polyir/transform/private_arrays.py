"""Private arrays: values that never leave an iteration of a parallel loop get an array for it.

P. Tu, D. Padua, "Automatic array privatization" (LCPC 1993): an array is private if each iteration
writes what it reads, and the iterations that write an element last copy it out. With tiles, arrays
shrink to what a tile needs: A. W. Lim, S.-W. Liao, M. S. Lam, "Blocking and array contraction
across arbitrarily nested loops using affine partitioning" (PPoPP 2001).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final

import islpy as isl
from xdsl.dialects.builtin import MemRefType

from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.loop_attributes import ParallelAttr
from polyir.model.dataflow import ArrayFlow, array_flow
from polyir.model.local_arrays import local_marks
from polyir.model.locality import innermost_step, moved_subscripts
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind, Statement
from polyir.model.tree_loops import schedules_below
from polyir.model.vectors import element_bytes
from polyir.transform.copy_statements import PromotedArray
from polyir.transform.parallel import mark_parallel
from polyir.transform.promote import (
    LocalCopies,
    PromoteOptions,
    Promotion,
    add_wherever_accessed,
    local_copies_in,
    names_in_scop,
    plan_promotion,
    require_arrays,
)
from polyir.transform.reference_groups import LoopBody, NotPromotableError, body_of_loop
from polyir.transform.walk import BAND
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import LoopPosition, TreePath, node_at
from polyir.tree.names import name_list, statements_of


def plan_private_arrays(
    scop: Scop, dependences: Dependences, arrays: Sequence[str] = (), makes_parallel: bool = False
) -> Promotion:
    """Which arrays the iterations of the outermost parallel loops are to have for themselves.

    If it `makes_parallel`, loops are parallel if nothing but the memory of arrays makes them
    sequential, and these arrays become private; nothing does if there are no such loops.

    An array, one of `arrays` or of all, becomes private if each iteration reads what it has
    written, and nothing else, and if the iterations that copy elements out are few: those of the
    last time step, for example, or none. The local arrays are on the stack if they are small, or
    else on the heap, where their sizes may be functions of the parameters; the subscript that most
    innermost loops move is the last one.

    The tree of the scop must respect the `dependences`.

    Raises `OptionError` for unknown arrays.
    """
    require_arrays(scop, arrays)
    loops = _loops(scop, dependences)
    if makes_parallel:
        before, loops = loops, _loops(scop, _without_memory(dependences))
        if loops == before:
            return Promotion()
    places = _places(scop, loops)
    if not places:
        return Promotion()
    original = _in_original_order(scop, dependences)
    flows: dict[str, ArrayFlow] = {}
    taken = names_in_scop(scop)

    def local_copies(order: tuple[int, ...] = ()) -> list[LocalCopies]:
        options = PromoteOptions(space="heap", order=order)
        return [LocalCopies(scop, place, options, taken, flows, True) for place in places]

    found, steps = local_copies(), _innermost_steps(scop, places)
    missed: list[str] = []
    for array in arrays or (_used_again(dependences) if makes_parallel else _written(scop)):
        try:
            _require_private(array, dependences, places)
            own = local_copies(_order(array, steps))
            flows[array] = array_flow(original, array)
            add_wherever_accessed(array, own)
            for copies, place in zip(own, places, strict=True):
                _require_few_copies(copies, place)
        except NotPromotableError as reason:
            missed += [f"{array} is not private: {reason}"] if arrays else []
            continue
        for all_of_place, copies in zip(found, own, strict=True):
            all_of_place.join(copies)
    plan = local_copies_in(places[0].schedule, found)
    local = tuple(_on_stack_if_small(each, scop) for each in plan.arrays)
    return replace(plan, arrays=local, missed=tuple(missed))


def plan_iteration_arrays(
    scop: Scop, dependences: Dependences, arrays: Sequence[str] = ()
) -> Promotion:
    """As `plan_private_arrays`, but where a loop inside needs less of an array at a time, for it.

    Each iteration of that loop then has a small array of constant size for itself: one element, if
    it is a variable of the loop's body. Values do not leave an iteration, and different iterations
    of the parallel loop around it have different elements, so that it is private there, too.
    """
    plan = plan_private_arrays(scop, dependences, arrays)
    names = tuple(each.array for each in plan.arrays)
    inner = plan_promotion(scop, PromoteOptions(names)) if names else Promotion()
    if not inner.arrays or inner.schedule is None:
        return plan
    rest = [name for name in names if all(name != each.array for each in inner.arrays)]
    if not rest:
        return replace(inner, missed=plan.missed)
    outer = plan_private_arrays(scop.under(inner.schedule), dependences, rest)
    return replace(
        outer,
        arrays=(*inner.arrays, *outer.arrays),
        schedule=outer.schedule or inner.schedule,
        done=(*inner.done, *outer.done),
    )


SMALL: Final = 1 << 15
"""The bytes of the largest array that is put on the stack, of which threads may have little."""


def _on_stack_if_small(local: PromotedArray, scop: Scop) -> PromotedArray:
    """The array, kept on the stack if it has a small constant size."""
    type = scop.arrays[local.array].type
    assert isinstance(type, MemRefType)
    is_small = not local.extents and element_bytes(type) * prod(local.shape) <= SMALL
    return replace(local, space="stack") if is_small else local


def _in_original_order(scop: Scop, dependences: Dependences) -> Scop:
    """The scop under its original order, or as it is, if that is not known of all its instances.

    Values take the same way in both, and far less time to follow where there are no tiles.
    """
    order = dependences.order
    if order is None or not scop.domain.is_subset(order.domain()):
        return scop
    return scop.under(Schedule.from_map(order.intersect_domain(scop.domain), scop.domain))


def _without_memory(dependences: Dependences) -> Dependences:
    """The dependences through values: memory is not used again."""
    kinds = (DependenceKind.FLOW, DependenceKind.REDUCTION)
    return replace(dependences, items=dependences.of_kind(*kinds))


def _used_again(dependences: Dependences) -> tuple[str, ...]:
    """The arrays whose elements get several values, one after the other."""
    again = dependences.of_kind(DependenceKind.ANTI, DependenceKind.OUTPUT)
    return tuple(dict.fromkeys(each.array for each in again))


def _written(scop: Scop) -> tuple[str, ...]:
    """The arrays that a scop writes and reads, but for local ones."""
    local = {mark.array for mark in local_marks(scop.schedule)}
    accesses = [access for each in scop.statements for access in each.accesses]
    written = dict.fromkeys(a.array for a in accesses if a.kind is not AccessKind.READ)
    read = {access.array for access in accesses if access.kind is AccessKind.READ}
    return tuple(array for array in written if array in read - local)


def _loops(scop: Scop, dependences: Dependences) -> tuple[LoopPosition, ...]:
    """The outermost parallel loops."""
    return tuple(_parallel_loops(mark_parallel(scop.schedule, dependences).schedule.root, ()))


def _places(scop: Scop, loops: Sequence[LoopPosition]) -> tuple[LoopBody, ...]:
    """The places inside loops, all in one tree."""
    schedule = scop.schedule
    # A band that ends with the loop has the same place in the tree.
    for loop in loops:
        body = body_of_loop(schedule, loop, "")
        schedule = schedule if body is None else body.schedule
    places: list[LoopBody] = []
    for loop in loops:
        names = name_list(statements_of(node_at(schedule, loop.path)))
        body = body_of_loop(schedule, loop, f"an iteration of the parallel loop around {names}")
        if body is not None:
            places.append(body)
    return tuple(places)


def _parallel_loops(node: ScheduleNode, path: TreePath) -> Iterator[LoopPosition]:
    """The loops with `#poly.parallel` from a node down, at their places in the tree."""
    if node.kind is BAND:
        for member, attributes in enumerate(node.loop_attributes):
            if any(isinstance(each, ParallelAttr) for each in attributes):
                yield LoopPosition(path, member)
                return
    for position in range(node.n_children):
        yield from _parallel_loops(node.child(position), (*path, position))


def _require_private(array: str, dependences: Dependences, places: Sequence[LoopBody]) -> None:
    """Raise `NotPromotableError` if a value gets from one iteration to another."""
    for each in dependences.of_kind(DependenceKind.FLOW, DependenceKind.REDUCTION):
        if each.array == array:
            left = isl.UnionMap.from_map(each.relation)
            for place in places:
                left = left.subtract(place.same_iteration)
            if not left.is_empty():
                raise NotPromotableError(
                    f"{each.target} reads values that {each.source} writes in another iteration"
                )


_Steps = Sequence[tuple[Statement, isl.Map | None]]
"""The statements at the leaves below some places, each with a step of its innermost loop."""


def _innermost_steps(scop: Scop, places: Sequence[LoopBody]) -> _Steps:
    statements = {each.name: each for each in scop.statements}
    return [
        (statements[schedule.get_tuple_name(isl.dim_type.in_)], innermost_step(schedule))
        for place in places
        for schedule in schedules_below(node_at(place.schedule, place.path))
    ]


def _order(array: str, steps: _Steps) -> tuple[int, ...]:
    """The subscripts of an array, the one that most innermost loops move last."""
    moved: Counter[int] = Counter()
    rank = 0
    for statement, step in steps:
        for access in statement.accesses:
            if access.array != array:
                continue
            rank = access.relation.dim(isl.dim_type.out)
            subscripts = () if step is None else moved_subscripts(access, step)
            if len(subscripts) == 1:
                moved[subscripts[0]] += 1
    if not moved:
        return ()
    last = moved.most_common(1)[0][0]
    return (*(each for each in range(rank) if each != last), last)


def _require_few_copies(builder: LocalCopies, place: LoopBody) -> None:
    """Raise `NotPromotableError` if something is copied in, or out for all values of all loops."""
    iterations = isl.Set.from_union_set(place.iterations.range())
    whole = iterations.affine_hull()
    for copy in builder.additions.copies:
        if copy.is_copy_in:
            raise NotPromotableError(f"{place.shown} reads values from before it")
        elements = copy.local.rank
        loops = copy.domain.project_out(isl.dim_type.set, copy.iteration_dimensions, elements)
        if whole.is_subset(loops.reset_tuple_id().affine_hull()):
            raise NotPromotableError("too many iterations write values that are read elsewhere")
