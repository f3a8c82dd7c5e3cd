"""Remove tests of loop counters from innermost loops: split loops, or move tests out of them.

    for k in [0, n): { if k == 0: S; T }        =>    S(0); T(0)             if n >= 1
                                                      for k in [1, n): T

A loop is split where the outcome of a test of its counter changes (index set splitting: Griebl,
Feautrier, Lengauer, "Index set splitting", Int. J. of Parallel Programming 28(6), 2000; gcc
calls it `-fsplit-loops`). The parts run one after the other, so the iterations keep their
order. A test whose outcome stays the same in a loop, and for which no loop further out is split,
moves before the loop (loop unswitching). isl decides, from the loops and conditions
around, which parts are empty, which tests are decided in a part and which bounds are implied.

Each part has the attributes of the loop that was split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, gpu, scf
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.rewriter import InsertPoint

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.base.walks import operations_in
from polyir.loops.counter_tests import (
    Comparison,
    CounterTest,
    remark_text,
    split_points,
    test_of,
)
from polyir.loops.iteration_spaces import IterationSpaces, is_loop
from polyir.loops.loop_forms import (
    conditional,
    erase_idle,
    inline,
    is_outside,
    may_bound,
    range_of,
    set_initial_values,
    set_range,
    staging_before,
)
from polyir.loops.simplify import simplify
from polyir.model.index_expressions import Constraint, IndexExpression
from polyir.model.raising.control import LOOPS, LoopOp

MAX_PARTS: Final = 16
"""The largest number of loops into which an innermost loop is split.

A stencil of s statements in d dimensions that are fused with shifts needs 2 (s - 1) d + 1.
"""

MAX_OPERATIONS: Final = 2000
"""The largest number of operations that these loops may have together.

At 16 bytes of code per operation, they fit into an instruction cache of 32 KiB.
"""

Report = Callable[[str, Operation], None]
"""Takes a message about what was done, or not done and why, and the loop."""


@dataclass(frozen=True)
class SplitLimits:
    """Limits on the code that replaces one innermost loop."""

    parts: int = MAX_PARTS
    operations: int = MAX_OPERATIONS


def split_loops(
    operations: Sequence[Operation],
    limits: SplitLimits,
    done: Report,
    left: Report,
    stopped: Report,
) -> bool:
    """Remove tests of loop counters from the innermost loops of `operations`, in place.

    Returns whether there was such a test. Loops that were split and tests that were moved are
    reported to `done`, tests that stay to `left`, and nests for which isl takes too long to
    `stopped`.
    """
    found = False
    for op in operations:
        for nest in tuple(_outermost_loops(op)):
            split = partial(_split_nest, nest, limits, done, left)
            has_tests = within_operations(budgets.LOOP_SPLITTING, split)
            if has_tests is None:
                stopped("tests of loop counters stay: isl takes too long to split their loops", op)
            found |= has_tests is not False
    return found


def _split_nest(nest: LoopOp, limits: SplitLimits, done: Report, left: Report) -> bool:
    """As `split_loops`, for one nest. The nest is valid wherever isl stops."""
    spaces = IterationSpaces()
    if not _tests_in(nest, spaces):
        return False
    _Splitter(spaces, limits, done, left).split(nest)
    return True


def _outermost_loops(op: Operation) -> Iterator[LoopOp]:
    if isinstance(op, LOOPS):
        yield op
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _outermost_loops(inner)


def _innermost_loops(op: Operation) -> list[Operation]:
    """The loops without a loop inside, from `op` down."""
    found: list[Operation] = []
    _add_innermost(op, found)
    return found


def _add_innermost(op: Operation, found: list[Operation]) -> None:
    before = len(found)
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    _add_innermost(inner, found)
    if len(found) == before and op.regions and is_loop(op):
        found.append(op)


@dataclass(frozen=True)
class _Placed:
    """A test of index values, and the innermost loop that it is in."""

    test: CounterTest
    loop: Operation


def _tests_in(op: Operation, spaces: IterationSpaces) -> list[_Placed]:
    """The tests of index values in the innermost loops from `op` down."""
    return [
        _Placed(test, loop)
        for loop in _innermost_loops(op)
        for inner in operations_in(loop)
        if inner.regions and (test := test_of(inner, spaces)) is not None
    ]


def _has_barrier(op: Operation) -> bool:
    """Whether all threads of a block of a GPU kernel must come by, whatever a test says."""
    return any(isinstance(inner, gpu.BarrierOp) for inner in operations_in(op))


def _size(op: Operation) -> int:
    """The number of operations from `op` down."""
    return len(operations_in(op))


@dataclass(frozen=True)
class _Split:
    """Split a loop in two: counters below `at`, and the others."""

    at: IndexExpression


@dataclass(frozen=True)
class _Move:
    """Move a test out of a loop: one copy runs if `constraints` hold, the other if not."""

    constraints: tuple[Constraint, ...]


_Change = _Split | _Move


@dataclass
class _Splitter:
    """Splits the loops of one nest.

    `origins` gives the innermost loops of the nest as it was a number, and a copy the number of
    its original; `copies` and `sizes` count the copies that there are, and their operations.
    """

    spaces: IterationSpaces
    limits: SplitLimits
    done: Report
    left: Report
    origins: dict[Operation, int] = field(default_factory=dict)
    copies: Counter[int] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    said: set[str] = field(default_factory=set)
    is_limited: bool = False

    def split(self, nest: LoopOp) -> None:
        """Split the loops of `nest`, and report the tests that stay."""
        context = self.spaces.context(nest)
        block = nest.parent
        assert block is not None
        existing = set(block.ops)
        self._count([nest], 1)
        with staging_before(nest) as staging:
            copy = self._copy(nest)
            staging.add_ops([copy, affine.YieldOp.get(*copy.results)])
            self._simplify(staging, context, 0)
            operations = self._replace(nest, staging)
        for op in operations:
            self._refine(op, context)
        erase_idle([op for op in block.ops if op not in existing])
        for op in block.ops:
            if op not in existing:
                self._report_left(op)

    def _refine(
        self, op: Operation, context: isl.Set, moved: frozenset[_Move] = frozenset()
    ) -> None:
        """Split `op`, or what is inside it, where `context` holds; it is simplified already.

        `moved` has the tests that were moved to around `op`: `context` may not have their outcome
        (`IterationSpaces.without`), and they must not be moved again.
        """
        tests = _tests_in(op, self.spaces)
        if not tests:
            return
        if isinstance(op, LOOPS) and not _has_barrier(op):
            for change in self._changes(op, context, tests):
                if change in moved:
                    continue
                with staging_before(op) as staging:
                    self._build(op, change, staging)
                    self._simplify(staging, context, int(isinstance(change, _Split)))
                    if not self._fits(op, staging):
                        continue
                    self._report_done(op, change)
                    parts = self._replace(op, staging)
                if isinstance(change, _Move):
                    moved |= {change}
                for part in parts:
                    self._refine(part, context, moved)
                return
        for block, inside in self.spaces.inside(op, context):
            for inner in tuple(block.ops):
                self._refine(inner, inside, moved)

    def _changes(self, loop: LoopOp, context: isl.Set, tests: Sequence[_Placed]) -> list[_Change]:
        """The changes of `loop` that decide a test and are worth their code size, best first."""
        known = context.intersect(self.spaces.domain(loop))
        deciding: dict[_Change, dict[Operation, None]] = {}
        for placed in tests:
            comparisons = placed.test.undecided(known, self.spaces)
            changes = [*_moves(placed.test, comparisons, loop)]
            changes += self._splits(comparisons, loop, known)
            for change in changes:
                deciding.setdefault(change, {})[placed.loop] = None
        whole = _size(loop)
        worthwhile = [
            change for change, loops in deciding.items() if 2 * sum(map(_size, loops)) >= whole
        ]
        # What is moved needs to be tested in neither part of a loop that is split later.
        return sorted(worthwhile, key=lambda change: isinstance(change, _Split))

    def _splits(
        self, comparisons: Sequence[Comparison], loop: LoopOp, known: isl.Set
    ) -> Iterator[_Change]:
        """Where `loop` can be split so that a comparison has different outcomes in its parts."""
        range = range_of(loop)
        if range is None or (range.step != 1 and len(range.lower) != 1):
            return
        is_parallel = isinstance(loop, affine.ParallelOp | scf.ParallelOp)
        if is_parallel and loop not in _innermost_loops(loop):
            # Two parallel loops cost more than a test in front of each loop inside.
            return
        counter = IndexExpression.of(range.counter)
        for comparison in comparisons:
            for at in split_points(comparison, range.counter):
                if all(is_outside(value, loop) for value in at.values()) and may_bound(loop, at):
                    below = self.spaces.holds(Constraint((at - counter).shift(-1), False))
                    if self.spaces.outcome(known, below) is None:
                        yield _Split(at)

    def _build(self, loop: LoopOp, change: _Change, staging: Block) -> None:
        """Build the result of a change of `loop` in `staging`, with a yield of its results."""
        first, second = self._copy(loop), self._copy(loop)
        if isinstance(change, _Move):
            branches = [Block([op, affine.YieldOp.get(*op.results)]) for op in (first, second)]
            builder = Builder(InsertPoint.at_end(staging))
            chosen = conditional(change.constraints, branches[0], branches[1], loop, builder)
            staging.add_op(affine.YieldOp.get(*chosen.results))
            return
        staging.add_ops([first, second, affine.YieldOp.get(*second.results)])
        lower, upper = range_of(first), range_of(second)
        assert lower is not None
        assert upper is not None
        set_range(first, lower.below(change.at))
        set_range(second, upper.from_on(change.at))
        set_initial_values(second, first.results)

    def _copy(self, loop: LoopOp) -> LoopOp:
        """A copy of `loop`, with the origins of its innermost loops recorded."""
        copy = loop.clone()
        for old, new in zip(operations_in(loop), operations_in(copy), strict=True):
            if old in self.origins:
                self.origins[new] = self.origins[old]
        return copy

    def _simplify(self, staging: Block, context: isl.Set, levels: int) -> None:
        simplify(staging, context, self.spaces, levels)
        erase_idle(tuple(staging.ops))

    def _fits(self, loop: LoopOp, staging: Block) -> bool:
        """Whether the limits hold if `staging` replaces `loop`."""
        copies, sizes = self.copies.copy(), self.sizes.copy()
        self._count([loop], -1)
        self._count(tuple(staging.ops), 1)
        fits = all(
            self.copies[origin] <= max(copies[origin], self.limits.parts)
            and self.sizes[origin] <= max(sizes[origin], self.limits.operations)
            for origin in self.copies
        )
        self.copies, self.sizes = copies, sizes
        self.is_limited |= not fits
        return fits

    def _replace(self, loop: LoopOp, staging: Block) -> tuple[Operation, ...]:
        """Replace `loop` by the operations of `staging`."""
        operations = tuple(staging.ops)[:-1]
        self._count([loop], -1)
        self._count(operations, 1)
        inline(staging, loop)
        return operations

    def _count(self, operations: Sequence[Operation], sign: int) -> None:
        """Add the innermost loops from `operations` down to the counts, or subtract them."""
        for op in operations:
            for loop in _innermost_loops(op):
                origin = self.origins.setdefault(loop, len(self.origins))
                self.copies[origin] += sign
                self.sizes[origin] += sign * _size(loop)

    def _report_done(self, loop: LoopOp, change: _Change) -> None:
        name = loop.body.block.args[0].name_hint
        shown = f"the loop over %{name}" if name else "the loop"
        if isinstance(change, _Split):
            message = f"split {shown} at {remark_text(change.at)}"
        else:
            tests = " and ".join(
                f"{remark_text(each.expression)} {'==' if each.is_equality else '>='} 0"
                for each in change.constraints
            )
            message = f"moved the test {tests} out of {shown}"
        if message not in self.said:
            self.said.add(message)
            self.done(message, loop)

    def _report_left(self, op: Operation) -> None:
        for placed in _tests_in(op, self.spaces):
            counters = {
                value
                for comparison in placed.test.comparisons
                for value in comparison.values
                if isinstance(value, BlockArgument) and value.index == 0
            }
            if counters:
                reason = (
                    f"its loop would become more than {self.limits.parts} loops (max-parts) or "
                    f"{self.limits.operations} operations (max-operations)"
                    if self.is_limited
                    else "there is no value of a counter at which its outcome changes"
                )
                self.left(f"a test of a loop counter stays: {reason}", placed.test.op)
                return


def _moves(test: CounterTest, comparisons: Sequence[Comparison], loop: LoopOp) -> Iterator[_Change]:
    """What can be tested in front of `loop` of the undecided `comparisons` of `test`."""
    constraints = tuple(
        comparison.constraint
        for comparison in comparisons
        if all(is_outside(value, loop) for value in comparison.values)
    )
    if test.is_conjunction and constraints:
        yield _Move(constraints)
    elif not test.is_conjunction:
        yield from (_Move((constraint,)) for constraint in constraints)
