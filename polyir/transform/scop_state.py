"""A scop as it was, for a pass that has to take back what it did."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.rewriter import Rewriter

from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.proofs.remembered import is_proved, remember_proof
from polyir.tree import Schedule
from polyir.tree.operations import schedule_of, set_schedule


@dataclass(frozen=True)
class ScopState:
    """The tree and the dependences of a scop, the names of its statements and arrays."""

    schedule: Schedule
    dependences: DependencesAttr | None
    statements: frozenset[str]
    arrays: frozenset[str]
    was_proved: bool

    @classmethod
    def of(cls, op: ScopOp) -> ScopState:
        """The state of a scop now."""
        statements = frozenset(each.sym_name.data for each in op.statements)
        arrays = frozenset(each.sym_name.data for each in op.local_arrays)
        return cls(schedule_of(op.tree), op.dependences, statements, arrays, is_proved(op))

    def restore(self, op: ScopOp) -> None:
        """Put the tree back, and take off statements and arrays that were added since."""
        set_schedule(op, self.schedule)
        for statement in op.statements:
            if statement.sym_name.data not in self.statements:
                Rewriter.erase_op(statement)
        for array in op.local_arrays:
            if array.sym_name.data not in self.arrays:
                Rewriter.erase_op(array)
        op.dependences = self.dependences
        if self.was_proved:
            remember_proof(op)
