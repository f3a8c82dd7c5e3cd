"""Promotion: what an iteration touches of an array becomes a local array, filled and emptied there.

Packing for caches, tiles in scratch memory, halo buffers and register tiles are all this, with
other layouts and memory spaces. M. Baskaran, U. Bondhugula, S. Krishnamoorthy, J. Ramanujam,
A. Rountev, P. Sadayappan, "Automatic data movement and computation mapping for multi-level
parallel architectures with explicitly managed memories" (PPoPP 2008); S. Verdoolaege, J. C.
Juega, A. Cohen, J. I. Gómez, C. Tenllado, F. Catthoor, "Polyhedral parallel code generation for
CUDA" (TACO 2013), section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Literal

import islpy as isl
from xdsl.dialects.builtin import DYNAMIC_INDEX

from polyir.base.diagnostics import LocalArrayError, OptionError
from polyir.dialects.mark_attributes import LocalAccesses, LocalAttr
from polyir.dialects.scop import Space
from polyir.model.dataflow import ArrayFlow, array_flow
from polyir.model.iteration_arrays import MOST_ON_STACK
from polyir.model.local_arrays import local_marks
from polyir.model.scop import Scop, unique_name
from polyir.model.temporaries import why_no_temporary
from polyir.model.vectors import VECTOR_BYTES
from polyir.sets.hulls import simplified
from polyir.sets.lists import maps_of
from polyir.sets.values import isl_value
from polyir.transform.copied_elements import CopiedElements, Footprint
from polyir.transform.copy_statements import (
    CopyLoop,
    CopyStatement,
    CopyVectors,
    PromotedArray,
    copied_elements,
    copy_node,
    extension_of,
    in_vectors,
)
from polyir.transform.reference_groups import (
    LoopBody,
    NotAccessedError,
    NotPromotableError,
    ReferenceGroup,
    loop_bodies_around,
    loop_body_at,
    reference_groups,
    references_in,
)
from polyir.tree import Extension, Filter, Mark, Node, Schedule, SequenceNode
from polyir.tree.added import finished
from polyir.tree.addresses import LoopAddress, TreePath

PromotedSpace = Literal["auto", "heap", "stack", "register"]


@dataclass(frozen=True)
class PromoteOptions:
    """Which arrays become local, where, and how their elements are laid out.

    In each iteration of each loop of `loop`, the elements of each of `arrays` that the iteration
    touches are in a local array. Without `loop`, the arrays must be temporaries; each becomes local
    in the loop that needs the fewest elements of it at a time. No names are all arrays for which
    this can be done.

    `order` gives the dimensions of the array in the order of the local one, and `reverse` those
    that run backwards there. `padding` elements are added to the last dimension. `footprint` says
    what is copied in: `exact` copies what is needed, `box` the rectangle around it, unless the
    array is a temporary. The memory space `auto` is the stack for local arrays of up to
    `MOST_ON_STACK` elements, and the heap for larger ones. In a `loop` and on the `heap`, sizes
    that cannot be constant may be functions of the parameters.

    Raises `OptionError` for numbers that make no sense.
    """

    arrays: tuple[str, ...] = ()
    loop: tuple[LoopAddress, ...] = ()
    footprint: Footprint = "box"
    order: tuple[int, ...] = ()
    reverse: tuple[int, ...] = ()
    padding: int = 0
    alignment: int = 0
    space: PromotedSpace = "auto"

    def __post_init__(self) -> None:
        if sorted(self.order) != list(range(len(self.order))):
            given = ",".join(map(str, self.order))
            raise OptionError(f"order must name each dimension once, from 0: order={given}")
        if self.padding < 0:
            raise OptionError(f"padding must not be negative: padding={self.padding}")
        if self.alignment < 0 or self.alignment.bit_count() > 1:
            raise OptionError(f"alignment must be a power of two: alignment={self.alignment}")


@dataclass(frozen=True)
class Promotion:
    """What promotion does to a scop: declarations, copies, the tree; and why not, for the rest."""

    arrays: tuple[PromotedArray, ...] = ()
    copies: tuple[CopyStatement, ...] = ()
    schedule: Schedule | None = None
    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def plan_promotion(scop: Scop, options: PromoteOptions) -> Promotion:
    """What `promote` is to do; the scop is not changed.

    Below the loop, the tree gets marks for the local arrays, and an extension node with the copies:

        band [i]                     band [i]
          band [j]                     mark #poly.local<@A_local "{ [S[i, j] -> A[i + j]] -> ... }">
                           =>            extension { [i] -> A_in[i, a] : ...; [i] -> A_out[i, a] }
                                           sequence
                                             filter A_in
                                               band [a]
                                             filter S
                                               band [j]
                                             filter A_out
                                               band [a]

    References to an array that may touch a common element in one iteration share a local array if
    the rectangle around all of them has a constant size; those that only read may have one each.
    Copied in is what the iteration reads and has not written before; copied out is what it writes,
    unless nothing can read it before it is overwritten.

    Raises `OptionError` for an address of no loop and for unknown arrays; `LegalityError` with the
    reason for an array that cannot be promoted, where a loop was named.
    """
    require_arrays(scop, options.arrays)
    if options.loop:
        return _at_places(scop, _places(scop, options.loop), options)
    arrays: list[PromotedArray] = []
    done: list[str] = []
    missed: list[str] = []
    for name in options.arrays or tuple(scop.arrays):
        reason = why_no_temporary(scop, name)
        if reason is None:
            found = _smallest(scop, name, options)
            if found is not None:
                assert found.schedule is not None
                arrays += found.arrays
                done += found.done
                scop = scop.under(found.schedule)
                continue
            reason = (
                "no loop uses each of its values in a single iteration, and at most "
                f"{MOST_ON_STACK} values per iteration"
            )
        if options.arrays:
            missed.append(f"{name} was not promoted: {reason}")
    return Promotion(tuple(arrays), (), scop.schedule, tuple(done), tuple(missed))


def require_arrays(scop: Scop, names: Sequence[str]) -> None:
    """Raise `OptionError` for a name of no array."""
    unknown = [name for name in names if name not in scop.arrays]
    if unknown:
        known = ", ".join(scop.arrays)
        raise OptionError(f"there is no array {unknown[0]} (the scop accesses {known})")


def _smallest(scop: Scop, array: str, options: PromoteOptions) -> Promotion | None:
    """Promote a temporary, without copies, in the innermost loop that allows it.

    An outer one would need as many cells or more. `None` if there is no such loop.
    """
    flows: dict[str, ArrayFlow] = {}
    for place in reversed(list(loop_bodies_around(scop, array))):
        builder = LocalCopies(scop, place, options, flows=flows)
        try:
            cells = builder.add(array)
        except NotPromotableError:
            continue
        found = builder.result()
        if not found.copies:
            return found if cells <= MOST_ON_STACK else None
    return None


def _places(scop: Scop, loops: Sequence[LoopAddress]) -> list[LoopBody]:
    """The places inside of some loops, all in one tree, in which each loop ends a band."""
    for loop in loops:
        scop = scop.under(loop_body_at(scop, loop).schedule)
    # A loop has an address for each statement in it.
    places = {place.path: place for place in reversed([loop_body_at(scop, each) for each in loops])}
    return list(reversed(places.values()))


def _at_places(scop: Scop, places: Sequence[LoopBody], options: PromoteOptions) -> Promotion:
    """Promote arrays at each place that accesses them, or all that are accessed at one.

    Raises `LegalityError` for one of `options` that cannot be promoted.
    """
    taken = names_in_scop(scop)
    flows: dict[str, ArrayFlow] = {}
    builders = [LocalCopies(scop, place, options, taken, flows, True) for place in places]
    local = {mark.array for mark in local_marks(scop.schedule)}
    missed: list[str] = []
    for array in options.arrays or tuple(name for name in scop.arrays if name not in local):
        try:
            add_wherever_accessed(array, builders)
        except NotPromotableError as error:
            message = f"{array} cannot be promoted: {error}"
            if options.arrays:
                raise LocalArrayError(message) from None
            if not isinstance(error, NotAccessedError):
                missed.append(message)
    return replace(local_copies_in(places[0].schedule, builders), missed=tuple(missed))


def add_wherever_accessed(array: str, builders: Sequence[LocalCopies]) -> None:
    """Promote an array wherever it is accessed, or nowhere: then it raises `NotPromotableError`."""
    paths: list[TreePath] = []
    reason = NotAccessedError()
    found = [builder.emptied() for builder in builders]
    for builder in found:
        try:
            builder.add(array)
        except NotAccessedError as error:
            reason = error
            continue
        if any(_is_nested(path, builder.path) for path in paths):
            raise NotPromotableError("one of the loops is inside of another")
        paths.append(builder.path)
    if not paths:
        raise reason
    for builder, added in zip(builders, found, strict=True):
        builder.join(added)


def _is_nested(path: TreePath, other: TreePath) -> bool:
    """Whether one of two nodes is inside of the other."""
    return all(map(int.__eq__, path, other))


@dataclass(frozen=True)
class LocalForm:
    """How a group of references is kept: the name of the array, its memory and its copies.

    `loops` are those of the copies, as functions of the iteration and the element. `vectors` is how
    to copy several elements at once, where that is possible.
    """

    name: str
    space: Space
    footprint: Footprint = "box"
    padding: int = 0
    loops: tuple[CopyLoop, ...] = ()
    vectors: CopyVectors | None = None


@dataclass(frozen=True)
class Kept:
    """The local array of a group of references, and what is copied: `("in", "out")`."""

    local: PromotedArray
    copied: tuple[str, ...]

    def __str__(self) -> str:
        return f"copied {' and '.join(self.copied)}" if self.copied else "without copies"


def names_in_scop(scop: Scop) -> set[str]:
    """The names that new arrays and statements of a scop cannot have."""
    taken = {*scop.arrays, *(body.name for body in scop.bodies)}
    return taken | {mark.array for mark in local_marks(scop.schedule)}


class LocalCopies:
    """Collects the local arrays and the copies of one place.

    `taken` are the names that are given already, and `flows` those that are known already; both
    grow. If arrays on the heap may be `is_dynamic`, their sizes may depend on parameters.
    """

    def __init__(
        self,
        scop: Scop,
        place: LoopBody,
        options: PromoteOptions,
        taken: set[str] | None = None,
        flows: dict[str, ArrayFlow] | None = None,
        is_dynamic: bool = False,
    ) -> None:
        self._scop = scop
        self._place = place
        self._options = options
        self._taken = names_in_scop(scop) if taken is None else taken
        self._flows = {} if flows is None else flows
        self._is_dynamic = is_dynamic and options.space == "heap"
        self._arrays: list[PromotedArray] = []
        self._marks: list[LocalAttr] = []
        self._copies: list[CopyStatement] = []
        self._done: list[str] = []

    def add(self, array: str) -> int:
        """Promote an array; the number of cells that it takes. Raises `NotPromotableError`."""
        references = references_in(self._scop, array, self._place)
        if not references:
            raise NotAccessedError(f"{self._place.shown} does not access it")
        flow = self._flows.get(array)
        if flow is None:
            flow = self._flows[array] = array_flow(self._scop, array)
        cells = 0
        for group in reference_groups(array, references, self._place, self._is_dynamic):
            options = self._options
            shape = self._shape(group, options.padding)
            space: Space = "stack" if prod(shape) <= MOST_ON_STACK else "heap"
            if options.space != "auto":
                space = options.space
            form = LocalForm(f"{array}_local", space, options.footprint, options.padding)
            kept = self.add_group(array, group, flow, form)
            sizes = ["?" if size == DYNAMIC_INDEX else str(size) for size in shape]
            extent = " x ".join(sizes) + " elements" if shape else "one element"
            where = f"{self._place.shown} keeps {extent} of {array} in {kept.local.name}"
            self._done.append(f"{where}, {kept}")
            cells += prod(shape)
        return cells

    def emptied(self) -> LocalCopies:
        """The same place, and nothing collected there."""
        options, taken, flows = self._options, self._taken, self._flows
        return LocalCopies(self._scop, self._place, options, taken, flows, self._is_dynamic)

    def join(self, other: LocalCopies) -> None:
        """Add the local arrays and the copies that were collected for the same place."""
        self._arrays += other._arrays
        self._marks += other._marks
        self._copies += other._copies
        self._done += other._done

    def add_group(
        self, array: str, group: ReferenceGroup, flow: ArrayFlow, form: LocalForm
    ) -> Kept:
        """Promote the references of a group; `flow` is that of the array."""
        rank = len(group.box)
        shape = self._shape(group, form.padding)
        extents = self._extents(group)
        local = PromotedArray(
            self._name(form.name), array, rank, shape, form.space, extents=extents
        )
        self._arrays.append(local)
        cell = self._cell(local, group)
        functions = self._accesses(group, cell)
        self._marks.append(LocalAttr(LocalAccesses(local.name, functions)))
        moved = CopiedElements(self._scop, self._place, array, group, flow)
        copied: list[str] = []
        for kind, elements in (
            ("in", moved.copied_in(form.footprint)),
            ("out", moved.copied_out()),
        ):
            if not elements.is_empty():
                name = self._name(f"{array}_{kind}")
                domain = copied_elements(elements.wrap().flatten(), name, local)
                function = cell.set_tuple_id(isl.dim_type.in_, domain.get_tuple_id())
                copy = CopyStatement(name, local, kind == "in", domain, function, form.loops)
                if form.vectors is not None:
                    copy = in_vectors(copy, form.vectors) or copy
                if copy.width > 1:
                    kind = f"{kind} (vectors of {copy.width})"
                    self._arrays[-1] = replace(local, alignment=VECTOR_BYTES)
                self._copies.append(copy)
                copied.append(kind)
        return Kept(local, tuple(copied))

    def _name(self, wanted: str) -> str:
        name = unique_name(wanted, self._taken)
        self._taken.add(name)
        return name

    def _scop_map(self) -> isl.UnionMap:
        return isl.UnionMap.empty(self._scop.context.get_space())

    def _dimensions(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """The dimensions in the order of the local array, without those of one element."""
        count = len(sizes)
        order = self._options.order or tuple(range(count))
        if len(order) != count or any(each >= count for each in self._options.reverse):
            raise NotPromotableError(
                f"it has {count} dimension{'s' * (count != 1)}, which does not match the options "
                "order and reverse"
            )
        return tuple(each for each in order if sizes[each] != 1)

    def _shape(self, group: ReferenceGroup, padding: int) -> tuple[int, ...]:
        cells = group.cells
        shape = [cells[each] for each in self._dimensions(cells)]
        if shape and padding:
            if shape[-1] == DYNAMIC_INDEX:
                raise NotPromotableError("the size of a row depends on parameters: no padding")
            shape[-1] += padding
        return tuple(shape)

    def _extents(self, group: ReferenceGroup) -> tuple[isl.PwAff, ...]:
        """The dynamic sizes of the local array, in the order of its dimensions."""
        sizes = group.sizes
        dynamic = [each for each, size in enumerate(sizes) if size == DYNAMIC_INDEX]
        return tuple(group.box[each].extent for each in self._dimensions(sizes) if each in dynamic)

    def _cell(self, local: PromotedArray, group: ReferenceGroup) -> isl.MultiAff:
        """`{ [t, a] -> L[l] }`: the cell of an element in an iteration."""
        box, sizes = group.box, group.sizes
        space = self._place_space(len(box))
        loops = space.dim(isl.dim_type.set) - len(box)
        functions: list[isl.Aff] = []
        for dimension in self._dimensions(group.cells):
            element = isl.Aff.var_on_domain(space, isl.dim_type.set, loops + dimension)
            offset = box[dimension].lower.insert_dims(isl.dim_type.in_, loops, len(box))
            cell = element.sub(offset)
            if dimension in self._options.reverse:
                if sizes[dimension] == DYNAMIC_INDEX:
                    raise NotPromotableError(
                        "a size depends on parameters, so that dimension cannot run backwards"
                    )
                cell = cell.neg().add_constant_val(isl_value(sizes[dimension] - 1))
            if group.strides and group.strides[dimension] > 1:
                cell = cell.scale_down_val(isl_value(group.strides[dimension])).floor()
            functions.append(cell)
        range_space = space.params().set_from_params().add_dims(isl.dim_type.set, len(functions))
        range_space = range_space.set_tuple_name(isl.dim_type.set, local.name)
        result = isl.MultiAff.zero(space.map_from_domain_and_range(range_space))
        for position, function in enumerate(functions):
            result = result.set_aff(position, function)
        return result

    def _place_space(self, extra: int) -> isl.Space:
        """The space `[t, a]` of iterations and elements, with the parameters of the scop."""
        (first, *_) = maps_of(self._place.iterations)
        loops = first.dim(isl.dim_type.out)
        space = self._scop.context.get_space().params().set_from_params()
        return space.add_dims(isl.dim_type.set, loops + extra)

    def _accesses(self, group: ReferenceGroup, cell: isl.MultiAff) -> isl.UnionPwMultiAff:
        """`{ [S[i] -> A[a]] -> L[l] }` for all references of a group."""
        loops = self._place.iterations_by_functions
        simple = self._scop_map()
        found = isl.UnionPwMultiAff.from_union_map(simple)
        for name in dict.fromkeys(each.statement for each in group.references):
            relations = [each.relation for each in group.references if each.statement == name]
            if loops[name].n_piece() == 1:
                for relation in relations:
                    simple = simple.union(isl.UnionMap.from_map(self._sent(relation, cell)))
            else:
                pieces = _sent_by_pieces(relations, loops[name], cell)
                found = found.union_add(isl.UnionPwMultiAff.from_pw_multi_aff(pieces))
        return found.union_add(isl.UnionPwMultiAff.from_union_map(simple.coalesce()))

    def _sent(self, relation: isl.Map, cell: isl.MultiAff) -> isl.Map:
        """`{ [S[i] -> A[a]] -> L[l] }` for one reference."""
        name = relation.get_tuple_name(isl.dim_type.in_)
        (loops,) = (
            part
            for part in maps_of(self._place.iterations)
            if part.get_tuple_name(isl.dim_type.in_) == name
        )
        elements = relation.range_map().reset_tuple_id(isl.dim_type.out)
        both = relation.domain_map().apply_range(loops).flat_range_product(elements)
        sent = both.apply_range(isl.Map.from_multi_aff(cell))
        anywhere = isl.Map.universe(relation.get_space()).intersect_domain(relation.domain())
        return sent.gist_domain(anywhere.wrap())

    def result(self) -> Promotion:
        """The marks and copies in the tree."""
        return local_copies_in(self._place.schedule, [self])

    @property
    def path(self) -> TreePath:
        """Where the marks and copies are to stand."""
        return self._place.path

    @property
    def additions(self) -> Promotion:
        """What is added, without the tree."""
        return Promotion(tuple(self._arrays), tuple(self._copies), None, tuple(self._done))

    def with_marks(self, inside: Node) -> Node:
        """The marks above an extension node with the copies, around what was inside the loop."""
        node = inside
        if self._copies:
            before = [copy_node(copy) for copy in self._copies if copy.is_copy_in]
            after = [copy_node(copy) for copy in self._copies if not copy.is_copy_in]
            own = self._place.iterations.domain().universe()
            middle = Filter((inside,), own)
            relation = self._scop_map()
            for copy in self._copies:
                relation = relation.union(isl.UnionMap.from_map(extension_of(copy)))
            node = Extension((SequenceNode((*before, middle, *after)),), relation)
        for mark in reversed(self._marks):
            node = Mark((node,), mark)
        return node


def _sent_by_pieces(
    relations: Sequence[isl.Map], loops: isl.PwMultiAff, cell: isl.MultiAff
) -> isl.PwMultiAff:
    """`{ [S[i] -> A[a]] -> L[l] }` for references in one statement, in the pieces of `loops`.

    isl would find far more of them in the relation.
    """
    space = relations[0].get_space()
    domain_map = isl.MultiAff.domain_map(space)
    elements = isl.MultiAff.range_map(space).reset_tuple_id(isl.dim_type.out)
    iterations = loops.pullback_multi_aff(domain_map).reset_tuple_id(isl.dim_type.out)
    both = iterations.flat_range_product(isl.PwMultiAff.from_multi_aff(elements))
    cells = isl.PwMultiAff.from_multi_aff(cell).pullback_pw_multi_aff(both)
    accesses = simplified(reduce(isl.Map.union, relations))
    anywhere = isl.Map.universe(space).intersect_domain(accesses.domain())
    return cells.intersect_domain(accesses.wrap()).gist(anywhere.wrap())


def local_copies_in(schedule: Schedule, places: Sequence[LocalCopies]) -> Promotion:
    """The marks and copies of several places in one tree, `schedule`."""
    parts = [place.additions for place in places]
    arrays = tuple(array for part in parts for array in part.arrays)
    if not arrays:
        return Promotion()
    tree: Node = schedule.tree
    for place, part in sorted(zip(places, parts, strict=True), key=lambda pair: -len(pair[0].path)):
        if part.arrays:
            tree = _replaced(tree, place.path, place.with_marks)
    copies = tuple(copy for part in parts for copy in part.copies)
    done = tuple(message for part in parts for message in part.done)
    return Promotion(arrays, copies, finished(tree), done)


def _replaced(tree: Node, path: TreePath, change: Callable[[Node], Node]) -> Node:
    """The tree with what stands at the end of `path` changed."""
    if not path:
        return change(tree)
    children = list(tree.children)
    children[path[0]] = _replaced(children[path[0]], path[1:], change)
    return tree.with_children(children)
