"""Atomic updates of elements, so that iterations which update the same one may run in parallel.

`memref.atomic_rmw addf %v, %x[%p]` adds to an element as one step, whoever else adds to it. The
order of the updates is that of the threads: it changes from run to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import location_of
from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.irregular.loop_parts import IrregularLoopError, bounds_before, move_to_parallel_loop
from polyir.irregular.slices import computed_subscripts
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.updates import Chain

_KINDS: Final = ("addf", "addi", "mulf", "muli", "maxs", "mins", "andi", "ori")
"""The kinds of `memref.atomic_rmw` that all targets have."""


def require_atomic(chains: Sequence[Chain]) -> None:
    """Raise `PolyirError` if an update has no atomic form in all targets."""
    for chain in chains:
        if chain.combiner.kind not in _KINDS:
            type = chain.load.results[0].type
            message = f"there is no atomic {chain.combiner.name} of type {type} by this operation"
            raise IrregularLoopError(message, location_of(chain.steps[-1]))


def use_atomic_updates(loop: SequentialLoop, chains: Sequence[Chain]) -> None:
    """Let the iterations of a loop that only updates elements run in parallel.

    The updates may run in any order, and have an atomic form (`require_atomic`).
    """
    bounds = bounds_before(loop)
    for chain in chains:
        _make_atomic(chain)
    move_to_parallel_loop(loop, bounds, Code(InsertPoint.before(loop)))
    Rewriter.erase_op(loop)


def _make_atomic(chain: Chain) -> None:
    """Replace the load, the steps and the store of an update by one operation."""
    store = chain.store
    code = Code(InsertPoint.before(store))
    type = chain.load.results[0].type
    value = _operand(chain, code)
    subscripts = computed_subscripts(store, code, {})
    assert chain.combiner.kind is not None
    kind = REDUCTION_KINDS.index(chain.combiner.kind)
    update = memref.AtomicRMWOp.create(
        operands=[value, store.memref, *subscripts],
        result_types=[type],
        properties={"kind": IntegerAttr(kind, i64)},
    )
    update.location = store.location
    Rewriter.replace_op(store, update, [])
    for op in (*reversed(chain.steps), chain.load):
        if op.results[0].first_use is None:
            Rewriter.erase_op(op)


def _operand(chain: Chain, code: Code) -> SSAValue:
    """What the old element is combined with: a value before the store of the chain."""
    old, step = chain.load.results[0], chain.steps[0]
    if len(chain.steps) == 1 and isinstance(step, chain.combiner.operation):
        (other,) = (each for each in step.operands if each is not old)
        return other
    if len(chain.steps) == 1 and isinstance(step, arith.SubfOp):
        return code.builder.insert(arith.NegfOp(step.rhs)).result
    old.replace_all_uses_with(chain.neutral(Builder(InsertPoint.before(step))))
    return chain.steps[-1].results[0]
