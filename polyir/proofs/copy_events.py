"""The accesses of a scop with local arrays, each as if it were a statement of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import islpy as isl
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block

from polyir.base.diagnostics import LocalArrayError
from polyir.dialects.scop import LocalArrayOp
from polyir.model.affine import NotAffineError
from polyir.model.local_arrays import Destination, LocalMark, destinations
from polyir.model.scop import Scop, statement_reader
from polyir.model.statements import Access, AccessKind, Statement
from polyir.model.vectors import first_elements, vector_of
from polyir.sets.examples import example_of
from polyir.sets.maps import moved_along
from polyir.sets.values import isl_value


@dataclass(frozen=True)
class Event:
    """One access of a statement, as if it were a statement of its own.

    `elements` is `{ E[i] -> A[a] }`, what the access stands for, and `cells` is `{ E[i] -> X[x] }`,
    where that is. The tuple E is `name`; the instances are those of `statement`. In a local array,
    the cells are below `mark`.
    """

    name: str
    statement: str
    access: int
    is_write: bool
    is_certain: bool
    is_copy: bool
    elements: isl.Map
    cells: isl.Map
    mark: LocalMark | None = None

    @property
    def array(self) -> str:
        """The array of the elements."""
        name: str = self.elements.get_tuple_name(isl.dim_type.out)
        return name

    @property
    def memory(self) -> str:
        """The array of the cells."""
        name: str = self.cells.get_tuple_name(isl.dim_type.out)
        return name


def access_events(scop: Scop, marks: Sequence[LocalMark], added: frozenset[str]) -> Iterator[Event]:
    """All accesses of a scop, in the order of the bodies."""
    local = {array.sym_name.data: array for array in scop.op.local_arrays}
    for body in scop.bodies:
        outside = [access for access in body.accesses if access.array not in local]
        if body.name in added and len(outside) != 1:
            raise LocalArrayError(f"@{body.name} must copy between a local array and another array")
        for number, access in enumerate(body.accesses):
            # What a copy does to a local array is done to the element that it copies.
            is_copy = body.name in added
            pairs: Sequence[tuple[Access, Access]] = [(access, access)]
            if is_copy:
                _require_known(body, access)
                pairs = _lanes(access, outside[0])
            parts = (
                (lane, element, part)
                for lane, (own, element) in enumerate(pairs)
                for part in destinations(own, marks, scop.context)
            )
            for lane, element, part in parts:
                if part.array in local:
                    _require_cell(body, part, local[part.array], scop)
                cells = part.memory.intersect_params(scop.context)
                name = f"{body.name}_access_{number}_{lane}_{part.array}"
                yield Event(
                    name,
                    body.name,
                    number,
                    access.kind is not AccessKind.READ,
                    access.kind is AccessKind.WRITE,
                    is_copy,
                    renamed(element.relation.intersect_domain(cells.domain()), name),
                    renamed(cells, name),
                    part.mark,
                )


def _require_known(body: Statement, access: Access) -> None:
    """Raise `LegalityError` unless it is known which element, or part of a row, a copy accesses."""
    vector = vector_of(access)
    if not access.certain or (vector is not None and len(vector.get_shape()) != 1):
        raise LocalArrayError(
            f"@{body.name} must copy an element at affine subscripts, or a vector of a row, from "
            f"or to {access.array}"
        )


def _lanes(access: Access, element: Access) -> Sequence[tuple[Access, Access]]:
    """An access, with the one that says its elements: a pair for each element of a vector."""
    vector = vector_of(access)
    if vector is None:
        return [(access, element)]
    width = vector.element_count()
    return [*zip(_of_lanes(access, width), _of_lanes(element, width), strict=True)]


def _of_lanes(access: Access, width: int) -> Iterator[Access]:
    """The accesses to the elements of a row."""
    first = first_elements(access)
    space, last = first.get_space().range(), first.dim(isl.dim_type.out) - 1
    for lane in range(width):
        yield replace(access, relation=first.apply_range(moved_along(space, last, lane)))


def _require_cell(body: Statement, part: Destination, array: LocalArrayOp, scop: Scop) -> None:
    """Raise `LegalityError` for an access to a local array outside of its mark or extents."""
    if part.mark is None:
        raise LocalArrayError(
            f"@{body.name} accesses the local array @{part.array} outside of its mark: "
            f"{example_of(part.cells).source}"
        )
    cells = part.cells.intersect_params(scop.context)
    beyond = cells.subtract_range(_cells_of(array, cells.get_space().range(), scop))
    if not beyond.is_empty():
        example = example_of(beyond)
        raise LocalArrayError(
            f"@{body.name} accesses the local array @{part.array} outside of its extents: "
            f"{example.source} accesses {example.target}"
        )


def _cells_of(array: LocalArrayOp, space: isl.Space, scop: Scop) -> isl.Set:
    """The cells that a local array has, a set of `space`.

    Raises `LegalityError` for a dynamic size that is not an affine function of the parameters.
    """
    inside = isl.Set.universe(space)
    reader = statement_reader(scop.op, Block(), space)
    sizes = iter(array.dynamic_sizes)
    for position, extent in enumerate(array.memory.type.get_shape()):
        inside = inside.lower_bound_val(isl.dim_type.set, position, isl.Val(0))
        if extent != DYNAMIC_INDEX:
            inside = inside.upper_bound_val(isl.dim_type.set, position, isl_value(extent - 1))
            continue
        try:
            size = reader.read(next(sizes))
        except NotAffineError as error:
            message = f"a size of the local array @{array.sym_name.data}: {error}"
            raise LocalArrayError(message) from None
        subscript = isl.PwAff.var_on_domain(space, isl.dim_type.set, position)
        inside = inside.intersect(subscript.lt_set(size))
    return inside


def renamed(relation: isl.Map, name: str) -> isl.Map:
    """The relation with another name for its instances."""
    return relation.set_tuple_name(isl.dim_type.in_, name)
