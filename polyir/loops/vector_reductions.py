"""Vector code for loops that update one element: partial results in lanes, combined at the end.

    for j in 0..n:                    p0, p1, p2, p3 = neutral vectors
      s += A[j] * B[j]          =>    for j in 0..n by 4 * width:
                                        p0 += A[j ..] * B[j ..], and so on
                                      p0 .. p3 += the iterations that are left, under masks
                                      s += sum of all lanes of p0 .. p3

Several vectors of partial results hide the latency of one operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, vector
from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, VectorType, i1, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.shaped_operations import operation_on
from polyir.loops.loop_forms import computed, extreme_bound
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.updates import replace_loop, successive_range, update_element, updates_in
from polyir.loops.vector_copies import (
    BodyFacts,
    CopiedCounter,
    Expansion,
    Key,
    UnsuitableError,
)
from polyir.model.index_expressions import IndexExpression, map_of
from polyir.model.memory_accesses import ElementAccess
from polyir.model.updates import Chain

MOST_VECTORS: Final = 4
"""The vectors of partial results: an addition takes about four cycles, and one starts in each."""


def reduce_in_vectors(loop: affine.ForOp, width: int) -> str:
    """Replace a loop that updates some elements by vector code; says what was done.

    Floating-point operations are done in another order. Raises `UnsuitableError` for any other
    loop: all iterations must update the same elements, each by one associative operation, load no
    element that is updated otherwise, and store nothing else that another iteration accesses.
    """
    reduction = _vectors_of(loop, successive_range(loop), width)
    replace_loop(loop, reduction.updates, reduction.run)
    count = reduction.vectors * len(reduction.updates)
    return f"{count} vector{'s' if count > 1 else ''} of {width} partial results"


def _vectors_of(loop: affine.ForOp, range: LoopRange, width: int) -> _PartialVectors:
    """The vectors for a loop; raises `UnsuitableError` if it is none."""
    body, counters = loop.body.block, [range.counter]
    accesses = [op for op in body.ops if isinstance(op, ElementAccess)]
    updates = updates_in(accesses, counters)
    reduced = frozenset(op for each in updates for op in (each.load, each.store))
    facts = BodyFacts.of(body, counters, reduced=reduced)
    if facts.may_trap:
        raise UnsuitableError("integers are divided")
    if any(not _is_dense(facts, op) for op in facts.subscripts):
        raise UnsuitableError("it loads elements that are not next to each other")
    lengths = [high - low for high in range.upper for low in range.lower]
    most = min((each.constant for each in lengths if each.is_constant), default=None)
    vectors = max(1, MOST_VECTORS // len(updates))
    if most is not None:
        vectors = max(1, min(vectors, -(-most // width)))
    return _PartialVectors(loop, range, facts, updates, width, vectors)


def _is_dense(facts: BodyFacts, op: ElementAccess) -> bool:
    """Whether an access is to one element, or to vectors of successive ones, in any direction."""
    if op in facts.reduced or not facts.of_access(op):
        return True
    return facts.is_successive(op) or facts.is_reversed(op)


@dataclass(frozen=True)
class _RestLanes:
    """The lanes of the iterations that are left: a mask for each vector."""

    masks: Sequence[SSAValue]

    def mask(self, places: frozenset[int], key: Key) -> SSAValue:
        return self.masks[key[0]]

    def counter(self, place: int, number: int, lane: int) -> IndexExpression:
        raise UnsuitableError("it loads elements that are not next to each other")


@dataclass(frozen=True)
class _PartialVectors:
    """A loop that updates some elements, and how many vectors of partial results each gets."""

    loop: affine.ForOp
    range: LoopRange
    facts: BodyFacts
    updates: tuple[Chain, ...]
    width: int
    vectors: int

    @property
    def _step(self) -> int:
        return self.width * self.vectors

    def run(self, builder: Builder) -> None:
        """Make the code of all iterations, of which there is at least one."""
        start = [self._start(update, builder) for update in self.updates]
        copies = [each for each in start for _ in range(self.vectors)]
        partial = self._rest(self._main_loop(copies, builder), builder)
        for number, update in enumerate(self.updates):
            own = partial[number * self.vectors : (number + 1) * self.vectors]
            total = _over_lanes(update, _tree(update, own, builder), self.width, builder)
            update_element(update, total, builder)

    def _start(self, update: Chain, builder: Builder) -> SSAValue:
        """A vector of neutral elements."""
        first = update.neutral(builder)
        type = VectorType(first.type, [self.width])
        start = builder.insert(vector.BroadcastOp(first, type)).results[0]
        start.name_hint = "partial"
        return start

    def _main_loop(self, start: Sequence[SSAValue], builder: Builder) -> Sequence[SSAValue]:
        """All iterations in full vectors; the partial results after them."""
        counter = self.range.counter
        body = Block(arg_types=[counter.type, *(value.type for value in start)])
        body.args[0].name_hint = counter.name_hint
        for argument in body.args[1:]:
            argument.name_hint = start[0].name_hint
        copies = self._copies(IndexExpression.of(body.args[0]))
        inner = Builder(InsertPoint.at_end(body))
        body.add_op(affine.YieldOp.get(*self._expand(copies, body.args[1:], inner)))
        lower, lower_operands = map_of(self.range.lower)
        upper, upper_operands = map_of([each.shift(1 - self._step) for each in self.range.upper])
        main = affine.ForOp.from_region(
            lower_operands,
            upper_operands,
            start,
            [value.type for value in start],
            AffineMapAttr(lower),
            AffineMapAttr(upper),
            Region(body),
            self._step,
        )
        main.location = self.loop.location
        return builder.insert(main).results

    def _rest(self, partial: Sequence[SSAValue], builder: Builder) -> Sequence[SSAValue]:
        """The iterations that are left, under masks; the partial results after them."""
        lengths = [high - low for high in self.range.upper for low in self.range.lower]
        if len(lengths) == 1 and lengths[0].is_constant and lengths[0].constant % self._step == 0:
            return partial
        end = extreme_bound(self.range.upper, affine.MinOp, builder)
        if len(lengths) == 1:
            count = computed(lengths[0], True, builder)
        else:
            first = extreme_bound(self.range.lower, MaxOp, builder)
            count = builder.insert(arith.SubiOp(end, first)).result
        size = computed(IndexExpression((), self._step), False, builder)
        rest = builder.insert(arith.RemSIOp(count, size)).result
        rest.name_hint = "rest"
        start = builder.insert(arith.SubiOp(end, rest)).result
        start.name_hint = self.range.counter.name_hint
        type = VectorType(i1, [self.width])
        masks: list[SSAValue] = []
        for number in range(self.vectors):
            left = computed(IndexExpression.of(rest).shift(-number * self.width), False, builder)
            masks.append(builder.insert(vector.CreateMaskOp([left], type)).results[0])
            masks[-1].name_hint = "mask"
        copies = self._copies(IndexExpression.of(start))
        after = self._expand(copies, partial, builder, _RestLanes(masks))
        select = operation_on(arith.SelectOp, type)
        return [
            builder.insert(
                select.create(operands=[mask, new, old], result_types=[old.type])
            ).results[0]
            for mask, new, old in zip(masks * len(self.updates), after, partial, strict=True)
        ]

    def _copies(self, first: IndexExpression) -> CopiedCounter:
        return CopiedCounter(self.range.counter, first, self.vectors, self.width)

    def _expand(
        self,
        copies: CopiedCounter,
        partial: Sequence[SSAValue],
        builder: Builder,
        lanes: _RestLanes | None = None,
    ) -> list[SSAValue]:
        """Some iterations; the partial results after them."""
        expansion = Expansion(self.facts, [copies], self.width, builder, lanes)
        elements = [self.facts.element(update.store) for update in self.updates]
        for number, element in enumerate(elements):
            first = number * self.vectors
            expansion.current[element] = {(n,): partial[first + n] for n in range(self.vectors)}
        expansion.run(self.loop.body.block)
        return [expansion.current[each][n,] for each in elements for n in range(self.vectors)]


def _tree(update: Chain, values: Sequence[SSAValue], builder: Builder) -> SSAValue:
    """All of some values, combined in pairs."""
    while len(values) > 1:
        values = [update.combined(values[n : n + 2], builder) for n in range(0, len(values), 2)]
    return values[0]


def _over_lanes(update: Chain, value: SSAValue, width: int, builder: Builder) -> SSAValue:
    """All lanes of a vector, combined in pairs: those of its two halves."""
    element = update.store.value.type
    while width > 2:
        width //= 2
        type = VectorType(element, [width])
        halves = [
            builder.insert(
                vector.ShuffleOp(
                    value,
                    value,
                    DenseArrayBase.from_list(i64, range(first, first + width)),
                    result_type=type,
                )
            ).result
            for first in (0, width)
        ]
        value = update.combined(halves, builder)
    lanes = [
        builder.insert(vector.ExtractOp(value, [lane], element)).result for lane in range(width)
    ]
    return update.combined(lanes, builder)
