"""Index values of a function that cannot be negative: the quotients of these need no helper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import affine, arith, memref, omp, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue

from polyir.dialects.affine_extra import MaxOp
from polyir.target.c.affine import is_nonnegative
from polyir.target.c.thread_numbers import is_thread_number


def nonnegative_values(ops: Iterable[Operation]) -> dict[SSAValue, None]:
    """Values of type index that cannot be negative: counters, sizes, and what is made of them."""
    found: dict[SSAValue, None] = {}

    def bounds(attribute: AffineMapAttr, operands: Sequence[SSAValue]) -> list[bool]:
        map, signs = attribute.data, [operand in found for operand in operands]
        return [is_nonnegative(result, signs, map.num_dims) for result in map.results]

    for op in ops:
        match op:
            case affine.ForOp():
                if any(bounds(op.lowerBoundMap, op.lowerBoundOperands)):
                    found[op.body.block.args[0]] = None
            case affine.ParallelOp():
                count = op.lowerBoundsMap.data.num_dims + op.lowerBoundsMap.data.num_symbols
                lower = iter(bounds(op.lowerBoundsMap, op.map_operands[:count]))
                sizes = op.lowerBoundsGroups.get_values()
                for counter, size in zip(op.body.block.args, sizes, strict=True):
                    group = [next(lower) for _ in range(int(size))]
                    if any(group):
                        found[counter] = None
            case scf.ForOp():
                if op.lb in found:
                    found[op.body.block.args[0]] = None
            case scf.ParallelOp() | omp.LoopNestOp():
                for counter, bound in zip(op.body.block.args, op.lowerBound, strict=True):
                    if bound in found:
                        found[counter] = None
            case affine.ApplyOp() | affine.MinOp():
                if all(bounds(op.map, op.operands)):
                    found[op.result] = None
            case MaxOp():
                if any(bounds(op.map, op.operands)):
                    found[op.result] = None
            case arith.ConstantOp(value=IntegerAttr(value=value)):
                if isinstance(op.result.type, IndexType) and value.data >= 0:
                    found[op.result] = None
            case memref.DimOp():
                found[op.result] = None
            case _ if is_thread_number(op):
                found[op.results[0]] = None
            case _:
                pass
    return found
