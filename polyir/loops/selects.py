"""Conditions in the body of a loop become selects, so that the loop can run in vectors.

This is if-conversion (Allen, Kennedy, Porterfield and Warren, "Conversion of control dependence to
data dependence", 1983): both branches are computed, and an `arith.select` takes one result.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.memory_accesses import ElementUse, MemrefElement, memory_uses
from polyir.model.affine_operations import is_semi_affine
from polyir.model.memory_accesses import accesses_of
from polyir.model.raising.effects import ALLOCATIONS, base_of, is_pure, may_trap


def make_selects(loop: affine.ForOp) -> None:
    """Replace each `scf.if` right in the body of a loop of which both branches may be computed.

    Before:

        %v = scf.if %c -> (f64) {
          %a = affine.load %A[%i] : memref<?xf64>
          scf.yield %a : f64
        } else {
          scf.yield %zero : f64
        }

    After, where each iteration loads `%A[%i]` in any case:

        %a = affine.load %A[%i] : memref<?xf64>
        %v = arith.select %c, %a, %zero : f64

    An element that certainly exists may be loaded, too: it is in bounds of a known size, or between
    two elements that each iteration accesses. A branch may also store to memory that the function
    has allocated: then the element that is there is stored again where the condition does not hold.
    Other conditions stay.
    """
    spaces = IterationSpaces()
    known: isl.Set | None = None
    for op in [each for each in loop.walk(region_first=True) if isinstance(each, scf.IfOp)]:
        if known is None:
            known = spaces.context(loop).intersect(spaces.domain(loop))
        if all(
            _may_run(each, loop.body.block, known, spaces)
            for region in op.regions
            for each in _operations(region.blocks)
        ):
            _replace(op)


def _operations(blocks: Sequence[Block]) -> list[Operation]:
    """The operations of a branch but for the last one; there are none without a branch."""
    return [op for block in blocks for op in block.ops if not isinstance(op, scf.YieldOp)]


def _may_run(op: Operation, body: Block, known: isl.Set, spaces: IterationSpaces) -> bool:
    """Whether an operation of a branch may run although its condition does not hold.

    `known` are the iterations of the loop.
    """
    match op:
        case affine.LoadOp():
            if _is_between_accesses(op, body, spaces) or _is_allocated(op.memref):
                return True
            return any(
                isinstance(use, ElementUse)
                and MemrefElement(op.memref, use.subscripts).is_in_bounds(known, spaces)
                for use in memory_uses(op, known, spaces)
            )
        case affine.StoreOp():
            return _is_allocated(op.memref)
        case _:
            return is_pure(op) and not may_trap(op)


def _is_allocated(memref: SSAValue) -> bool:
    """Whether a memref is memory that the function has allocated."""
    base = base_of(memref)
    return isinstance(base, SSAValue) and isinstance(base.owner, ALLOCATIONS)


def _is_between_accesses(load: affine.LoadOp, body: Block, spaces: IterationSpaces) -> bool:
    """Whether the body accesses the element of a load in any case, or elements on both sides."""
    others = [
        op
        for op in body.ops
        if isinstance(op, affine.LoadOp | affine.StoreOp) and op.memref is load.memref
    ]
    if any(op.map == load.map and tuple(op.indices) == tuple(load.indices) for op in others):
        return True
    if is_semi_affine(load):
        return False
    subscripts = accesses_of(load)[0].subscripts(spaces.written_out)
    differences = [
        [
            one - other
            for one, other in zip(
                accesses_of(op)[0].subscripts(spaces.written_out), subscripts, strict=True
            )
        ]
        for op in others
        if not is_semi_affine(op)
    ]
    known = [
        [each.constant for each in difference]
        for difference in differences
        if all(each.is_constant for each in difference)
    ]
    if any(not any(each) for each in known):
        return True
    type = load.memref.type
    is_row_major = isinstance(type, MemRefType) and isinstance(type.layout, NoneAttr)
    return is_row_major and all(
        any(all(sign * distance >= 0 for distance in each) for each in known) for sign in (1, -1)
    )


def _replace(op: scf.IfOp) -> None:
    """Put the branches before the condition, and select their results."""
    yielded: list[tuple[SSAValue, ...]] = []
    for region, is_first in ((op.true_region, True), (op.false_region, False)):
        for each in _operations(region.blocks):
            each.detach()
            Rewriter.insert_op(each, InsertPoint.before(op))
            if isinstance(each, affine.StoreOp):
                _keep_where_not_chosen(each, op.cond, is_first)
        last = region.blocks[-1].last_op if region.blocks else None
        yielded.append(tuple(last.operands) if last is not None else ())
    selects = [arith.SelectOp(op.cond, a, b) for a, b in zip(*yielded, strict=True)]
    for select in selects:
        select.location = op.location
    Rewriter.insert_op(selects, InsertPoint.before(op))
    Rewriter.replace_op(op, [], [each.result for each in selects])


def _keep_where_not_chosen(store: affine.StoreOp, condition: SSAValue, is_first: bool) -> None:
    """Let a store of a branch store what is there if the branch is not chosen."""
    old = affine.LoadOp(store.memref, store.indices, store.map)
    pair = (store.value, old.result) if is_first else (old.result, store.value)
    select = arith.SelectOp(condition, *pair)
    old.location = select.location = store.location
    Rewriter.insert_op([old, select], InsertPoint.before(store))
    store.operands[0] = select.result
