"""The temporaries of a scop, and how their accesses and their memory are changed."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import OptionError, nearest
from polyir.model.affine_maps import Valued, expressions_of, map_over, over_values
from polyir.model.dataflow import ArrayFlow, array_flow
from polyir.model.memory_accesses import MemoryAccess, accesses_of
from polyir.model.scop import Scop
from polyir.model.statements import Statement
from polyir.model.temporaries import why_no_temporary


def temporaries(
    scop: Scop, arrays: Sequence[str] = (), is_any_subscript: bool = False
) -> tuple[dict[str, ArrayFlow], list[str]]:
    """The flow through each temporary of a scop that reads nothing from before the scop.

    `arrays` are the only ones to look at, if there are any; why one of them is none of these
    temporaries comes second, in words. `is_any_subscript` is as in `why_no_temporary`.
    """
    flows: dict[str, ArrayFlow] = {}
    missed: list[str] = []
    for name in (name for name in scop.arrays if not arrays or name in arrays):
        reason = why_no_temporary(scop, name, is_any_subscript)
        if reason is None:
            flow = array_flow(scop, name)
            if not flow.is_live_in:
                flows[name] = flow
                continue
            reason = "it may be read before it is written"
        if arrays:
            missed.append(f"{name} is not a temporary: {reason}")
    return flows, missed


def check_names(names: Sequence[str], scops: Sequence[Scop]) -> None:
    """Raise `OptionError` if one of `names` is an array of none of `scops`."""
    known = list(dict.fromkeys(array for scop in scops for array in scop.arrays))
    for name in names:
        if name not in known:
            hint = nearest(name, known) or f" (arrays: {', '.join(known) or 'none'})"
            raise OptionError(f"there is no array '{name}'{hint}")


def allocation_of(memory: SSAValue) -> memref.AllocOp | memref.AllocaOp:
    """The operation that allocates a temporary."""
    owner = memory.owner
    assert isinstance(owner, memref.AllocOp | memref.AllocaOp)
    return owner


def extents_of(memory: SSAValue) -> list[SSAValue | int]:
    """The extents of a temporary: constants, or the sizes that it was allocated with."""
    assert isinstance(memory.type, MemRefType)
    sizes = iter(allocation_of(memory).dynamic_sizes)
    return [next(sizes) if extent < 0 else extent for extent in memory.type.get_shape()]


def duplicate(memory: SSAValue) -> SSAValue:
    """Other memory like a temporary, allocated and freed beside it."""
    allocation = allocation_of(memory)
    copy = allocation.clone()
    copy.memref.name_hint = memory.name_hint
    _insert_after(copy, allocation)
    for free in deallocations_of(memory):
        _insert_after(memref.DeallocOp.get(copy.memref), free)
    return copy.memref


def remove_unused(memory: SSAValue) -> None:
    """Remove the allocation of a temporary that nothing accesses any more."""
    frees = deallocations_of(memory)
    if all(use.operation in frees for use in memory.uses):
        for op in (*frees, allocation_of(memory)):
            assert op.parent is not None
            op.parent.erase_op(op)


def deallocations_of(memory: SSAValue) -> tuple[memref.DeallocOp, ...]:
    """The operations that free a temporary."""
    users = (use.operation for use in memory.uses)
    return tuple(user for user in users if isinstance(user, memref.DeallocOp))


def _insert_after(op: Operation, existing: Operation) -> None:
    op.location = existing.location
    assert existing.parent is not None
    existing.parent.insert_op_after(op, existing)


class StatementValues:
    """Numbers the values that subscripts in one statement's body may use."""

    def __init__(self, scop: Scop, statement: Statement) -> None:
        parameters = scop.op.parameter_values
        self._parameters = tuple(parameters)
        self.values: list[SSAValue] = [*statement.op.body.block.args, *parameters.values()]

    def expressions(self, functions: Sequence[isl.Aff]) -> Valued:
        """Functions of the statement's iterators and the parameters as subscripts."""
        return expressions_of(functions, self._parameters)

    def subscripts(self, op: Operation) -> Valued:
        """The subscripts that an access of affine has."""
        (access,) = accesses_of(op)
        assert access.map is not None
        return over_values(access.map, list(access.indices), self.values)

    def redirect(self, op: Operation, memory: SSAValue, subscripts: Valued) -> None:
        """Let an access of affine access `memory` at `subscripts`."""
        map, operands = map_over(subscripts, self.values)
        accesses_of(op)[0].move(memory, operands, map)

    def put_in_front(
        self, access: MemoryAccess, memory: SSAValue, functions: Sequence[isl.Aff]
    ) -> None:
        """Let `access` access `memory`, with values of `functions` before its subscripts."""
        subscripts: list[SSAValue] = []
        for expression in self.expressions(functions):
            map, operands = map_over((expression,), self.values)
            apply = affine.ApplyOp(operands, AffineMapAttr(map))
            apply.location = access.op.location
            Rewriter.insert_op(apply, InsertPoint.before(access.op))
            subscripts.append(apply.result)
        access.move(memory, (*subscripts, *access.indices))
