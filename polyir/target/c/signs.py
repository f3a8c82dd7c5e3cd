"""Index values of a function that cannot be negative: the quotients of these need no helper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import affine, arith, memref, omp, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from polyir.dialects.affine_extra import MaxOp
from polyir.model.affine_bounds import counter_bounds
from polyir.target.c.affine import is_nonnegative
from polyir.target.c.thread_numbers import is_thread_number


def nonnegative_values(ops: Iterable[Operation]) -> dict[SSAValue, None]:
    """Values of type index that cannot be negative: counters, sizes, and what is made of them."""
    found: dict[SSAValue, None] = {}

    def bounds(map: AffineMap, operands: Sequence[SSAValue]) -> list[bool]:
        signs = [operand in found for operand in operands]
        return [is_nonnegative(result, signs, map.num_dims) for result in map.results]

    for op in ops:
        match op:
            case affine.ForOp() | affine.ParallelOp():
                for each in counter_bounds(op):
                    if any(bounds(*each.lower)):
                        found[each.counter] = None
            case scf.ForOp():
                if op.lb in found:
                    found[op.body.block.args[0]] = None
            case scf.ParallelOp() | omp.LoopNestOp():
                for counter, bound in zip(op.body.block.args, op.lowerBound, strict=True):
                    if bound in found:
                        found[counter] = None
            case affine.ApplyOp() | affine.MinOp():
                if all(bounds(op.map.data, op.operands)):
                    found[op.result] = None
            case MaxOp():
                if any(bounds(op.map.data, op.operands)):
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
