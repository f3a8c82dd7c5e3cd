"""The context: constraints on the parameters that hold when a scop is executed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import islpy as isl
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import SSAValue

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.raising.effects import ALLOCATIONS, AllocationOp
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Access
from polyir.sets.values import isl_value


def allocated_sizes(function: func.FuncOp) -> tuple[SSAValue, ...]:
    """The sizes of the allocations that every execution of `function` makes."""
    entry = function.body.first_block
    operations = () if entry is None else entry.ops
    allocations = [op for op in operations if isinstance(op, ALLOCATIONS)]
    return tuple(size for allocation in allocations for size in allocation.dynamic_sizes)


def shape_context(
    space: isl.Space, parameters: Sequence[SSAValue], sizes: Sequence[SSAValue]
) -> isl.Set:
    """The constraints that the shapes of memrefs put on the parameters, on `space`.

    A dynamic size is non-negative, whether it comes from `memref.dim` or is an operand of an
    allocation (`sizes`); a static size is constant, and two values for one size are equal.
    Nothing is assumed about other parameters: a loop up to a negative bound is empty.
    """
    local = space.params()
    variables = [
        isl.PwAff.var_on_domain(local, isl.dim_type.param, position)
        for position in range(len(parameters))
    ]
    zero = isl.PwAff.zero_on_domain(local)
    context = isl.Set.universe(space.params())
    known: dict[tuple[SSAValue, int], isl.PwAff] = {}
    for parameter, variable in zip(parameters, variables, strict=True):
        place = measured(parameter)
        if parameter in sizes or place is not None:
            context = context.intersect(variable.ge_set(zero))
        if place is None:
            continue
        source, dimension = place
        extent = shape_of(source)[dimension]
        if extent != DYNAMIC_INDEX:
            fixed = zero.add_constant_val(isl_value(extent))
            context = context.intersect(variable.eq_set(fixed))
        context = context.intersect(variable.eq_set(known.setdefault(place, variable)))
    return context


def access_context(op: ScopOp) -> isl.Set:
    """The context of `op`, without the parameter values for which an access is out of bounds.

    For `{ S[i] -> A[a] }`, a must-access, and a size `N` of `A` that is static or a parameter,
    no instance may have `a < 0` or `a >= N`; so the parameters are not in

        domain of { S[i] -> A[a] : a < 0 or a >= N }, projected on the parameters,

    which is empty where the loops around the access are. Constraints that would make the context a
    union are ignored: they cost more than they help.
    """
    if not any(_has_known_size(value) for inner in op.walk() for value in inner.operands):
        return op.context.data
    scop = scop_of(op)
    context = scop.context
    for statement in scop.statements:
        for access in statement.accesses:
            if not is_certain(access, statement.op):
                continue
            for outside in outside_of_array(scop, access):
                excluded = access.relation.intersect_range(outside).params()
                narrowed = context.subtract(excluded).coalesce()
                if narrowed.n_basic_set() == 1:
                    context = narrowed
    return context


def _has_known_size(value: SSAValue) -> bool:
    """Whether `value` is a memref with a size that may be known: static, an operand or queried."""
    if not isinstance(value.type, MemRefType):
        return False
    is_measured = any(isinstance(use.operation, memref.DimOp) for use in value.uses)
    is_static = any(extent != DYNAMIC_INDEX for extent in shape_of(value))
    is_given = isinstance(value.owner, ALLOCATIONS) and bool(shape_of(value))
    return is_static or is_measured or is_given


def is_certain(access: Access, statement: StmtOp) -> bool:
    """Whether every instance makes the access, to one known element."""
    is_executed = access.operation.parent_op() is statement
    return is_executed and access.relation.is_single_valued()


Extents = Callable[[Scop, SSAValue, int, isl.LocalSpace], isl.PwAff | None]
"""The size of a dimension of an array in a scop, as a function on a space, if there is one."""


def outside_of_array(scop: Scop, access: Access, extents: Extents | None = None) -> list[isl.Set]:
    """The elements beyond each known bound, one set per bound; of `extents` instead, if given."""
    array = scop.arrays[access.array]
    space = access.relation.get_space().range()
    local = isl.LocalSpace.from_space(space)
    zero = isl.PwAff.zero_on_domain(local)
    outside = []
    for dimension in range(len(shape_of(array))):
        extent = (extents or known_extent)(scop, array, dimension, local)
        if extent is not None:
            variable = isl.Aff.var_on_domain(local, isl.dim_type.set, dimension)
            subscript = isl.PwAff.from_aff(variable)
            outside += [subscript.lt_set(zero), subscript.ge_set(extent)]
    return outside


def known_extent(
    scop: Scop, array: SSAValue, dimension: int, local: isl.LocalSpace
) -> isl.PwAff | None:
    """The size of a dimension of `array`, if it is static or a parameter."""
    size = shape_of(array)[dimension]
    if size != DYNAMIC_INDEX:
        return isl.PwAff.from_aff(isl.Aff.val_on_domain(local, isl_value(size)))
    given = None
    if isinstance(array.owner, ALLOCATIONS):
        given = _given(array.owner, dimension)
    for name, value in scop.op.parameter_values.items():
        if value is given or measured(value) == (array, dimension):
            position = local.find_dim_by_name(isl.dim_type.param, name)
            return isl.PwAff.var_on_domain(local, isl.dim_type.param, position)
    return None


def within_extent(
    scop: Scop, array: SSAValue, dimension: int, space: isl.Space, position: int | None = None
) -> isl.Set | None:
    """Where a coordinate of `space` is a subscript of a dimension of `array`, if its size is known.

    The coordinate is at `position`, or else at the number of the dimension.
    """
    local = isl.LocalSpace.from_space(space)
    extent = known_extent(scop, array, dimension, local)
    if extent is None:
        return None
    at = dimension if position is None else position
    subscript = isl.PwAff.var_on_domain(local, isl.dim_type.set, at)
    return subscript.lt_set(extent).intersect(subscript.nonneg_set())


def _given(allocation: AllocationOp, dimension: int) -> SSAValue:
    """The operand that is the size of a dynamic dimension."""
    shape = shape_of(allocation.memref)
    return allocation.dynamic_sizes[shape[:dimension].count(DYNAMIC_INDEX)]


def measured(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The memref and the dimension of which `value` is the size; `None` if it is not a size."""
    if not isinstance(value.owner, memref.DimOp):
        return None
    source, index = value.owner.source, value.owner.index.owner
    if not isinstance(source.type, MemRefType) or not isinstance(index, arith.ConstantOp):
        return None
    if not isinstance(index.value, IntegerAttr):
        return None
    dimension = index.value.value.data
    return (source, dimension) if 0 <= dimension < len(shape_of(source)) else None


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a memref, `DYNAMIC_INDEX` for those that its type does not say."""
    assert isinstance(value.type, MemRefType)
    return value.type.get_shape()
