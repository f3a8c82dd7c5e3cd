"""The range of the subscripts that an inspector visits, as numbers in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from polyir.loops.code import Code

_FAR: Final = 2**62
"""More than any subscript."""


@dataclass(frozen=True)
class NotedRange:
    """Cells for the least and the greatest subscript that code notes."""

    first: SSAValue
    last: SSAValue

    def clear(self, code: Code, first: int = _FAR, last: int = -_FAR) -> None:
        """Add code after which all subscripts from `first` to `last` are noted, or none."""
        code.store(first, self.first)
        code.store(last, self.last)

    def note(self, code: Code, subscript: SSAValue) -> None:
        """Add code that notes a subscript; a counter's, which are many, once before its loop."""
        block = code.builder.insertion_point.block
        loop = block.parent_op()
        if isinstance(loop, scf.ForOp) and subscript is block.args[0] and _is_one(loop.step):
            before = Code(InsertPoint.before(loop))
            with before.conditional(before.compared(loop.lb, "slt", loop.ub)) as runs:
                self.note_ends(runs, loop.lb, runs.sum(loop.ub, -1))
        else:
            self.note_ends(code, subscript, subscript)

    def note_ends(self, code: Code, first: SSAValue, last: SSAValue) -> None:
        """Add code that notes the subscripts from `first` to `last`."""
        code.store(code.minimum(code.load(self.first), first), self.first)
        code.store(code.maximum(code.load(self.last), last), self.last)

    def include(self, code: Code, other: NotedRange) -> None:
        """Add code that notes what another range has."""
        self.note_ends(code, code.load(other.first), code.load(other.last))


def _is_one(step: SSAValue) -> bool:
    return isinstance(step.owner, arith.ConstantOp) and step.owner.value == IntegerAttr(
        1, IndexType()
    )


def new_range(code: Code, name: str, first: int = _FAR, last: int = -_FAR) -> NotedRange:
    """New cells, in which all subscripts from `first` to `last` are noted, or none."""
    found = NotedRange(code.cell(f"{name}_first"), code.cell(f"{name}_last"))
    found.clear(code, first, last)
    return found
