"""Local arrays in the AST: the code that shares one, and subscripts in terms of the loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from polyir.codegen.ast import (
    AstBlock,
    AstFor,
    AstIf,
    AstLet,
    AstMark,
    AstNode,
    LocalAccess,
    arguments_of,
    expression_from_isl,
)
from polyir.diagnostics import PolyirError, location_of
from polyir.dialects.mark_attributes import LocalAttr
from polyir.isl_lists import maps_of
from polyir.model.local_arrays import LocalMark, destinations
from polyir.model.scop import Scop


def local_accesses(
    scop: Scop, marks: Sequence[LocalMark], build: isl.AstBuild
) -> tuple[LocalAccess, ...]:
    """The accesses to local arrays of the copy of a statement that `build` generates.

    `marks` are those of the schedule tree. Raises `PolyirError` if an access goes to a local array
    in only some of the instances that the copy executes.
    """
    if not marks:
        return ()
    (dates,) = maps_of(build.get_schedule())
    name = dates.get_tuple_name(isl.dim_type.in_)
    (statement,) = (each for each in scop.bodies if each.name == name)
    # After the iterators of the source come the first points of symbolic tiles.
    own = statement.domain.dim(isl.dim_type.set)
    further = dates.dim(isl.dim_type.in_) - own
    instances = dates.domain().project_out(isl.dim_type.set, own, further).set_tuple_name(name)
    found: list[LocalAccess] = []
    for number, access in enumerate(statement.accesses):
        here = replace(access, relation=access.relation.intersect_domain(instances))
        parts = destinations(here, marks)
        if len(parts) > 1:
            raise PolyirError(
                f"{name} accesses {access.array} in some instances and a local array in others, "
                "but one generated statement executes both",
                location_of(statement.op),
            )
        for part in parts:
            if part.array != access.array:
                cells = part.cells.add_dims(isl.dim_type.in_, further)
                cells = cells.set_tuple_name(isl.dim_type.in_, name)
                subscripts = build.access_from_pw_multi_aff(_subscripts(dates, cells))
                values = tuple(map(expression_from_isl, arguments_of(subscripts)[1:]))
                found.append(LocalAccess(number, part.array, values))
    return tuple(found)


def _subscripts(dates: isl.Map, cells: isl.Map) -> isl.PwMultiAff:
    """`{ [c] -> L[l] }`: the cell as a function of the loops.

    Inside loops over tiles of 8, `i mod 8` is better expressed as `c1 - c0`: an affine function of
    the loops with the same values is used, if there is one.
    """
    # isl nests the loops of inner bands in tuples of their own.
    flat = dates.range().flatten_map()
    loops = dates.apply_range(flat)
    cell = cells.reset_tuple_id(isl.dim_type.out)
    hull = isl.Set.from_basic_set(loops.flat_range_product(cell).range().affine_hull())
    functions = isl.Map.from_range(hull)
    functions = functions.move_dims(
        isl.dim_type.in_, 0, isl.dim_type.out, 0, loops.dim(isl.dim_type.out)
    )
    if not functions.is_single_valued():
        functions = loops.reverse().apply_range(cell)
    functions = flat.apply_range(functions)
    name = cells.get_tuple_name(isl.dim_type.out)
    return isl.PwMultiAff.from_map(functions.set_tuple_name(isl.dim_type.out, name))


def with_joined_local_marks(node: AstNode) -> AstNode:
    """The AST with one mark of a local array around all of its uses in an iteration.

    isl generates no loop for a band with a single value. Where a sequence inside has a mark around
    it, isl then generates the children of the sequence one by one, each under a copy of the mark:
    the copies into a local array would be in another array than the accesses that follow. Nodes of
    a block under equal marks are therefore put under one mark, with all between them. Iterations
    of an unrolled loop then share the array, which is as good: each copies in what it reads.
    """
    match node:
        case AstFor() | AstLet() | AstMark():
            return replace(node, body=with_joined_local_marks(node.body))
        case AstIf():
            otherwise = node.otherwise and with_joined_local_marks(node.otherwise)
            return replace(node, then=with_joined_local_marks(node.then), otherwise=otherwise)
        case AstBlock():
            return _joined(tuple(map(with_joined_local_marks, node.children)))
    return node


def _joined(nodes: tuple[AstNode, ...]) -> AstNode:
    marks = tuple(map(_outer_mark, nodes))
    parts: list[AstNode] = []
    position = 0
    while position < len(nodes):
        mark = marks[position]
        end = position + 1
        if mark is not None:
            end = max(other for other in range(end, len(nodes) + 1) if marks[other - 1] == mark)
        part = nodes[position:end]
        if len(part) == 1:
            parts += part
        else:
            assert mark is not None
            own = (each if _outer_mark(each) != mark else _without_mark(each) for each in part)
            parts.append(AstMark(mark, _joined(tuple(own))))
        position = end
    return parts[0] if len(parts) == 1 else AstBlock(tuple(parts))


def _outer_mark(node: AstNode) -> LocalAttr | None:
    """The mark of a local array around all that `node` executes."""
    match node:
        case AstMark(item=LocalAttr() as mark):
            return mark
        case AstMark() | AstLet():
            return _outer_mark(node.body)
        case AstIf(otherwise=None):
            return _outer_mark(node.then)
    return None


def _without_mark(node: AstNode) -> AstNode:
    """The node without its `_outer_mark`."""
    match node:
        case AstMark(item=LocalAttr()):
            return node.body
        case AstMark() | AstLet():
            return replace(node, body=_without_mark(node.body))
        case AstIf():
            return replace(node, then=_without_mark(node.then))
    raise AssertionError("no mark of a local array")
