"""Blocks of which some iterations do not run: which lanes each vector has.

    for i = ti to min(ti + 2, n):            the block i = ti, ti + 1; j = tj .. tj + 4, where
      for j = tj to min(tj + 4, m, i):   =>    the row of i has min(m - tj, i - tj) lanes, and none
        C[i][j] = A[i] * B[j]                  from row n on

Rows that do not run compute what the last row does, and store nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, arith, vector
from xdsl.dialects.builtin import AffineMapAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from polyir.dialects.loop_attributes import ClampedAttr
from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import computed, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.vector_copies import (
    CopiedCounter,
    Key,
    factor_of,
    substituted,
    vector_of,
)
from polyir.model.index_expressions import Constraint, IndexExpression, compose, map_of

Bounds = tuple[IndexExpression, ...]


@dataclass(frozen=True)
class PartialBlock:
    """A block of which some iterations may not run.

    The counters are those of the rows, and that of the vectors at last; each has the range of its
    loop, of which the expressions that only say where the block is are left out.
    """

    counters: tuple[CopiedCounter, ...]
    ranges: tuple[LoopRange, ...]

    def depends_on(self, value: SSAValue) -> bool:
        """Whether it depends on `value` which iterations run, or where the block is."""
        bounds = [each for range in self.ranges for each in (*range.lower, *range.upper)]
        bounds += [each.first for each in self.counters]
        return any(value in each.values() for each in bounds)


@dataclass
class PartialLanes:
    """The lanes of a partial block, as an expansion needs them.

    `builder` is where masks and indices are computed, all before they are used.
    """

    block: PartialBlock
    width: int
    builder: Builder
    _values: dict[tuple[str, Bounds], SSAValue] = field(default_factory=dict)
    _masks: dict[tuple[Bounds, Bounds], SSAValue] = field(default_factory=dict)

    def mask(self, places: frozenset[int], key: Key) -> SSAValue | None:
        """The lanes in which an access runs that depends on the counters at `places`.

        Of rows that it does not depend on, some runs. `None` if all lanes run.
        """
        numbers = dict(zip(sorted(places), key, strict=True))
        counters = self.block.counters
        last = len(counters) - 1
        start = counters[last].at(numbers[last])
        upper = [each - start for each in self._uppers(last, numbers)]
        for place in sorted(places - {last}):
            counter, size = counters[place], counters[last].count * self.width
            value = counter.at(numbers[place])
            upper += [(each - value).scale(size) for each in self._uppers(place, numbers)]
        lower = [each - start for each in self._lowers(last, numbers)]
        return self._mask(tuple(lower), tuple(upper)) if lower or upper else None

    def counter(self, place: int, number: int, lane: int) -> IndexExpression:
        """The value of a counter in a copy, or in the last copy that runs if that does not."""
        value = self.block.counters[place].at(number).shift(lane)
        upper = [each.shift(-1) for each in self._uppers(place, {})]
        if not upper or (number == 0 and lane == 0):
            return value
        last = self._extreme("last", (value, *upper))
        if isinstance(last.owner, affine.MinOp):
            last.owner.attributes[ClampedAttr.name] = ClampedAttr()
        return IndexExpression.of(last)

    def _mask(self, lower: Bounds, upper: Bounds) -> SSAValue:
        if (lower, upper) not in self._masks:
            type = vector_of(i1, self.width)
            # Without a bound, all lanes run.
            count = self._extreme("lanes", upper or (IndexExpression((), self.width),))
            mask = self.builder.insert(vector.CreateMaskOp([count], type)).results[0]
            mask.name_hint = "mask"
            if lower:
                # What runs up to the end, but for what runs up to the start.
                before = self._extreme("before", tuple(each.scale(-1) for each in lower))
                zero = computed(IndexExpression(), False, self.builder)
                before = self.builder.insert(arith.SubiOp(zero, before)).result
                shorter = self.builder.insert(arith.MinSIOp(before, count)).result
                less = self.builder.insert(vector.CreateMaskOp([shorter], type)).results[0]
                mask = self.builder.insert(arith.XOrIOp(mask, less)).result
            self._masks[lower, upper] = mask
        return self._masks[lower, upper]

    def _extreme(self, hint: str, bounds: Bounds) -> SSAValue:
        """The least of some values."""
        if (hint, bounds) not in self._values:
            if len(bounds) == 1:
                value = computed(bounds[0], True, self.builder)
            else:
                map, operands = map_of(bounds)
                value = self.builder.insert(affine.MinOp(operands, AffineMapAttr(map))).result
            value.name_hint = value.name_hint or hint
            self._values[hint, bounds] = value
        return self._values[hint, bounds]

    def _uppers(self, place: int, numbers: dict[int, int]) -> list[IndexExpression]:
        """Where the counter at `place` ends, in some copies of the others: the least of these."""
        bounds = self.block.ranges[place].upper
        return [each for bound in bounds for each in self._at(bound, place, numbers, 1)]

    def _lowers(self, place: int, numbers: dict[int, int]) -> list[IndexExpression]:
        bounds = self.block.ranges[place].lower
        return [each for bound in bounds for each in self._at(bound, place, numbers, -1)]

    def _at(
        self, bound: IndexExpression, place: int, numbers: dict[int, int], sign: int
    ) -> list[IndexExpression]:
        """A bound of a counter in some copies of the others; of those that are free, the farthest.

        Rows are free that are not in `numbers`; of all rows, the first one or the last one has the
        farthest bound, in the direction of `sign`.
        """
        found = [bound]
        for other in reversed(range(place)):
            counter = self.block.counters[other]
            values = [counter.at(numbers[other])] if other in numbers else []
            if not values and any(counter.value in each.values() for each in found):
                factors = [factor_of(each, counter.value) or 0 for each in found]
                is_first = any(factor * sign < 0 for factor in factors)
                ends = (*self.block.ranges[other].upper, counter.at(counter.count))
                values = [counter.first] if is_first else [each.shift(-1) for each in ends]
            if values:
                found = [
                    substituted(each, {counter.value: value}) for each in found for value in values
                ]
        return list(dict.fromkeys(found))


# --------------------------------------------------------------------- what was made, read again


def lane_bounds(op: Operation) -> list[tuple[bool, Bounds]] | None:
    """Which lanes a masked load loads, or which indices a clamped one may be; else `None`."""
    if isinstance(op, vector.MaskedLoadOp):
        return mask_bounds(op.mask)
    if ClampedAttr.name in op.attributes:
        terms = minimum_of(op.results[0])
        return None if terms is None else [(True, tuple(each.shift(1) for each in terms))]
    return None


def mask_bounds(mask: SSAValue) -> list[tuple[bool, Bounds]] | None:
    """What a mask consists of: the minima that say where its lanes end, and those for the start.

    With the second kind, lanes start at the negative of the minimum. `None` for other masks.
    """
    match mask.owner:
        case vector.CreateMaskOp():
            terms = minimum_of(mask.owner.operands[0])
            return None if terms is None else [(True, terms)]
        case arith.XOrIOp(lhs=whole, rhs=less):
            first = mask_bounds(whole)
            if first is None or not isinstance(less.owner, vector.CreateMaskOp):
                return None
            match less.owner.operands[0].owner:
                case arith.MinSIOp(lhs=start) if isinstance(start.owner, arith.SubiOp):
                    terms = minimum_of(start.owner.rhs)
                    return None if terms is None else [*first, (False, terms)]
                case _:
                    return None
        case _:
            return None


def minimum_of(value: SSAValue) -> Bounds | None:
    """The expressions whose minimum a value is."""
    owner = value.owner
    if isinstance(owner, affine.MinOp):
        return compose(owner.map.data, [IndexExpression.of(each) for each in owner.operands])
    if isinstance(owner, affine.ApplyOp):
        return compose(owner.map.data, [IndexExpression.of(each) for each in owner.operands])
    if isinstance(owner, arith.ConstantOp | Block):
        return (IndexExpression.of(value),)
    return None


# ------------------------------------------------------------------------------------ any block


def partial_block(
    loops: Sequence[affine.ForOp], sizes: Sequence[int], width: int, spaces: IterationSpaces
) -> PartialBlock | None:
    """The block that some loops, each right inside the other, are a part of.

    `sizes` are the most iterations of the outer loops. `None` if the block has no constant size, or
    if some of the loops may have no iteration.
    """
    counters: list[CopiedCounter] = []
    ranges: list[LoopRange] = []
    found = [range_of(loop) for loop in loops]
    whole = [each for each in found if each is not None and each.step == 1]
    if len(whole) < len(loops) or any(loop.results for loop in loops):
        return None
    inside = [each.counter for each in whole]
    known = _contexts(loops, spaces)
    for place in reversed(range(len(loops))):
        ends = _ends_without_empty(whole[place], inside[:place], known[place], spaces)
        if ends is None:
            return None
        if ends:
            whole[place - 1] = replace(whole[place - 1], upper=(*whole[place - 1].upper, *ends))
    for place, own in enumerate(whole):
        is_vector = place == len(loops) - 1
        limits = [4 * width, *(n * width for n in (3, 2, 1))] if is_vector else [sizes[place]]
        start = _first_and_size(own, inside, limits, known[place], spaces)
        if start is None:
            return None
        first, size = start
        unit = width if is_vector else 1
        counters.append(CopiedCounter(own.counter, first, -(-size // unit), unit))
        end = first.shift(counters[-1].count * unit)
        ranges.append(_without(own, first, end))
    if any(range.lower for range in ranges[:-1]) or not _is_one_interval(counters, ranges):
        return None
    return PartialBlock(tuple(counters), tuple(ranges))


def _contexts(loops: Sequence[affine.ForOp], spaces: IterationSpaces) -> list[isl.Set]:
    """The possible index values at each of some loops, of which each is right inside the last."""
    known = [spaces.context(loops[0])]
    for loop in loops[:-1]:
        ((_, inside),) = spaces.inside(loop, known[-1])
        known.append(inside)
    return known


def _ends_without_empty(
    range: LoopRange, rows: Sequence[SSAValue], known: isl.Set, spaces: IterationSpaces
) -> list[IndexExpression] | None:
    """Where the loop right around another one must end, so that this always has an iteration.

    `None` if no end of it is enough.
    """
    ends: list[IndexExpression] = []
    for low in range.lower:
        for high in range.upper:
            if known.is_subset(spaces.holds(Constraint((high - low).shift(-1), False))):
                continue
            if not rows or factor_of(high - low, rows[-1]) != -1:
                return None
            ends.append(high - low + IndexExpression.of(rows[-1]))
    return ends


def _first_and_size(
    range: LoopRange,
    inside: Sequence[SSAValue],
    limits: Sequence[int],
    known: isl.Set,
    spaces: IterationSpaces,
) -> tuple[IndexExpression, int] | None:
    """Where a loop starts at the earliest, and how many iterations there are from there on."""
    outer = [each for each in range.lower if not any(v in inside for v in each.values())]
    best: tuple[IndexExpression, int] | None = None
    for low in outer:
        for high in range.upper:
            length = high - low
            is_shorter = best is None or length.constant < best[1]
            if length.is_constant and 1 <= length.constant <= max(limits) and is_shorter:
                best = low, length.constant
    if best is not None:
        return best
    for low in outer:
        for limit in limits:
            for high in range.upper:
                fits = Constraint(low.shift(limit) - high, False)
                if known.is_subset(spaces.holds(fits)):
                    best = low, limit
        if best is not None:
            return best
    return None


def _without(range: LoopRange, first: IndexExpression, end: IndexExpression) -> LoopRange:
    """A range without the bounds that say where the block is."""
    lower = tuple(each for each in range.lower if each != first)
    upper = tuple(each for each in range.upper if each != end)
    return LoopRange(range.counter, lower, upper, range.step)


def _is_one_interval(counters: Sequence[CopiedCounter], ranges: Sequence[LoopRange]) -> bool:
    """Whether the iterations of a loop for all copies of another are known from two of these.

    They are if only one end depends on the other loop, and moves in one direction.
    """
    for place, range in enumerate(ranges):
        for row in counters[:place]:
            ends = [_signs(bounds, row.value) for bounds in (range.lower, range.upper)]
            if all(ends) or any(len(signs) > 1 for signs in ends):
                return False
    return True


def _signs(bounds: Iterable[IndexExpression], counter: SSAValue) -> set[bool]:
    """The directions in which bounds move with a counter; both where it is not known."""
    factors = [factor_of(each, counter) for each in bounds]
    return {each for factor in factors if factor != 0 for each in _directions(factor)}


def _directions(factor: int | None) -> tuple[bool, ...]:
    return (True, False) if factor is None else (factor > 0,)
