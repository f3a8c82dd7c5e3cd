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
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import AffineMapAttr, IndexType, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.loops.fetching_ahead import fetch_ahead, fetch_rows_ahead
from polyir.loops.iteration_spaces import is_loop
from polyir.loops.loop_forms import conditional
from polyir.loops.panels import Nest, Panel
from polyir.loops.partial_blocks import minimum_of
from polyir.loops.vector_copies import substituted
from polyir.model.affine_operations import load_at, parallel_loop, sequential_loop, store_at
from polyir.model.index_expressions import IndexExpression, map_of
from polyir.model.memory_accesses import is_load

Report = Callable[[str, Operation], None]


def pack(
    root: Operation, most_elements: int, alignment: int, done: Report, ahead: bool = False
) -> bool:
    """Pack what innermost loops from `root` down load in several iterations of a loop around.

    The values that depend on some of the loops around only are computed before the outermost loop
    that leaves at most `most_elements` of them, and stored in the order in which they are used, in
    memory with that alignment. With `ahead`, the elements that such a loop adds up are fetched one
    block before they are used. Whether there was anything to pack.
    """
    found = False
    for loop in [op for op in root.walk() if isinstance(op, affine.ForOp)]:
        if any(is_loop(inner) for inner in loop.walk() if inner is not loop):
            continue
        shared = Nest.around(loop, with_parallel=True)
        own = Nest.around(loop)
        is_packed = False
        # What is packed before a parallel loop, its iterations share.
        for nest, depths in ((shared, shared.depth - own.depth), (own, own.depth)):
            packers = [
                _Packer(nest, panel, alignment) for panel in nest.panels(depths, most_elements)
            ]
            # All arrays are filled from what the loop computes now.
            arrays = [packer.fill() for packer in packers]
            own.packed += tuple(arrays)
            for packer, array in zip(packers, arrays, strict=True):
                is_packed = True
                hints = packer.fetch_ahead() if ahead else ""
                done(packer.use(array) + hints, loop)
            nest.erase_unused()
        if ahead and is_packed and (count := fetch_ahead(loop)):
            done(f"fetches {count} vectors of the next block ahead", loop)
        found |= is_packed
    return found


@dataclass
class _Packer:
    """Makes the array of one panel and the loops that fill it, and uses it."""

    nest: Nest
    panel: Panel
    alignment: int

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
        innermost = nest.loops[-1]
        assert isinstance(innermost, affine.ForOp)
        fetched = fetch_rows_ahead(innermost, loads, rows, nest.ranges[dropped[0]], tiles)
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
        allocation = memref.AllocOp.get(element, self.alignment, [self.panel.elements])
        home.insert_op_before(allocation, self.nest.loops[0])
        home.insert_op_after(memref.DeallocOp.get(allocation.memref), self.nest.loops[0])
        loads = [op for op in self.nest.slice_of(panel.values[0]) if is_load(op)]
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
        is_shared = any(isinstance(loop, affine.ParallelOp) for loop in nest.loops[panel.depth :])
        needed = {op for value in panel.values for op in nest.slice_of(value)}
        ordered = [op for op in nest.loops[0].walk() if op in needed]
        below = [self._level(op) for op in ordered]
        self._clone(
            [op for op, level in zip(ordered, below, strict=True) if level is None],
            mapping,
            builder,
        )
        for level, range in zip(panel.levels, panel.ranges, strict=True):
            body = Block(arg_types=[IndexType()])
            body.args[0].name_hint = range.counter.name_hint
            lower, upper = (
                tuple(substituted(each, _as_expressions(mapping)) for each in bound)
                for bound in (range.lower, range.upper)
            )
            # Each iteration fills a part of the array of its own.
            make = parallel_loop if is_shared and level == panel.levels[0] else sequential_loop
            loop = make(lower, upper, range.step or 1, body)
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
        return builder.insert(load_at(array, (offset,), self.panel.type)).results[0]

    def _store(
        self, array: SSAValue, value: SSAValue, offset: IndexExpression, builder: Builder
    ) -> None:
        builder.insert(store_at(value, array, (offset,)))


def _as_expressions(mapping: dict[SSAValue, SSAValue]) -> dict[SSAValue, IndexExpression]:
    return {
        old: IndexExpression.of(new)
        for old, new in mapping.items()
        if isinstance(old.type, IndexType)
    }
