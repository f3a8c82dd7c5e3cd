"""Packing: what inner loops load again and again is put in arrays in the order in which it is used.

    for i.. step 8:                          for j.. step 24, for k..:
      for j.. step 24:                         P[24 j + k] = B[k][j .. j + 24]
        for k:                        =>     for i.. step 8, for j.. step 24, for k:
          ... B[k][j .. j + 24] ...            ... P[24 j + k] ...

After K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication" (TOMS 2008).
Here it is done to any values: what is computed from loads alone is computed before, once. Loads
that gather a vector from a column then do so once, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, memref, vector
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.loop_attributes import ClampedAttr
from polyir.loops.fetching_ahead import fetch_ahead, fetch_rows_ahead
from polyir.loops.iteration_spaces import IterationSpaces, is_loop
from polyir.loops.loop_forms import conditional, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.partial_blocks import lane_bounds, mask_bounds, minimum_of
from polyir.loops.vector_copies import as_map, factor_of, substituted
from polyir.model.index_expressions import Constraint, IndexExpression, map_of
from polyir.model.raising.effects import is_pure, may_overlap, may_trap

Report = Callable[[str, Operation], None]
Loads = affine.LoadOp | affine.VectorLoadOp | memref.LoadOp | vector.LoadOp | vector.MaskedLoadOp
Terms = tuple[IndexExpression, ...]


def pack(root: Operation, most_elements: int, done: Report, ahead: bool = False) -> bool:
    """Pack what innermost loops from `root` down load in several iterations of a loop around.

    The values that depend on some of the loops around only are computed before the outermost loop
    that leaves at most `most_elements` of them, and stored in the order in which they are used.
    With `ahead`, the elements that such a loop adds up are fetched one block before they are used.
    Whether there was anything to pack.
    """
    found = False
    for loop in [op for op in root.walk() if isinstance(op, affine.ForOp)]:
        if any(is_loop(inner) for inner in loop.walk() if inner is not loop):
            continue
        nest = _Nest.around(loop)
        packers = [_Packer(nest, panel) for panel in nest.panels(most_elements)]
        # All arrays are filled from what the loop computes now.
        arrays = [packer.fill() for packer in packers]
        for packer, array in zip(packers, arrays, strict=True):
            found = True
            hints = packer.fetch_ahead() if ahead else ""
            done(packer.use(array) + hints, loop)
        nest.erase_unused()
        if ahead and packers and (count := fetch_ahead(loop)):
            done(f"fetches {count} vectors of the next block ahead", loop)
    return found


@dataclass(frozen=True)
class _Panel:
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
class _Nest:
    """An innermost loop and those around it, outermost first, up to a parallel loop."""

    loops: tuple[affine.ForOp, ...]
    ranges: tuple[LoopRange, ...]
    _levels: dict[SSAValue, frozenset[int] | None] = field(default_factory=dict)

    @staticmethod
    def around(loop: affine.ForOp) -> _Nest:
        """The nest that `loop` is the innermost loop of."""
        loops: list[affine.ForOp] = []
        ranges: list[LoopRange] = []
        current: Operation | None = loop
        while isinstance(current, affine.ForOp):
            range = range_of(current)
            if range is None or (loops and current.results):
                break
            loops.insert(0, current)
            ranges.insert(0, range)
            current = current.parent_op()
        return _Nest(tuple(loops), tuple(ranges))

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
            if is_unused and (is_pure(op) or isinstance(op, Loads)):
                Rewriter.erase_op(op)

    # ------------------------------------------------------------------------------ what to pack

    def panels(self, most_elements: int) -> list[_Panel]:
        """What is packed, by the loops that it depends on and its type."""
        found: dict[tuple[int, tuple[int, ...], Attribute], list[SSAValue]] = {}
        if len(self.loops) < 3:
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
                place = self._place_of(value, most_elements)
                if place is None:
                    work.append(owner)
                else:
                    found.setdefault((*place, value.type), []).append(value)
        panels = [self._laid_out(_Panel(*key, self._ordered(each))) for key, each in found.items()]
        return [each for each in panels if each is not None and each.elements <= most_elements]

    def _moves(self, value: SSAValue) -> bool:
        """Whether a value is the same in all iterations of some loop of the nest."""
        levels = self.levels_of(value)
        return levels is not None and len(levels) < len(self.loops)

    def _ordered(self, values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """Values in the order in which the innermost loop computes them."""
        results = (value for op in self.loops[-1].body.block.ops for value in op.results)
        return tuple(value for value in results if value in values)

    def _place_of(self, value: SSAValue, most_elements: int) -> tuple[int, tuple[int, ...]] | None:
        """In how many loops to pack a value, and the further loops that it depends on, if any."""
        if not self._moves(value) or not self._loads(value) or isinstance(value.type, IndexType):
            return None
        for depth in range(len(self.loops) - 2):
            inner = tuple(level for level in sorted(self.levels_of(value) or ()) if level >= depth)
            if len(inner) < 2 or len(inner) == len(self.loops) - depth:
                continue
            trial = self._laid_out(_Panel(depth, inner, value.type, (value,)))
            if trial is not None and trial.elements <= most_elements:
                return depth, inner
        return None

    def _loads(self, value: SSAValue) -> bool:
        """Whether a value comes from a load in the innermost loop."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.parent is not self.loops[-1].body.block:
            return False
        return isinstance(owner, Loads) or any(map(self._loads, owner.operands))

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
        if isinstance(owner, Loads):
            if self._is_stored_to(owner.operands[0]):
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
            if isinstance(op, Loads) or op.regions or is_pure(op):
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
    def _contexts(self) -> tuple[isl.Set, ...]:
        """What is known around each loop, and in the innermost one."""
        found = [self._spaces.context(self.loops[0])]
        for loop in self.loops:
            ((_, inside),) = self._spaces.inside(loop, found[-1])
            found.append(inside)
        return tuple(found)

    def _laid_out(self, panel: _Panel) -> _Panel | None:
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
            # Iterations of a loop with a step have room for all iterations of the step together.
            step = range.step or 1
            if unit % step:
                return None
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
        laid_out = replace(panel, ranges=tuple(ranges), guards=guards, offset=offset, elements=last)
        return laid_out if self._only_loads_what_is_loaded(laid_out, known) else None

    def _dropped(self, panel: _Panel) -> list[LoopRange]:
        """The ranges of the loops, innermost first, in all of whose iterations values are equal."""
        inner = [n for n in range(panel.depth, len(self.loops)) if n not in panel.levels]
        return [self.ranges[level] for level in reversed(inner)]

    def maximised(self, terms: Terms, panel: _Panel) -> Terms | None:
        """The greatest values of expressions in any iterations of the loops that are dropped."""
        for range in self._dropped(panel):
            found: list[IndexExpression] = []
            for term in terms:
                factor = factor_of(term, range.counter)
                if factor is None:
                    return None
                ends = [each.shift(-1) for each in range.upper] if factor > 0 else range.lower
                values = [IndexExpression.of(range.counter)] if factor == 0 else ends
                found += [substituted(term, {range.counter: value}) for value in values]
            terms = tuple(dict.fromkeys(found))
        return terms

    def minimised(self, terms: Terms, panel: _Panel) -> Terms | None:
        """The least values, as `maximised`."""
        found = self.maximised(tuple(each.scale(-1) for each in terms), panel)
        return None if found is None else tuple(each.scale(-1) for each in found)

    def _only_loads_what_is_loaded(self, panel: _Panel, known: isl.Set) -> bool:
        """Whether the copies load only elements that the nest loads, too, decided by isl.

        `known` is what is known around the copies.
        """
        spaces, inside = self._spaces, self._contexts[-1]
        lane = IndexExpression.of(Block(arg_types=[IndexType()]).args[0])
        for range in panel.ranges:
            known = known.intersect(spaces.within(range))
        dropped = [range.counter for range in self._dropped(panel)]
        slices = {op for value in panel.values for op in self.slice_of(value)}
        wanted = [(known, inside)]
        for bounds in [bounds for op in slices if (bounds := lane_bounds(op)) is not None]:
            more = known.intersect(spaces.holds(Constraint(lane, False)))
            less = inside.intersect(spaces.holds(Constraint(lane, False)))
            for is_end, terms in bounds:
                relaxed = self.maximised(terms, panel)
                if relaxed is None:
                    return False
                more = more.intersect(_in_lanes(lane, is_end, relaxed, spaces))
                less = less.intersect(_in_lanes(lane, is_end, terms, spaces))
            wanted.append((more, less))
        return all(more.is_subset(spaces.whatever(dropped, less)) for more, less in wanted)

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


@dataclass
class _Packer:
    """Makes the array of one panel and the loops that fill it, and uses it."""

    nest: _Nest
    panel: _Panel

    def fill(self) -> SSAValue:
        """Make the array and the loops that fill it."""
        array = self._array()
        self._fill(array)
        return array

    def fetch_ahead(self) -> str:
        """Fetch what the array holds next while it is used; says so if that is done.

        It is done for rows that are gathered into blocks, which a loop around the innermost one
        repeats: vectors are copied as they are.
        """
        panel, nest = self.panel, self.nest
        dropped = [n for n in range(panel.depth, len(nest.loops)) if n not in panel.levels]
        if isinstance(panel.type, VectorType) or panel.depth == 0 or len(dropped) != 1:
            return ""
        if dropped[0] == len(nest.loops) - 1:
            return ""
        needed = {op for value in panel.values for op in nest.slice_of(value)}
        loads = [op for op in nest.loops[-1].body.block.ops if op in needed]
        rows, tiles = nest.ranges[panel.levels[0]], nest.ranges[panel.depth - 1]
        fetched = fetch_rows_ahead(nest.loops[-1], loads, rows, nest.ranges[dropped[0]], tiles)
        return ", fetched one tile ahead" if fetched else ""

    def use(self, array: SSAValue) -> str:
        """Load the values from the array; says what was done."""
        panel = self.panel
        counters = {range.counter: range.counter for range in panel.ranges}
        for place, value in enumerate(panel.values):
            owner = value.owner
            assert isinstance(owner, Operation)
            builder = Builder(InsertPoint.before(owner))
            loaded = self._load(array, self._offset(counters, place), builder)
            loaded.name_hint = value.name_hint
            value.replace_all_uses_with(loaded)
        names = ", ".join(f"%{each.counter.name_hint}" for each in panel.ranges)
        size = len(panel.values) * panel.width
        return f"packs {size} elements in each iteration of {names} in %{array.name_hint}"

    def _array(self) -> SSAValue:
        """The array, which exists while the nest runs."""
        panel, home = self.panel, self.nest.home
        element = panel.type.element_type if isinstance(panel.type, VectorType) else panel.type
        allocation = memref.AllocOp.get(element, 64, [self.panel.elements])
        assert home.last_op is not None
        home.insert_op_before(allocation, self.nest.loops[0])
        home.insert_op_before(memref.DeallocOp.get(allocation.memref), home.last_op)
        loads = [op for op in self.nest.slice_of(panel.values[0]) if isinstance(op, Loads)]
        allocation.location = self.nest.loops[0].location
        allocation.memref.name_hint = f"{loads[0].operands[0].name_hint or 'values'}_packed"
        return allocation.memref

    def _fill(self, array: SSAValue) -> None:
        """The loops that compute the values, before the outermost loop that repeats them."""
        nest, panel = self.nest, self.panel
        mapping: dict[SSAValue, SSAValue] = {}
        before = Builder(InsertPoint.before(nest.loops[panel.depth]))
        inside = Block()
        builder = Builder(InsertPoint.at_end(inside)) if panel.guards else before
        needed = {op for value in panel.values for op in nest.slice_of(value)}
        ordered = [op for op in nest.loops[0].walk() if op in needed]
        below = [self._level(op) for op in ordered]
        self._clone(
            [op for op, level in zip(ordered, below, strict=True) if level is None],
            mapping,
            builder,
        )
        for level, range in zip(panel.levels, panel.ranges, strict=True):
            region = Region(body := Block(arg_types=[IndexType()]))
            body.args[0].name_hint = range.counter.name_hint
            bounds = [
                tuple(substituted(each, _as_expressions(mapping)) for each in bound)
                for bound in (range.lower, range.upper)
            ]
            lower, lower_operands = map_of(bounds[0])
            upper, upper_operands = map_of(bounds[1])
            loop = affine.ForOp.from_region(
                lower_operands,
                upper_operands,
                [],
                [],
                AffineMapAttr(lower),
                AffineMapAttr(upper),
                region,
                range.step or 1,
            )
            loop.location = nest.loops[level].location
            builder.insert(loop)
            mapping[range.counter] = body.args[0]
            body.add_op(affine.YieldOp.get())
            assert body.last_op is not None
            builder = Builder(InsertPoint.before(body.last_op))
            self._clone(
                [op for op, own in zip(ordered, below, strict=True) if own == level],
                mapping,
                builder,
            )
        for place, value in enumerate(panel.values):
            self._store(array, mapping[value], self._offset(mapping, place), builder)
        if panel.guards:
            inside.add_op(affine.YieldOp.get())
            conditional(panel.guards, inside, None, nest.loops[panel.depth], before)

    def _level(self, op: Operation) -> int | None:
        """The innermost loop of the copies that an operation depends on; masks are widened."""
        levels = [self._level_of(each) for each in op.operands]
        return max((level for level in levels if level is not None), default=None)

    def _level_of(self, value: SSAValue) -> int | None:
        if value in [range.counter for range in self.panel.ranges]:
            return self.panel.levels[[r.counter for r in self.panel.ranges].index(value)]
        owner = value.owner
        if isinstance(owner, Block) or not self.nest.loops[0].is_ancestor(owner):
            return None
        return self._level(owner)

    def _clone(
        self, ops: Sequence[Operation], mapping: dict[SSAValue, SSAValue], builder: Builder
    ) -> None:
        for op in ops:
            terms = (
                minimum_of(op.results[0]) if isinstance(op, affine.MinOp | affine.ApplyOp) else None
            )
            relaxed = None if terms is None else self.nest.maximised(terms, self.panel)
            if terms is None or relaxed == terms or relaxed is None:
                builder.insert(copy := op.clone(mapping))
            else:
                values = [substituted(each, _as_expressions(mapping)) for each in relaxed]
                map, operands = map_of(values)
                builder.insert(copy := affine.MinOp(operands, AffineMapAttr(map)))
                mapping[op.results[0]] = copy.results[0]
            for old, new in zip(op.results, copy.results, strict=True):
                new.name_hint = old.name_hint

    def _offset(self, counters: dict[SSAValue, SSAValue], place: int) -> IndexExpression:
        """Where a value is in the array."""
        offset = substituted(self.panel.offset, _as_expressions(counters))
        return offset.shift(place * self.panel.width)

    def _load(self, array: SSAValue, offset: IndexExpression, builder: Builder) -> SSAValue:
        type = self.panel.type
        if isinstance(type, VectorType):
            memory = SSAValue.get(array, type=MemRefType)
            return builder.insert(affine.VectorLoadOp(memory, *as_map((offset,)), type)).result
        return builder.insert(affine.LoadOp(array, *as_map((offset,)), type)).result

    def _store(
        self, array: SSAValue, value: SSAValue, offset: IndexExpression, builder: Builder
    ) -> None:
        if isinstance(self.panel.type, VectorType):
            memory = SSAValue.get(array, type=MemRefType)
            builder.insert(affine.VectorStoreOp(value, memory, *as_map((offset,))))
        else:
            builder.insert(affine.StoreOp(value, array, *as_map((offset,))))


def _as_expressions(mapping: dict[SSAValue, SSAValue]) -> dict[SSAValue, IndexExpression]:
    return {
        old: IndexExpression.of(new)
        for old, new in mapping.items()
        if isinstance(old.type, IndexType)
    }
