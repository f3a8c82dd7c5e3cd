"""What promotion moves: groups of references to an array in an iteration, and boxes around them.

S. Verdoolaege, J. C. Juega, A. Cohen, J. I. Gómez, C. Tenllado, F. Catthoor, "Polyhedral parallel
code generation for CUDA" (TACO 2013), section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations

import islpy as isl
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX

from polyir.base.diagnostics import LocalArrayError
from polyir.model.local_arrays import dimensions_of_data, local_marks, only_subscript
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind
from polyir.model.tree_loops import iterations_at
from polyir.sets.boxes import Box, box_of_images, least_of
from polyir.sets.lists import maps_by_statement, union_set
from polyir.transform.walk import BAND
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopAddress, LoopPosition, TreePath, node_at
from polyir.tree.symbolic_tiles import tiled_loops, tiles_at


class NotPromotableError(ValueError):
    """An array that cannot be promoted at a place; the message says why."""


class NotAccessedError(NotPromotableError):
    """An array that is not accessed at a place."""


@dataclass(frozen=True)
class LoopBody:
    """The node at the end of `path` in `schedule`, and `{ S[i] -> [t] }`: its iterations."""

    schedule: Schedule
    path: TreePath
    iterations: isl.UnionMap
    shown: str

    @cached_property
    def same_iteration(self) -> isl.UnionMap:
        """`{ S[i] -> T[j] }`: the instances that one iteration runs."""
        return self.iterations.apply_range(self.iterations.reverse())

    @property
    def iterations_by_functions(self) -> Mapping[str, isl.PwMultiAff]:
        """`iterations` by the functions of the bands around, for each statement."""
        node = node_at(self.schedule, self.path)
        functions = isl.UnionPwMultiAff.from_multi_union_pw_aff(node.prefix_functions)
        listed = functions.get_pw_multi_aff_list()
        pieces = (listed.get_at(position) for position in range(listed.n_pw_multi_aff()))
        return {each.get_tuple_name(isl.dim_type.in_): each for each in pieces}


def loop_body_at(scop: Scop, address: LoopAddress) -> LoopBody:
    loop = Directory(scop.schedule).loop(address)
    place = body_of_loop(scop.schedule, loop.place, f"an iteration of {address}")
    if place is None:
        raise LocalArrayError(
            f"{address} is tiled by symbolic sizes, so one iteration may be spread over several "
            "tiles"
        )
    return place


def body_of_loop(schedule: Schedule, place: LoopPosition, shown: str) -> LoopBody | None:
    """The place inside a loop, after its band was split; `None` inside of symbolic tiles."""
    band = node_at(schedule, place.path)
    if place.member + 1 < len(band.members):
        band = band.split(place.member + 1)
    node = band.child(0)
    if _cut_by_tiles(band):
        return None
    return LoopBody(band.schedule, (*place.path, 0), iterations_at(node), shown)


def _cut_by_tiles(band: ScheduleNode) -> bool:
    """Do symbolic tiles cut a loop that is inside of `band`, and `band` or one around it?"""
    inner, node = 0, band
    while node.has_parent:
        if node.kind is BAND:
            inner += len(node.members)
        tiles = tiles_at(node)
        if tiles is not None and len(tiled_loops(node)) > inner:
            return True
        node = node.parent()
    return False


def loop_bodies_around(scop: Scop, array: str) -> Iterator[LoopBody]:
    """The places inside the loops around all accesses to an array, outer loops first."""
    accesses = (each for body in scop.bodies for each in body.accesses if each.array == array)
    instances = union_set((each.relation.domain() for each in accesses), scop.context.get_space())
    node = scop.schedule.root.child(0)
    path: TreePath = (0,)
    while node.n_children > 0:
        if node.kind is BAND:
            for member in range(len(node.members)):
                number = node.schedule_depth + member + 1
                shown = f"an iteration of loop {number}"
                place = body_of_loop(scop.schedule, LoopPosition(path, member), shown)
                if place is not None:
                    yield place
        holders = [
            number
            for number in range(node.n_children)
            if not node.child(number).domain.is_disjoint(instances)
            and not _passes_none(node.child(number), instances)
        ]
        if len(holders) != 1:
            return
        node, path = node.child(holders[0]), (*path, holders[0])


def _passes_none(node: ScheduleNode, instances: isl.UnionSet) -> bool:
    is_filter = node.kind is Kind.FILTER
    return is_filter and bool(node.filter.is_disjoint(instances))


@dataclass(frozen=True, eq=False)
class PromotedReference:
    """What one access of a statement touches: `{ S[i] -> A[a] }` and `{ [t] -> A[a] }`.

    `access` is the number of the access in the statement.
    """

    statement: str
    access: int
    relation: isl.Map
    kind: AccessKind
    footprint: isl.Map


@dataclass(frozen=True, eq=False)
class ReferenceGroup:
    """References to an array that share a local one, and the box around what they touch.

    Elements whose subscripts differ by less than `strides` share a cell: they are never touched
    by the same thread, and each has an array of its own. Without, each element has its cell.
    """

    references: tuple[PromotedReference, ...]
    box: Box
    strides: tuple[int, ...] = ()

    @property
    def footprint(self) -> isl.Map:
        """All that the references touch, `{ [t] -> A[a] }`."""
        return _footprint_of(self.references)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the box, `DYNAMIC_INDEX` for those that depend on parameters."""
        return tuple(DYNAMIC_INDEX if side.size is None else side.size for side in self.box)

    @property
    def cells(self) -> tuple[int, ...]:
        """The extents of an array for the box: with strides, it takes one cell a step."""
        pairs = zip(self.sizes, self.strides or (1,) * len(self.box), strict=True)
        return tuple(-(-size // stride) for size, stride in pairs)


def references_in(scop: Scop, array: str, place: LoopBody) -> tuple[PromotedReference, ...]:
    """The references to an array in the iterations of a place; raises `NotPromotableError`."""
    if any(mark.array == array for mark in local_marks(scop.schedule)):
        raise NotPromotableError("it is already local")
    around = maps_by_statement(place.iterations)
    found: list[PromotedReference] = []
    for body, effective in zip(scop.bodies, scop.statements, strict=True):
        if body.name not in around:
            continue
        loops = around[body.name]
        for number, access in enumerate(body.accesses):
            relation = access.relation.intersect_domain(loops.domain())
            relation = relation.intersect_params(scop.context)
            if access.array != array or relation.is_empty():
                continue
            if not relation.is_single_valued() and not _is_whole_in_data(access, relation):
                raise NotPromotableError(
                    f"the elements that {body.name} accesses depend on data, or it accesses vectors"
                )
            footprint = loops.reverse().apply_range(relation)
            found.append(PromotedReference(body.name, number, relation, access.kind, footprint))
        if any(each.array == array for each in body.accesses) and not any(
            each.array == array for each in effective.accesses
        ):
            raise NotPromotableError("it is already local in an enclosing loop")
    return tuple(found)


def _is_whole_in_data(access: Access, relation: isl.Map) -> bool:
    """Whether a load or a store of one element has subscripts that data makes any of a dimension.

    The others are functions of the iterators.
    """
    is_scalar = isinstance(access.operation, memref.LoadOp | memref.StoreOp)
    if not is_scalar or access.symbolic is not None:
        return False
    parts = [only_subscript(relation, n) for n in dimensions_of_data(relation)]
    wholes = [isl.Map.from_domain_and_range(each.domain(), each.range()) for each in parts]
    return all(
        part.is_equal(whole) and least_of(part.range(), 0) == 0
        for part, whole in zip(parts, wholes, strict=True)
    )


def reference_groups(
    array: str,
    references: Sequence[PromotedReference],
    place: LoopBody,
    is_dynamic: bool = False,
) -> tuple[ReferenceGroup, ...]:
    """References that may touch one element in an iteration together; `NotPromotableError`.

    If they may be `is_dynamic`, sizes of the boxes around them may depend on parameters.
    """
    parts = _parts(references, is_dynamic)
    if any(part.box is None for part in parts):
        size = "known size" if is_dynamic else "constant size"
        hint = "" if is_dynamic else "; tile the loops first, or use the heap"
        raise NotPromotableError(
            f"the elements that {place.shown} touches fit in no rectangle of {size}{hint}"
        )
    groups = _with_boxes(_merged(parts, is_dynamic))
    if sum(len(group.references) for group in groups) < len(references):
        raise NotPromotableError(
            f"two references, one of which writes, touch common elements of {array}, and "
            "both together fit in no rectangle of constant size"
        )
    return groups


def boxed_groups(references: Sequence[PromotedReference]) -> tuple[ReferenceGroup, ...]:
    """As `reference_groups`, but without the references that can be in no group."""
    return _with_boxes(_merged(_parts(references)))


@dataclass(frozen=True, eq=False)
class _Part:
    """References that are together; `box` is `None` if there is none of constant size."""

    references: tuple[PromotedReference, ...]
    box: Box | None

    @property
    def footprint(self) -> isl.Map:
        return _footprint_of(self.references)

    @property
    def writes(self) -> bool:
        return any(each.kind is not AccessKind.READ for each in self.references)


def _parts(references: Sequence[PromotedReference], is_dynamic: bool = False) -> list[_Part]:
    return [_Part((each,), box_of_images(each.footprint, is_dynamic)) for each in references]


def _merged(parts: list[_Part], is_dynamic: bool = False) -> list[_Part]:
    """Parts with common elements in one, unless they only read and have no box together."""
    merged = True
    while merged:
        merged = False
        for left, right in combinations(parts, 2):
            writes = left.writes or right.writes
            hopeless = left.box is None or right.box is None
            if (hopeless and not writes) or left.footprint.is_disjoint(right.footprint):
                continue
            both = (*left.references, *right.references)
            box = None if hopeless else box_of_images(_footprint_of(both), is_dynamic)
            if box is None and not writes:
                continue
            parts = [each for each in parts if each not in (left, right)]
            parts.append(_Part(both, box))
            merged = True
            break
    return parts


def _with_boxes(parts: Sequence[_Part]) -> tuple[ReferenceGroup, ...]:
    return tuple(
        ReferenceGroup(part.references, part.box) for part in parts if part.box is not None
    )


def _footprint_of(references: Sequence[PromotedReference]) -> isl.Map:
    return reduce(isl.Map.union, (each.footprint for each in references)).coalesce()
