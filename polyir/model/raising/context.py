"""The context: what is known of the parameters wherever a scop is executed."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.model.raising.effects import ALLOCATIONS


def context_of(parameters: Sequence[SSAValue], names: Sequence[str]) -> isl.Set:
    """The constraints that memref shapes put on the parameters.

    A dynamic size is not negative, whether it is asked for (`memref.dim`) or given (to an
    allocation); a static size is what it is, and two values for one size are equal. Nothing
    is assumed of other parameters: a loop up to a negative bound is empty.
    """
    space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, len(names), 0)
    for position, name in enumerate(names):
        space = space.set_dim_name(isl.dim_type.param, position, name)
    context = isl.BasicSet.universe(space.params())
    zero = isl.Constraint.inequality_alloc(isl.LocalSpace.from_space(space.params()))
    sizes: dict[tuple[SSAValue, int], int] = {}
    for position, parameter in enumerate(parameters):
        nonnegative = zero.set_coefficient_val(isl.dim_type.param, position, isl.Val(1))
        if _is_allocated_size(parameter):
            context = context.add_constraint(nonnegative)
        size = _size(parameter)
        if size is None:
            continue
        source, dimension = size
        assert isinstance(source.type, MemRefType)
        extent = source.type.get_shape()[dimension]
        context = context.add_constraint(nonnegative)
        if extent != DYNAMIC_INDEX:
            context = context.fix_val(isl.dim_type.param, position, isl.Val(extent))
        other = sizes.setdefault(size, position)
        if other != position:
            context = context.add_constraint(_equal(space, position, other))
    return isl.Set.from_basic_set(context)


def _equal(space: isl.Space, left: int, right: int) -> isl.Constraint:
    constraint = isl.Constraint.equality_alloc(isl.LocalSpace.from_space(space.params()))
    constraint = constraint.set_coefficient_val(isl.dim_type.param, left, isl.Val(1))
    return constraint.set_coefficient_val(isl.dim_type.param, right, isl.Val(-1))


def _is_allocated_size(value: SSAValue) -> bool:
    """Whether an allocation outside all control has `value` as a size."""
    function_level = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    return any(
        isinstance(use.operation, ALLOCATIONS) and use.operation.parent is function_level
        for use in value.uses
    )


def _size(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The memref and the dimension whose size `value` is."""
    if not isinstance(value.owner, memref.DimOp):
        return None
    source, index = value.owner.source, value.owner.index
    if not isinstance(source.type, MemRefType):
        return None
    if isinstance(index.owner, arith.ConstantOp) and isinstance(index.owner.value, IntegerAttr):
        dimension = index.owner.value.value.data
        return (source, dimension) if 0 <= dimension < source.type.get_num_dims() else None
    return None
