"""What of an innermost loop is packed, and where: see `polyir.loops.packing`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import islpy as isl
from xdsl.dialects import affine, memref, vector
from xdsl.dialects.builtin import IndexType, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind
from xdsl.rewriter import Rewriter

from polyir.dialects.loop_attributes import ClampedAttr
from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.partial_blocks import lane_bounds, mask_bounds, minimum_of
from polyir.loops.vector_copies import factor_of, substituted
from polyir.model.index_expressions import Constraint, Division, IndexExpression
from polyir.model.memory_accesses import is_load, load_of
from polyir.model.raising.effects import is_pure, may_overlap, may_trap

Terms = tuple[IndexExpression, ...]
_LaneBounds = tuple[tuple[bool, Terms], ...]
"""What `lane_bounds` says."""


@dataclass(frozen=True)
class Panel:
    """Values of the innermost loop that are packed inside the first `depth` loops.

    They depend on the loops at `levels`, whose `ranges` are those of the copies, which run under
    `guards`; `offset` is where the values of each iteration are, `elements` how many there are.
    """

    depth: int
    levels: tuple[int, ...]
    type: Attribute
    values: tuple[SSAValue, ...]
    ranges: tuple[LoopRange, ...] = ()
    guards: tuple[Constraint, ...] = ()
    offset: IndexExpression = field(default_factory=IndexExpression)
    elements: int = 0

    @property
    def width(self) -> int:
        """The elements of one value."""
        return self.type.get_shape()[0] if isinstance(self.type, VectorType) else 1


@dataclass
class Nest:
    """An innermost loop and those around it, outermost first; `packed` are arrays of panels."""

    loops: tuple[affine.ForOp | affine.ParallelOp, ...]
    ranges: tuple[LoopRange, ...]
    packed: tuple[SSAValue, ...] = ()
    _levels: dict[SSAValue, frozenset[int] | None] = field(default_factory=dict)
    _checked: dict[tuple[int, tuple[int, ...], _LaneBounds], bool] = field(default_factory=dict)

    @staticmethod
    def around(loop: affine.ForOp, with_parallel: bool = False) -> Nest:
        """The nest that `loop` is the innermost loop of, up to a parallel loop, or all of it."""
        kinds = (affine.ForOp, affine.ParallelOp) if with_parallel else (affine.ForOp,)
        loops: list[affine.ForOp | affine.ParallelOp] = []
        ranges: list[LoopRange] = []
        current: Operation | None = loop
        while isinstance(current, kinds):
            assert isinstance(current, affine.ForOp | affine.ParallelOp)
            range = range_of(current)
            if range is None or (loops and current.results):
                break
            loops.insert(0, current)
            ranges.insert(0, range)
            current = current.parent_op()
        return Nest(tuple(loops), tuple(ranges))

    @property
    def depth(self) -> int:
        """The number of loops."""
        return len(self.loops)

    @property
    def home(self) -> Block:
        """The block that the nest is in."""
        block = self.loops[0].parent_block()
        assert block is not None
        return block

    def erase_unused(self) -> None:
        """Erase loads and computations in the nest whose results nothing uses."""
        for op in reversed([op for op in self.loops[0].walk() if not op.regions]):
            is_unused = op.results and not any(result.first_use for result in op.results)
            if is_unused and (is_pure(op) or is_load(op)):
                Rewriter.erase_op(op)

    # ------------------------------------------------------------------------------ what to pack

    def panels(self, depths: int, most_elements: int) -> list[Panel]:
        """What is packed in fewer than `depths` loops, by the loops it depends on and its type."""
        found: dict[tuple[int, tuple[int, ...], Attribute], list[SSAValue]] = {}
        if self.depth < 3:
            return []
        body = self.loops[-1].body.block
        used: dict[SSAValue, None] = {}
        # From what must stay in the loop to what it uses, up to what is packed.
        work = [op for op in body.ops if not op.results or not all(map(self._moves, op.results))]
        while work:
            op = work.pop(0)
            for value in op.operands:
                owner = value.owner
                if not isinstance(owner, Operation) or owner.parent is not body or value in used:
                    continue
                used[value] = None
                place = self._place_of(value, depths, most_elements)
                if place is None:
                    work.append(owner)
                else:
                    found.setdefault((*place, value.type), []).append(value)
        panels = [self._laid_out(Panel(*key, self._ordered(each))) for key, each in found.items()]
        return [each for each in panels if each is not None and each.elements <= most_elements]

    def _moves(self, value: SSAValue) -> bool:
        """Whether a value is the same in all iterations of some loop of the nest."""
        levels = self.levels_of(value)
        return levels is not None and len(levels) < len(self.loops)

    def _ordered(self, values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """Values in the order in which the innermost loop computes them."""
        results = (value for op in self.loops[-1].body.block.ops for value in op.results)
        return tuple(value for value in results if value in values)

    def _place_of(
        self, value: SSAValue, depths: int, most_elements: int
    ) -> tuple[int, tuple[int, ...]] | None:
        """In how many loops to pack a value, and the further loops that it depends on, if any."""
        if not self._moves(value) or not self._loads(value) or isinstance(value.type, IndexType):
            return None
        for depth in range(min(depths, self.depth - 2)):
            inner = tuple(level for level in sorted(self.levels_of(value) or ()) if level >= depth)
            if len(inner) < 2 or len(inner) == self.depth - depth:
                continue
            # Before a loop that it depends on, nothing more is saved than in it.
            if depth in inner and len(inner) > 2:
                continue
            trial = self._laid_out(Panel(depth, inner, value.type, (value,)))
            if trial is not None and trial.elements <= most_elements:
                return depth, inner
        return None

    def _loads(self, value: SSAValue) -> bool:
        """Whether a value comes from a load in the innermost loop."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.parent is not self.loops[-1].body.block:
            return False
        load = load_of(value)
        if load is not None:
            return load.memref not in self.packed
        return any(map(self._loads, owner.operands))

    def levels_of(self, value: SSAValue) -> frozenset[int] | None:
        """The loops of the nest that a value depends on; `None` if it cannot be computed before.

        A masked load may be done for more lanes than its mask has: see `mask_bounds`.
        """
        if value not in self._levels:
            self._levels[value] = self._computed_levels(value)
        return self._levels[value]

    def _computed_levels(self, value: SSAValue) -> frozenset[int] | None:
        owner = value.owner
        if isinstance(owner, Block):
            for level, loop in enumerate(self.loops):
                if owner is loop.body.block:
                    return frozenset((level,)) if value is owner.args[0] else None
            return frozenset()
        if not self.loops[0].is_ancestor(owner):
            return frozenset()
        if owner.parent not in [loop.body.block for loop in self.loops]:
            return None
        is_broadcast = isinstance(owner, vector.BroadcastOp) and bool(
            self.levels_of(owner.operands[0])
        )
        if is_broadcast and not _is_gathered_into(owner):
            # The scalar is packed, and takes less memory.
            return None
        operands = list(owner.operands)
        if ClampedAttr.name in owner.attributes:
            # It is enough that what is loaded is right where the first expression is the least.
            terms = minimum_of(value)
            operands = [] if terms is None else list(terms[0].values())
        load = load_of(value)
        if load is not None:
            if self._is_stored_to(load.memref):
                return None
            if isinstance(owner, vector.MaskedLoadOp) and mask_bounds(owner.mask) is not None:
                operands.remove(owner.mask)
        elif not is_pure(owner) or may_trap(owner):
            return None
        found: frozenset[int] = frozenset()
        for operand in operands:
            levels = self.levels_of(operand)
            if levels is None:
                return None
            found |= levels
        return found

    def _is_stored_to(self, array: SSAValue) -> bool:
        """Whether anything in the nest, or in the parallel loop around it, writes to an array."""
        written = self._written
        return written is None or any(may_overlap(array, memory) for memory in written)

    @cached_property
    def _written(self) -> tuple[SSAValue, ...] | None:
        """The arrays that may be written to there; `None` if it may be any array."""
        around = self.home.parent_op()
        region = around if isinstance(around, affine.ParallelOp) else self.loops[0]
        written: dict[SSAValue, None] = {}
        for op in region.walk():
            if is_load(op) or op.regions or is_pure(op):
                continue
            if isinstance(op, memref.AllocOp | memref.DeallocOp | affine.YieldOp):
                continue
            memories = [each for each in op.operands if isinstance(each.type, MemRefType)]
            if not memories:
                return None
            written |= dict.fromkeys(memories)
        return tuple(written)

    # ------------------------------------------------------------------------------ where it goes

    @cached_property
    def _spaces(self) -> IterationSpaces:
        """The sets of the nest as it is before anything is packed."""
        return IterationSpaces(with_steps=True)

    @cached_property
    def _lane(self) -> SSAValue:
        """A value that stands for the number of a lane."""
        return Block(arg_types=[IndexType()]).args[0]

    @cached_property
    def _contexts(self) -> tuple[isl.Set, ...]:
        """What is known around each loop, and in the innermost one."""
        found = [self._spaces.context(self.loops[0])]
        for loop in self.loops:
            ((_, inside),) = self._spaces.inside(loop, found[-1])
            found.append(inside)
        return tuple(found)

    def _laid_out(self, panel: Panel) -> Panel | None:
        """The panel with its loops and its layout; `None` if they are not known."""
        ranges: list[LoopRange] = []
        sizes: list[tuple[IndexExpression, int, int]] = []
        for level in panel.levels:
            range = self.ranges[level]
            upper = self.maximised(range.upper, panel)
            lower = self.minimised(range.lower, panel)
            extent = None if upper is None or lower is None else _extent(lower, upper)
            if upper is None or lower is None or extent is None or range.step is None:
                return None
            ranges.append(LoopRange(range.counter, lower, upper, range.step))
            sizes.append((extent[0], extent[1], range.step if len(lower) == 1 else 1))
        unit = len(panel.values) * panel.width
        offset, last = IndexExpression(), unit
        for range, (first, length, aligned) in reversed(list(zip(ranges, sizes, strict=True))):
            # Iterations of a loop with a step have room for all iterations of the step together,
            # and a bit more where it does not divide that.
            step = range.step or 1
            unit = -(-unit // step) * step
            offset += (IndexExpression.of(range.counter) - first).scale(unit // step)
            last += (length - 1) // aligned * aligned * (unit // step)
            unit *= -(-length // step)
        spaces = self._spaces
        outermost = self.loops[panel.depth]
        known = self._contexts[panel.depth]
        guards = spaces.guards(outermost, known)
        if guards is None:
            return None
        for guard in guards:
            known = known.intersect(spaces.holds(guard))
        for range in ranges:
            known = known.intersect(spaces.within(range))
        # The loops of copies begin at the least value that a loop begins at. With steps, one that
        # begins elsewhere may have other values.
        dropped = [range.counter for range in self._dropped(panel)]
        if not spaces.whatever(dropped, self._contexts[-1]).is_subset(known):
            return None
        laid_out = replace(panel, ranges=tuple(ranges), guards=guards, offset=offset, elements=last)
        return laid_out if self._only_loads_what_is_loaded(laid_out, known) else None

    def _dropped(self, panel: Panel) -> list[LoopRange]:
        """The ranges of the loops, innermost first, in all of whose iterations values are equal."""
        inner = [n for n in range(panel.depth, len(self.loops)) if n not in panel.levels]
        return [self.ranges[level] for level in reversed(inner)]

    def maximised(self, terms: Terms, panel: Panel) -> Terms | None:
        """At least the greatest values of expressions in any iterations of dropped loops."""
        for range in self._dropped(panel):
            found: list[IndexExpression] = []
            for term in terms:
                factor = factor_of(term, range.counter)
                if factor is None:
                    term = _without_rounding(term)
                    factor = factor_of(term, range.counter)
                if factor is None:
                    return None
                ends = [each.shift(-1) for each in range.upper] if factor > 0 else range.lower
                values = [IndexExpression.of(range.counter)] if factor == 0 else ends
                found += [substituted(term, {range.counter: value}) for value in values]
            terms = tuple(dict.fromkeys(found))
        return terms

    def minimised(self, terms: Terms, panel: Panel) -> Terms | None:
        """At most the least values, as `maximised`."""
        found = self.maximised(tuple(each.scale(-1) for each in terms), panel)
        return None if found is None else tuple(each.scale(-1) for each in found)

    def _only_loads_what_is_loaded(self, panel: Panel, known: isl.Set) -> bool:
        """Whether the copies load only elements that the nest loads, too, decided by isl.

        `known` is what is known where copies are made.
        """
        slices = {op for value in panel.values for op in self.slice_of(value)}
        found = (bounds for op in slices if (bounds := lane_bounds(op)) is not None)
        # Many values have equal bounds, and each is asked for alone first.
        for each in ((), *dict.fromkeys(map(tuple, found))):
            key = (panel.depth, panel.levels, each)
            if key not in self._checked:
                self._checked[key] = self._loads_no_more(panel, known, each)
            if not self._checked[key]:
                return False
        return True

    def _loads_no_more(self, panel: Panel, known: isl.Set, bounds: _LaneBounds) -> bool:
        """Whether lanes that copies load are lanes that the nest loads; without bounds, any."""
        spaces, less = self._spaces, self._contexts[-1]
        lane = IndexExpression.of(self._lane)
        if bounds:
            known, less = (
                each.intersect(spaces.holds(Constraint(lane, False))) for each in (known, less)
            )
        for is_end, terms in bounds:
            relaxed = self.maximised(terms, panel)
            if relaxed is None:
                return False
            known = known.intersect(_in_lanes(lane, is_end, relaxed, spaces))
            less = less.intersect(_in_lanes(lane, is_end, terms, spaces))
        dropped = [range.counter for range in self._dropped(panel)]
        return bool(known.is_subset(spaces.whatever(dropped, less)))

    def slice_of(self, value: SSAValue) -> list[Operation]:
        """The operations in the nest that a value is computed by, in no particular order."""
        found: dict[Operation, None] = {}
        work = [value]
        while work:
            owner = work.pop().owner
            is_inside = isinstance(owner, Operation) and self.loops[0].is_ancestor(owner)
            if isinstance(owner, Operation) and is_inside and owner not in found:
                found[owner] = None
                work += owner.operands
        return list(found)


def _is_gathered_into(op: Operation) -> bool:
    return all(isinstance(use.operation, vector.InsertOp) for use in op.results[0].uses)


def _without_rounding(term: IndexExpression) -> IndexExpression:
    """An expression that is no less than `term`, without the remainders and quotients in it."""
    found = IndexExpression(constant=term.constant)
    for atom, factor in term.terms:
        part = IndexExpression(((atom, factor),))
        if isinstance(atom, Division):
            lost = atom.divisor - 1
            if atom.kind is AffineBinaryOpKind.Mod:
                part = IndexExpression(constant=max(0, factor * lost))
            elif atom.kind is AffineBinaryOpKind.FloorDiv and factor % atom.divisor == 0:
                least = atom.dividend if factor > 0 else atom.dividend.shift(-lost)
                part = least.scale(factor // atom.divisor)
        found += part
    return found


def _extent(lower: Terms, upper: Terms) -> tuple[IndexExpression, int] | None:
    """A lower bound, and how far an upper one is from it at most."""
    pairs = [
        (low, (high - low).constant) for low in lower for high in upper if (high - low).is_constant
    ]
    return min(pairs, key=lambda pair: pair[1], default=None)


def _in_lanes(
    lane: IndexExpression, is_end: bool, terms: Terms, spaces: IterationSpaces
) -> isl.Set:
    """Where a lane is below all `terms`, or, if they say where lanes start, not below any."""
    found = spaces.everything
    for term in terms:
        distance = (term - lane).shift(-1) if is_end else lane + term
        found = found.intersect(spaces.holds(Constraint(distance, False)))
    return found
