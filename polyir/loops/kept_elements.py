"""Elements that a block adds up stay in registers while the loop around it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from xdsl.builder import Builder
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import conditional, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.partial_blocks import PartialBlock, PartialLanes
from polyir.loops.transposes import columns, transposable_loads
from polyir.loops.vector_copies import (
    BodyFacts,
    CopiedCounter,
    Element,
    Expansion,
    Key,
    Lanes,
    Subscripts,
)
from polyir.model.index_expressions import Constraint, IndexExpression, map_of
from polyir.model.memory_accesses import ElementAccess, ElementLoad, ElementStore
from polyir.model.raising.effects import may_overlap


@dataclass(frozen=True)
class LoopBlock:
    """A perfect nest of loops with constant numbers of iterations; the last has the vectors.

    Of a `partial` block, not all iterations run.
    """

    loops: tuple[affine.ForOp, ...]
    counters: tuple[CopiedCounter, ...]
    width: int
    partial: PartialBlock | None = None

    @property
    def body(self) -> Block:
        return self.loops[-1].body.block

    def moves_with(self, counter: SSAValue) -> bool:
        """Whether the iterations of the block depend on the counter of a loop around it."""
        if self.partial is not None and self.partial.depends_on(counter):
            return True
        return any(counter in each.first.values() for each in self.counters)

    def lanes(self, builder: Builder) -> Lanes | None:
        """What runs of the block, computed by `builder`; `None` if all of it does."""
        return None if self.partial is None else PartialLanes(self.partial, self.width, builder)


@dataclass(frozen=True)
class KeptElement:
    """Elements that stay in registers while the loop around a block runs: one a copy."""

    element: Element
    access: ElementAccess


def kept_elements(
    block: LoopBlock, facts: BodyFacts, around: affine.ForOp, spaces: IterationSpaces
) -> tuple[KeptElement, ...]:
    """The elements that the block stores and that are the same in all iterations of `around`.

    No other access in the loop may be to any of them.
    """
    inside = spaces.context(block.body.first_op or block.loops[-1])
    counters = [around.body.block.args[0], *facts.counters]
    accesses = list(facts.subscripts.items())
    kept: list[KeptElement] = []
    taken: set[Element] = set()
    for store, subscripts in accesses:
        if not isinstance(store, ElementStore) or facts.element(store) in taken:
            continue
        if counters[0] in {value for each in subscripts for value in each.values()}:
            continue
        own = [op for op, _ in accesses if facts.element(op) == facts.element(store)]
        others = [
            op for op, _ in accesses if op not in own and may_overlap(op.memref, store.memref)
        ]
        is_own_array = all(op.memref is store.memref for op in others)
        if not is_own_array or not _is_injective(subscripts, facts.counters):
            continue
        elements = spaces.elements(subscripts, inside, counters)
        touched = (spaces.elements(facts.subscripts[op], inside, counters) for op in others)
        if all(map(elements.is_disjoint, touched)):
            taken.add(facts.element(store))
            kept.append(KeptElement(facts.element(store), own[0]))
    return tuple(kept)


def _is_injective(subscripts: Subscripts, counters: Sequence[SSAValue]) -> bool:
    """Whether copies surely have different elements: each counter is alone in a subscript."""
    alone: set[SSAValue] = set()
    for subscript in subscripts:
        found = [value for value in subscript.values() if value in counters]
        terms = dict(subscript.terms)
        if len(found) == 1 and terms.get(found[0]) in (1, -1):
            alone.add(found[0])
    return alone == set(counters)


def run_with_kept(
    block: LoopBlock,
    facts: BodyFacts,
    around: affine.ForOp,
    kept: Sequence[KeptElement],
    guards: Sequence[Constraint],
) -> Sequence[ElementLoad]:
    """Replace `around` by loops whose block keeps elements in registers; it runs under `guards`.

    Returns the loads whose vectors come from transposed rows.
    """
    iterations = range_of(around)
    assert iterations is not None
    place = Block()
    builder = Builder(InsertPoint.at_end(place) if guards else InsertPoint.before(around))
    run = _Run(block, facts, around, kept, block.lanes(builder), builder)
    outside = run.expansion(builder, {})
    values = [outside.load_element(each.access, key) for each in kept for key in run.keys]
    loads = _transposed_loads(block, facts, iterations, kept)
    rest: LoopRange | None = iterations
    if loads:
        strips, rest = _strips(iterations, block.width)
        values = run.add_loop(strips, block.width, loads, values)
    if rest is not None:
        values = run.add_loop(rest, 1, {}, values)
    results = iter(values)
    for each in kept:
        for key in run.keys:
            outside.store_element(each.access, key, next(results))
    if guards:
        place.add_op(affine.YieldOp.get())
        conditional(guards, place, None, around, Builder(InsertPoint.before(around)))
    Rewriter.erase_op(around)
    return tuple(loads.values())


def _transposed_loads(
    block: LoopBlock, facts: BodyFacts, around: LoopRange, kept: Sequence[KeptElement]
) -> dict[Element, ElementLoad]:
    """The loads of the block whose rows are transposed, in strips of the loop around.

    Rows are loaded before all iterations of a strip, so these must store nothing to memory.
    """
    if len(block.loops) > 1 or around.step != 1 or len(around.lower) + len(around.upper) > 2:
        return {}
    length = around.upper[0] - around.lower[0]
    if length.is_constant and length.constant < block.width:
        return {}
    elements = [each.element for each in kept]
    if any(
        isinstance(op, ElementStore) and facts.element(op) not in elements
        for op in facts.subscripts
    ):
        return {}
    return transposable_loads(facts, around.counter, block.counters[0].count, block.width)


def _strips(iterations: LoopRange, width: int) -> tuple[LoopRange, LoopRange | None]:
    """The first iterations of strips of `width`, and the iterations that are in no whole strip."""
    (low,), (high,) = iterations.lower, iterations.upper
    length = high - low
    strips = replace(iterations, upper=(high.shift(1 - width),))
    if length.is_constant and length.constant % width == 0:
        return strips, None
    whole = length.divide(AffineBinaryOpKind.FloorDiv, width).scale(width)
    return strips, replace(iterations, lower=(low + whole,))


@dataclass(frozen=True)
class _Run:
    """A block in the loop around it, which adds up elements in registers."""

    block: LoopBlock
    facts: BodyFacts
    around: affine.ForOp
    kept: Sequence[KeptElement]
    lanes: Lanes | None
    builder: Builder

    @property
    def keys(self) -> tuple[Key, ...]:
        """The copies of each element that is kept."""
        return tuple(product(*(range(each.count) for each in self.block.counters)))

    def expansion(self, builder: Builder, outer: dict[SSAValue, IndexExpression]) -> Expansion:
        counters, width = self.block.counters, self.block.width
        return Expansion(self.facts, counters, width, builder, self.lanes, outer)

    def add_loop(
        self,
        iterations: LoopRange,
        copies: int,
        loads: Mapping[Element, ElementLoad],
        values: Sequence[SSAValue],
    ) -> list[SSAValue]:
        """Run so many iterations of the loop around, one after the other, as one of a new loop.

        Vectors of `loads` come from transposed rows. Takes and returns the `values` of elements.
        """
        lower, lower_operands = map_of(iterations.lower)
        upper, upper_operands = map_of(iterations.upper)
        body = Block(arg_types=[iterations.counter.type, *(value.type for value in values)])
        new = affine.ForOp.from_region(
            lower_operands,
            upper_operands,
            values,
            [value.type for value in values],
            AffineMapAttr(lower),
            AffineMapAttr(upper),
            Region(body),
            copies * (iterations.step or 1),
        )
        new.attributes, new.location = dict(self.around.attributes), self.around.location
        counter, *arguments = body.args
        counter.name_hint = iterations.counter.name_hint
        for argument, value in zip(arguments, values, strict=True):
            argument.name_hint = value.name_hint
        body.add_op(affine.YieldOp.get(*self._add_copies(counter, copies, loads, arguments)))
        # What the body needs of `lanes` is before the loop.
        self.builder.insert(new)
        return list(new.results)

    def _add_copies(
        self,
        counter: BlockArgument,
        copies: int,
        loads: Mapping[Element, ElementLoad],
        values: Sequence[SSAValue],
    ) -> list[SSAValue]:
        """The iterations in the body of the new loop; the values of elements after them."""
        inner = Builder(InsertPoint.at_end(counter.block))
        around = self.around.body.block.args[0]
        first = IndexExpression.of(counter)
        rows = self.expansion(inner, {around: first})
        transposed = {element: columns(rows, load) for element, load in loads.items()}
        pending = iter(values)
        current = {each.element: {key: next(pending) for key in self.keys} for each in self.kept}
        for number in range(copies):
            copy = self.expansion(inner, {around: first.shift(number)})
            copy.current.update(current)
            copy.current.update({element: each[number] for element, each in transposed.items()})
            copy.run(self.block.body)
        return [current[each.element][key] for each in self.kept for key in self.keys]
