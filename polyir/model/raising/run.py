"""A run: consecutive operations of a block that become one scop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation

from polyir.model.raising.effects import stores_or_carries
from polyir.model.raising.parameters import ParameterFinder


@dataclass(frozen=True)
class Run:
    """The operations of `block` between `before` and `after`, from the first that stores to
    the last that does.

    A run is identified by its neighbours, so that it stays the same while its operations are
    rewritten. `before` and `after` are `None` at the ends of the block.
    """

    block: Block
    before: Operation | None
    after: Operation | None

    @staticmethod
    def of(operations: Sequence[Operation]) -> Run:
        """The run of the given consecutive operations."""
        block, after = operations[0].parent, operations[-1].next_op
        assert block is not None
        return Run(block, operations[0].prev_op, after)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations as they are now."""
        operations: list[Operation] = []
        op = self.block.first_op if self.before is None else self.before.next_op
        while op is not None and op is not self.after:
            operations.append(op)
            op = op.next_op
        storing = [index for index, op in enumerate(operations) if stores_or_carries(op)]
        return tuple(operations[storing[0] : storing[-1] + 1])

    @property
    def first(self) -> Operation:
        """The first operation."""
        return self.operations[0]

    def walk(self) -> tuple[Operation, ...]:
        """All operations as they are now, including nested ones, in program order."""
        return tuple(inner for op in self.operations for inner in op.walk())

    def finder(self) -> ParameterFinder:
        """A finder of the run's parameters, as the operations are now."""
        return ParameterFinder(self.operations)
