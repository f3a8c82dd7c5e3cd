"""The elements that arrays have, where accesses do not tell.

An access under a condition on data may have subscripts that lead out of the array, for which the
condition does not hold. No rank may pack or unpack such an element. So the extents of the array
become parameters of the scop, and the sets of elements end at them.
"""

from __future__ import annotations

import islpy as isl
from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import BlockArgument
from xdsl.rewriter import InsertPoint

from polyir.dialects.isl_attributes import SetAttr
from polyir.loops.code import Code
from polyir.model.raising.context import known_extent, shape_of, within_extent
from polyir.model.scop import Scop, scop_of
from polyir.sets.lists import sets_of, union_set
from polyir.sets.names import unique_name


def with_extents(scop: Scop) -> Scop:
    """The scop, with parameters for the extents of arrays that accesses may lead out of."""
    local = isl.LocalSpace.from_space(scop.context.get_space())
    missing = [
        (name, dimension)
        for name in _left_arrays(scop)
        for dimension in range(len(shape_of(scop.arrays[name])))
        if known_extent(scop, scop.arrays[name], dimension, local) is None
    ]
    if not missing:
        return scop
    op = scop.op
    code = Code(InsertPoint.before(op))
    names = list(op.parameter_values)
    values = list(op.parameters)
    context = scop.context
    for array, dimension in missing:
        name = unique_name(f"{array}_extent{dimension}", {*names, *scop.arrays})
        extent = memref.DimOp(scop.arrays[array], code.constant(dimension))
        code.add(extent)
        extent.result.name_hint = name
        names.append(name)
        values.append(extent.result)
        context = context.intersect(isl.Set(f"[{name}] -> {{ : {name} >= 0 }}"))
    context = isl.Set(f"[{', '.join(names)}] -> {{ : }}").intersect(context)
    op.operands = values
    op.properties["parameter_names"] = ArrayAttr([StringAttr(name) for name in names])
    op.properties["context"] = SetAttr(context)
    return scop_of(op)


def existing_elements(scop: Scop) -> isl.UnionSet:
    """`{ A[x] }`: the elements that arrays have, if accesses may lead out of them; else all."""
    left = _left_arrays(scop)
    found: list[isl.Set] = []
    for name, memory in scop.arrays.items():
        space = scop.context.get_space().set_from_params()
        space = space.add_dims(isl.dim_type.set, len(shape_of(memory)))
        elements = isl.Set.universe(space.set_tuple_name(isl.dim_type.set, name))
        for dimension in range(len(shape_of(memory)) if name in left else 0):
            inside = within_extent(scop, memory, dimension, elements.get_space())
            elements = elements if inside is None else elements.intersect(inside)
        found.append(elements)
    return union_set(found, scop.context.get_space())


def _left_arrays(scop: Scop) -> tuple[str, ...]:
    """The arguments of which an element may be named that is in no access that surely happens."""
    relations = [each for statement in scop.statements for each in statement.accesses]
    named = {True: isl.UnionSet("{ }"), False: isl.UnionSet("{ }")}
    for access in relations:
        elements = isl.UnionSet.from_set(access.relation.range())
        named[access.certain] = named[access.certain].union(elements)
    beyond = named[False].subtract(named[True]).intersect_params(scop.context)
    left = {each.get_tuple_name() for each in sets_of(beyond) if not each.is_empty()}
    names = {access.array for access in relations if not access.certain}
    return tuple(
        name
        for name, memory in scop.arrays.items()
        if name in names and isinstance(memory, BlockArgument) and name in left
    )
