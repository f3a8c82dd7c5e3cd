"""Where the value of a load is still in memory, and where it must be kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from polyir.model.affine import IndexReader
from polyir.model.raising.control import LOOPS, is_control
from polyir.model.raising.effects import has_store, inputs_of, loads_in, stores_in
from polyir.model.raising.overlap import may_write_element


class RunValues:
    """Order and data flow among the operations of a normalised run.

    Control operations (loops, static conditionals) cut every block into segments of straight-line
    code. A *root* is an operation of a segment that stores. Its *slice* is the set of pure
    operations and loads, of any segment, that it depends on.
    """

    def __init__(self, operations: Sequence[Operation], reader: IndexReader) -> None:
        self._reader = reader
        self.position: dict[Operation, int] = {}
        self.segment: dict[Operation, int] = {}
        """The number of the segment of each operation that is not a control operation."""
        self.roots: list[Operation] = []
        self._segments = 0
        self._number(operations)

    def _number(self, operations: Sequence[Operation]) -> None:
        self._segments += 1
        segment = self._segments
        for op in operations:
            self.position[op] = len(self.position)
            if is_control(op, self._reader):
                for region in op.regions:
                    for block in region.blocks:
                        self._number(tuple(block.ops))
                self._segments += 1
                segment = self._segments
                continue
            self.segment[op] = segment
            if has_store(op):
                self.roots.append(op)

    def contains(self, op: Operation) -> bool:
        """Whether `op` is part of the run."""
        ancestor: Operation | None = op
        while ancestor is not None and ancestor not in self.position:
            ancestor = ancestor.parent_op()
        return ancestor is not None

    def producers(self, op: Operation) -> Iterator[tuple[SSAValue, Operation]]:
        """The values that `op` uses and that an operation of the run computes."""
        for value in inputs_of(op):
            if isinstance(value.owner, Operation) and value.owner in self.position:
                yield value, value.owner

    def slice_of(self, op: Operation) -> tuple[Operation, ...]:
        """The operations that `op` depends on, in program order, without `op`."""
        found: dict[Operation, None] = {}
        waiting = [op]
        while waiting:
            for _, owner in self.producers(waiting.pop()):
                if owner not in found:
                    found[owner] = None
                    waiting.append(owner)
        return tuple(sorted(found, key=self.position.__getitem__))

    def conflicts(self, source: Operation, target: Operation | None) -> tuple[Operation, ...]:
        """Operations between two operations that may change a value that `source` has read.

        `target` uses a value of `source`; `None` stands for the end of the run. An operation
        that stores conflicts with itself: it must not be executed a second time.
        """
        if has_store(source):
            return (source,)
        return tuple(op for op in self._between(source, target) if self.overwrites(op, source))

    def overwrites(self, op: Operation, source: Operation) -> bool:
        """Whether `op`, executed after `source`, may change a value that `source` has read."""
        return any(
            may_write_element(store, load, self._reader)
            for load in loads_in(source)
            for store in stores_in(op)
        )

    def _between(self, source: Operation, target: Operation | None) -> Iterator[Operation]:
        """The operations that may run after `source` and before the next execution of `target`.

        A loop around `target` is included as a whole, because other iterations run before.
        """
        if target is None:
            yield from self._following(source.next_op, None)
            return
        block, start = source.parent, source.next_op
        while True:
            ancestor = target
            while ancestor.parent is not block:
                parent = ancestor.parent_op()
                assert parent is not None
                inner, ancestor = ancestor.parent, parent
            yield from self._following(start, ancestor)
            if ancestor is target:
                return
            if isinstance(ancestor, LOOPS):
                yield ancestor
                return
            assert inner is not None
            block, start = inner, inner.first_op

    def _following(self, op: Operation | None, end: Operation | None) -> Iterator[Operation]:
        """The operations of the run from `op` up to `end` in one block."""
        while op is not None and op is not end and op in self.position:
            yield op
            op = op.next_op
