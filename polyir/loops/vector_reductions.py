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
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.shaped_operations import operation_on
from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import computed, conditional, extreme_bound, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.vector_copies import (
    BodyFacts,
    CopiedCounter,
    Expansion,
    Key,
    Load,
    Store,
    UnsuitableError,
)
from polyir.model.index_expressions import Constraint, IndexExpression, map_of
from polyir.model.raising.effects import may_overlap
from polyir.model.updates import Chain, Combiner, chain_to, neutral_element

MOST_VECTORS: Final = 4
"""The vectors of partial results: an addition takes about four cycles, and one starts in each."""


def reduce_in_vectors(loop: affine.ForOp, width: int) -> str:
    """Replace a loop that updates one element by vector code; says what was done.

    Floating-point operations are done in another order. Raises `UnsuitableError` for any other
    loop: all iterations must update the same element by one associative operation, and load no
    element that is updated.
    """
    range = range_of(loop)
    if range is None or range.step != 1 or loop.results:
        raise UnsuitableError("its iterations do not follow each other by one")
    reduction = _reduction(loop, range, width)
    for step in reduction.chain.steps:
        if "overflowFlags" in step.properties:
            # Partial results may overflow where the others do not.
            step.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
    guards = _guards(loop)
    place = Block()
    builder = Builder(InsertPoint.at_end(place) if guards else InsertPoint.before(loop))
    reduction.run(builder)
    if guards:
        place.add_op(affine.YieldOp.get())
        conditional(guards, place, None, loop, Builder(InsertPoint.before(loop)))
    Rewriter.erase_op(loop)
    return f"{reduction.vectors} vectors of {width} partial results"


def _guards(loop: affine.ForOp) -> tuple[Constraint, ...]:
    """What must hold for the loop to run at all: else, the element may not exist."""
    spaces = IterationSpaces()
    found = spaces.guards(loop, spaces.context(loop))
    if found is None:
        raise UnsuitableError("when it runs is not a condition that is cheap to test")
    return tuple(found)


def _reduction(loop: affine.ForOp, range: LoopRange, width: int) -> _Reduction:
    """The loop as a reduction; raises `UnsuitableError` if it is none."""
    body = loop.body.block
    stores = [op for op in body.ops if isinstance(op, Store)]
    if len(stores) != 1:
        raise UnsuitableError("it does not store to one element only")
    (store,) = stores
    known = BodyFacts([range.counter])
    element = store.memref, known.subscripts_of(store)
    if range.counter in {value for each in element[1] for value in each.values()}:
        raise UnsuitableError("it does not update one element")
    same: dict[Operation, Load] = {
        op: op
        for op in body.ops
        if isinstance(op, Load) and (op.memref, known.subscripts_of(op)) == element
    }
    chain = chain_to(store.value, store, same)
    if chain is None or len(same) != 1:
        raise UnsuitableError("it does not update its element by one associative operation")
    facts = BodyFacts.of(body, [range.counter], reduced=frozenset((same[chain.load], store)))
    if facts.may_trap:
        raise UnsuitableError("integers are divided")
    if any(not _is_dense(facts, op) for op in facts.subscripts):
        raise UnsuitableError("it loads elements that are not next to each other")
    _require_other_elements(loop, facts, store)
    lengths = [high - low for high in range.upper for low in range.lower]
    most = min((each.constant for each in lengths if each.is_constant), default=None)
    vectors = MOST_VECTORS if most is None else max(1, min(MOST_VECTORS, -(-most // width)))
    return _Reduction(loop, range, facts, store, chain, width, vectors)


def _is_dense(facts: BodyFacts, op: Load | Store) -> bool:
    """Whether an access is to one element, or to vectors of successive ones, in any direction."""
    if op in facts.reduced or not facts.of_access(op):
        return True
    return facts.is_successive(op) or facts.is_reversed(op)


def _require_other_elements(loop: affine.ForOp, facts: BodyFacts, store: Store) -> None:
    """Raise unless what is loaded is never an element that the loop updates."""
    spaces = IterationSpaces()
    inside = spaces.context(store)
    updated = spaces.elements(facts.subscripts[store], inside, facts.counters)
    for op, subscripts in facts.subscripts.items():
        if op in facts.reduced or not may_overlap(op.memref, store.memref):
            continue
        touched = spaces.elements(subscripts, inside, facts.counters)
        if op.memref is not store.memref or not updated.is_disjoint(touched):
            raise UnsuitableError("it may load an element that it updates")


@dataclass(frozen=True)
class _RestLanes:
    """The lanes of the iterations that are left: a mask for each vector."""

    masks: Sequence[SSAValue]

    def mask(self, places: frozenset[int], key: Key) -> SSAValue:
        return self.masks[key[0]]

    def counter(self, place: int, number: int, lane: int) -> IndexExpression:
        raise UnsuitableError("it loads elements that are not next to each other")


@dataclass(frozen=True)
class _Reduction:
    """A loop that updates one element, and how many vectors of partial results it gets."""

    loop: affine.ForOp
    range: LoopRange
    facts: BodyFacts
    store: Store
    chain: Chain
    width: int
    vectors: int

    @property
    def _combiner(self) -> Combiner:
        return self.chain.combiner

    @property
    def _step(self) -> int:
        return self.width * self.vectors

    def run(self, builder: Builder) -> None:
        """Make the code of all iterations, of which there is at least one."""
        neutral = neutral_element(self._combiner, self.store.value.type)
        first = builder.insert(arith.ConstantOp(neutral)).result
        type = VectorType(first.type, [self.width])
        start = builder.insert(vector.BroadcastOp(first, type)).results[0]
        start.name_hint = "partial"
        partial = self._rest(self._main_loop([start] * self.vectors, builder), builder)
        total = self._over_lanes(self._tree(partial, builder), builder)
        self._update(total, builder)

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
            for mask, new, old in zip(masks, after, partial, strict=True)
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
        current: dict[Key, SSAValue] = {(n,): value for n, value in enumerate(partial)}
        expansion.current[self.facts.element(self.store)] = current
        expansion.run(self.loop.body.block)
        return [current[n,] for n in range(self.vectors)]

    def _tree(self, values: Sequence[SSAValue], builder: Builder) -> SSAValue:
        """All of some values, combined in pairs."""
        while len(values) > 1:
            pairs = [values[n : n + 2] for n in range(0, len(values), 2)]
            values = [
                self._combined(pair[0], pair[1], builder) if len(pair) == 2 else pair[0]
                for pair in pairs
            ]
        return values[0]

    def _over_lanes(self, value: SSAValue, builder: Builder) -> SSAValue:
        """All lanes of a vector, combined in pairs: those of its two halves."""
        element, width = self.store.value.type, self.width
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
            value = self._combined(halves[0], halves[1], builder)
        lanes = [
            builder.insert(vector.ExtractOp(value, [lane], element)).result for lane in range(width)
        ]
        return self._combined(lanes[0], lanes[1], builder)

    def _combined(self, one: SSAValue, other: SSAValue, builder: Builder) -> SSAValue:
        """Two partial results, by the operation that the loop has."""
        kind = operation_on(self._combiner.operation, one.type)
        same = (each.properties for each in self.chain.steps if isinstance(each, kind))
        properties = next(same, None)
        if properties is None:
            # It is a sum that only takes away.
            properties = dict(self.chain.steps[0].properties)
        operation = kind.create(
            operands=[one, other], result_types=[one.type], properties=dict(properties)
        )
        return builder.insert(operation).results[0]

    def _update(self, total: SSAValue, builder: Builder) -> None:
        """Combine the result of all iterations with the element."""
        load = self.chain.load.clone()
        builder.insert(load)
        store = self.store.clone()
        store.operands[0] = self._combined(load.results[0], total, builder)
        builder.insert(store)
