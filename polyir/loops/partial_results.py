"""Loops that update one element, cut into parts that threads share.

    for i in 0..n:                    parallel for p in 0..ceil(n / 4096):
      s += A[i] * B[i]          =>      parts[p] = 0
                                        for i in 4096 * p .. min(n, 4096 * p + 4096):
                                          parts[p] += A[i] * B[i]
                                      for p in 0..ceil(n / 4096):
                                        s += parts[p]

The parts do not depend on the number of threads, and so the result does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from polyir.dialects.loop_attributes import PartsAttr
from polyir.loops.loop_forms import computed
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.updates import replace_loop, successive_range, update_element, update_in
from polyir.loops.vector_copies import UnsuitableError
from polyir.model.affine_operations import load_at, parallel_loop, sequential_loop, store_at
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import ElementAccess
from polyir.model.raising.effects import is_pure
from polyir.model.updates import Chain


def compute_in_parts(loop: affine.ForOp, size: int) -> str:
    """Replace a loop that updates one element by a parallel one over parts; says what was done.

    There may be loops inside. Floating-point operations are done in another order. Raises
    `UnsuitableError` for any other loop.
    """
    range = successive_range(loop)
    if len(range.lower) != 1 or len(range.upper) != 1:
        raise UnsuitableError("its bounds are minima or maxima")
    parts = _Parts(loop, range, _update(loop), size)
    replace_loop(loop, (parts.update,), parts.run)
    return f"parts of {size} iterations, which threads share"


def _update(loop: affine.ForOp) -> Chain:
    """How the loop updates one element; raises `UnsuitableError` if it does not."""
    accesses: list[ElementAccess] = []
    counters: list[SSAValue] = []
    for op in loop.walk():
        if isinstance(op, ElementAccess):
            accesses.append(op)
        elif isinstance(op, affine.ForOp):
            counters.append(op.body.block.args[0])
        elif not (isinstance(op, affine.IfOp) or is_pure(op) or op.has_trait(IsTerminator)):
            raise UnsuitableError(f"what {op.name} does is not known")
    return update_in(accesses, counters)


@dataclass(frozen=True)
class _Parts:
    """A loop that updates one element, and the iterations of a part."""

    loop: affine.ForOp
    range: LoopRange
    update: Chain
    size: int

    def run(self, builder: Builder) -> None:
        """Make the parts of a loop that has an iteration, and combine them."""
        number = self.range.upper[0] - self.range.lower[0]
        number = number.divide(AffineBinaryOpKind.CeilDiv, self.size)
        element = self.update.store.value.type
        if number.is_constant:
            allocation = memref.AllocOp.get(element, 64, [number.constant])
        else:
            extent = computed(number, True, builder)
            allocation = memref.AllocOp.get(element, 64, [DYNAMIC_INDEX], [extent])
        parts = builder.insert(allocation).memref
        parts.name_hint = "parts"
        # Loops are where they stay before others are built in them, whose bounds depend on that.
        part, in_part = self._loop_over_parts(parallel_loop, number, builder)
        last, after = self._loop_over_parts(sequential_loop, number, builder)
        builder.insert(memref.DeallocOp.get(parts))
        value = after.insert(load_at(parts, (last,))).results[0]
        update_element(self.update, value, after)
        self._add_part(parts, part, in_part)

    def _loop_over_parts(
        self, make: Callable[..., Operation], number: IndexExpression, builder: Builder
    ) -> tuple[IndexExpression, Builder]:
        """An empty loop over all parts: its counter, and what adds operations to it."""
        end = affine.YieldOp.get()
        block = Block([end], arg_types=[IndexType()])
        block.args[0].name_hint = "part"
        builder.insert(make([IndexExpression()], [number], 1, block))
        return IndexExpression.of(block.args[0]), Builder(InsertPoint.before(end))

    def _add_part(self, parts: SSAValue, part: IndexExpression, builder: Builder) -> None:
        """Add the iterations of a part, which update its element."""
        load, store = self.update.load, self.update.store
        builder.insert(store_at(self.update.neutral(builder), parts, (part,)))
        Rewriter.replace_op(load, load_at(parts, (part,)))
        Rewriter.replace_op(store, store_at(store.value, parts, (part,)))
        body = self.loop.body.detach_block(self.loop.body.block)
        self.loop.body.add_block(Block([affine.YieldOp.get()], arg_types=[IndexType()]))
        start = self.range.lower[0] + part.scale(self.size)
        inner = sequential_loop([start], [start.shift(self.size), self.range.upper[0]], 1, body)
        inner.attributes, inner.location = dict(self.loop.attributes), self.loop.location
        inner.attributes.pop(PartsAttr.name, None)
        builder.insert(inner)
