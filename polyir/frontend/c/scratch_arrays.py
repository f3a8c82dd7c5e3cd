"""Arrays that are declared around a region, but whose elements matter only in it.

    double row[m];
    #pragma scop
    for (i = 0; i < n; i++) {
      for (j = 0; j < m; j++) row[j] = f(a[i][j]);
      for (j = 0; j < m; j++) b[i][j] = row[j] / row[m - 1];
    }
    #pragma endscop

If the region reads no element before it writes it, and nothing reads one after it, the array might
as well be declared in the region: then passes may give each iteration its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial, reduce
from math import prod
from typing import Final

import islpy as isl
from pycparser import c_ast
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType, ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.scop import ScopOp
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.names import names_assigned_in
from polyir.frontend.c.pieces import MOST_PIECES
from polyir.frontend.c.places import SourceArgument, SourceArray
from polyir.frontend.c.points_to import OUTSIDE, PointsTo
from polyir.frontend.c.scopes import Scopes
from polyir.frontend.c.types import CArrayType
from polyir.model.affine_maps import expressions_of, map_over
from polyir.model.dataflow import array_flow
from polyir.model.iteration_arrays import MOST_ON_STACK
from polyir.model.raising import raise_function
from polyir.model.scop import Scop, scop_of

SOURCE_ARRAY: Final = "polyir.source_array"
"""The name, in C, of the array in whose place an allocation is."""


def make_own_arrays(
    module: ModuleOp,
    builder: Builder,
    described: dict[SSAValue, SourceArgument],
    scopes: Scopes,
    function: c_ast.FuncDef,
    region: Sequence[c_ast.Node],
    takes_data: bool,
) -> dict[str, SourceArray]:
    """Replace the arguments of a region's function that are such arrays by local memory.

    `module` has the function, and `described` are the arguments, of which these are removed. What
    pointers lead to that the region changes is not theirs alone. Returns the arrays in whose
    place there are allocations with the attribute `SOURCE_ARRAY`, by the names in it: those that
    stay as they are need no other memory.
    """
    names = {
        argument: source.origin.root
        for argument, source in described.items()
        if isinstance(source, SourceArray) and _is_plain(source)
    }
    uses = Counter(source.origin.root for source in described.values())
    changed = {name for each in region for name in names_assigned_in(each)}
    points_to: PointsTo | None = None
    found: dict[SSAValue, str] = {}
    for argument, name in names.items():
        is_alone = uses[name] == 1 and scopes.is_local(name) and name not in changed
        if is_alone and not _matters_outside(name, function, region):
            points_to = points_to or PointsTo(function, scopes)
            source = described[argument]
            objects = points_to.objects(source.origin)
            is_known = isinstance(scopes.type_of_variable(name), CArrayType) or (
                len(objects) == 1 and all(each.kind == "heap" for each in objects)
            )
            if is_known and not points_to.may_overlap(objects, frozenset({OUTSIDE})):
                found[argument] = name
    if found:
        _replace(module, builder, found, takes_data)
    sources: dict[str, SourceArray] = {}
    for argument, name in found.items():
        if argument.first_use is None:
            source = described.pop(argument)
            assert isinstance(source, SourceArray)
            # Elsewhere, the corners of all accesses may lie outside of the memory.
            if len(source.parts) == 2 or isinstance(scopes.type_of_variable(name), CArrayType):
                sources[name] = source
    return sources


def _is_plain(source: SourceArray) -> bool:
    """Whether an array is all that a variable is, or leads to."""
    name, *subscripts = source.parts
    return name == source.origin.root and subscripts == [*range(len(subscripts))] != []


def _matters_outside(name: str, function: c_ast.FuncDef, region: Sequence[c_ast.Node]) -> bool:
    """Whether elements of an array may be read outside of a region, or its address is kept."""
    inside = {id(statement) for statement in region}

    def matters(node: c_ast.Node) -> bool:
        if id(node) in inside:
            return False
        match node:
            case c_ast.ID():
                return bool(node.name == name)
            case c_ast.FuncCall(name=c_ast.ID(name="free")) | c_ast.UnaryOp(op="sizeof"):
                return False
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target)) if target == name:
                return matters(node.rvalue)
            case c_ast.UnaryOp(op="!", expr=c_ast.ID(name=tested)) if tested == name:
                return False
            case c_ast.BinaryOp(op="==" | "!=", left=c_ast.ID(name=tested)) if tested == name:
                return matters(node.right)
            case c_ast.StructRef():
                return matters(node.name)
            case _:
                return any(map(matters, node))

    return matters(function.body)


def _replace(
    module: ModuleOp, builder: Builder, names: dict[SSAValue, str], takes_data: bool
) -> None:
    """Give the function memory of its own for arguments of which it reads only what it wrote."""
    copied: dict[SSAValue, SSAValue] = {}
    copies = [op.clone(copied) for op in module.ops]
    whole = ModuleOp(copies)
    originals = {copy: value for value, copy in copied.items()}
    function = next(op for op in whole.ops if isinstance(op, func.FuncOp) and not op.is_declaration)
    raise_function(function, data_loops=takes_data)
    for argument, name in names.items():
        memory = copied[argument]
        users = {use.operation for use in memory.uses}
        scops = [op for op in function.walk() if isinstance(op, ScopOp)]
        inside = [op for op in scops if any(op.is_ancestor(user) for user in users)]
        if len(inside) != 1 or not all(inside[0].is_ancestor(user) for user in users):
            continue
        scop = scop_of(inside[0])
        array = next((each for each, value in scop.arrays.items() if value is memory), None)
        if array is None:
            continue
        flow = within_operations(budgets.FREED_LOOPS, partial(array_flow, scop, array))
        if flow is None or flow.is_live_in:
            continue
        own = _allocated(scop, array, name, builder, originals)
        if own is not None:
            own.name_hint = name
            argument.replace_all_uses_with(own)
            if isinstance(own.owner, memref.AllocOp):
                builder.free_at_end(own)


def _allocated(
    scop: Scop, array: str, name: str, builder: Builder, originals: dict[SSAValue, SSAValue]
) -> SSAValue | None:
    """Memory for all elements that a scop accesses; `None` if their number is not known.

    `originals` are the values of the function for those of the scop.
    """
    accesses = [each for statement in scop.statements for each in statement.accesses]
    ranges = [each.relation.range() for each in accesses if each.array == array]
    elements = reduce(isl.Set.union, ranges).reset_tuple_id().intersect_params(scop.context)
    type = scop.arrays[array].type
    assert isinstance(type, MemRefType)
    shape = type.get_shape()
    sizes: list[MaxOp] = []
    for place, extent in enumerate(shape):
        below = elements.upper_bound_val(isl.dim_type.set, place, isl.Val(-1))
        if not below.is_empty() or not elements.dim_is_bounded(isl.dim_type.set, place):
            return None
        if extent != DYNAMIC_INDEX:
            continue
        greatest = elements.dim_max(place).gist_params(scop.context).coalesce()
        pieces = [piece.add_constant_val(isl.Val(1)) for _, piece in greatest.get_pieces()]
        values = [originals.get(value, value) for value in scop.op.parameter_values.values()]
        if len(pieces) > MOST_PIECES:
            return None
        results = expressions_of(pieces, tuple(scop.op.parameter_values))
        map, operands = map_over((*results, AffineConstantExpr(1)), values)
        sizes.append(MaxOp(operands, AffineMapAttr(map)))
    is_small = not sizes and prod(shape) <= MOST_ON_STACK
    kind = memref.AllocaOp if is_small else memref.AllocOp
    allocation = kind.get(type.element_type, None, shape, [size.results[0] for size in sizes])
    if not is_small:
        allocation.attributes[SOURCE_ARRAY] = StringAttr(name)
    ops = list(builder.entry.ops)
    place = next(n for n, op in enumerate(ops) if op.regions or op is ops[-1])
    known = {value for op in ops[:place] for value in op.results} | {*builder.entry.args}
    if any(operand not in known for size in sizes for operand in size.operands):
        return None
    for op in (*sizes, allocation):
        builder.locate(op)
        builder.entry.insert_op_before(op, ops[place])
    return allocation.memref
