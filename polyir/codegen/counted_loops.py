"""Loops over tiles, which isl generates as loops over the numbers of tiles.

isl takes half the time for `floor(i / 32)` that it takes for `32 floor(i / 32)`. So it generates
loops over tile numbers c, and in its AST they become loops over the first points t = 32 c again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import gcd, lcm

import islpy as isl

from polyir.codegen.ast import (
    AstBlock,
    AstExpression,
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstMark,
    AstName,
    AstNode,
    AstNumber,
    AstOperation,
    Operator,
)
from polyir.codegen.simpler_loops import divided_members
from polyir.codegen.thread_strides import strided_members
from polyir.model.tree_loops import (
    isolates_iterations,
    iterates_over_tiles,
    member_functions,
    member_steps,
)
from polyir.sets.lists import sets_of
from polyir.sets.values import isl_value
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_bottom_up


@dataclass(frozen=True)
class Count:
    """What a loop counts: the values `offset` + 0, `offset` + `step`, ... become 0, 1, ...

    The offset has parameters only; without one, it is 0.
    """

    step: int
    offset: AstExpression | None = None

    def value(self, multiple: AstExpression) -> AstExpression:
        """The value whose distance from the offset is a multiple of the step."""
        if self.offset is None:
            return multiple
        return AstOperation(Operator.ADD, (multiple, self.offset))

    def distance(self, value: AstExpression) -> AstExpression:
        """How far a value is from the offset."""
        if self.offset is None:
            return value
        return AstOperation(Operator.SUB, (value, self.offset))


@dataclass(frozen=True)
class CountedBelow:
    """The object of a mark above a band that counts: what its loops count, from a depth on.

    `None` stands for loops that do not count.
    """

    depth: int
    counts: tuple[Count | None, ...]


def with_counting_loops(schedule: Schedule, isolated: bool = False) -> Schedule:
    """`schedule` with 0, 1, 2, ... for the values 0, s, 2s, ... of members that have tiles.

        band [32 floor(i / 32)]    =>    mark CountedBelow(0, [Count(32)])
                                           band [floor(i / 32)]

    Trees with nodes or AST options that name values of loops are returned unchanged; if `isolated`,
    options that isolate iterations name their numbers instead.
    """
    is_needed = isolated and _isolates(schedule)
    options = [*_counted_options(schedule.root, ())] if is_needed else []
    # isl changes no band that options below it name.
    plain = mapped_bottom_up(schedule, _without_options) if options else schedule
    if plain.root.is_subtree_anchored:
        return schedule
    counting = mapped_bottom_up(plain, _counting_band)
    if not options:
        return counting
    return mapped_bottom_up(counting, partial(_with_next_options, options=iter(options)))


def _counting_band(node: ScheduleNode) -> ScheduleNode:
    if node.kind is not Kind.BAND:
        return node
    steps = _steps(node)
    if all(step == 1 for step in steps):
        return node
    counts = tuple(Count(step) if step > 1 else None for step in steps)
    below = CountedBelow(node.schedule_depth, counts)
    return divided_members(node, steps).insert_mark(below)


def _steps(band: ScheduleNode) -> tuple[int, ...]:
    """By what each member is divided: its step if it has tiles."""
    kept = strided_members(band)
    over_tiles = tuple(
        member not in kept and any(map(iterates_over_tiles, member_functions(band, member)))
        for member in range(len(band.members))
    )
    if not any(over_tiles):
        return (1,) * len(over_tiles)
    pairs = zip(member_steps(band), over_tiles, strict=True)
    return tuple(step if is_tile else 1 for step, is_tile in pairs)


def _isolates(schedule: Schedule) -> bool:
    """Whether an AST option of the tree isolates iterations."""
    return not schedule.root.every(
        lambda node: node.kind is not Kind.BAND or not isolates_iterations(node)
    )


def _counted_options(node: ScheduleNode, outer: tuple[int, ...]) -> Iterator[isl.UnionSet]:
    """The AST options of each band of the tree that counts, children first.

    The members around `node` are divided by `outer`.
    """
    if node.kind is not Kind.BAND:
        for child in node.children():
            yield from _counted_options(child, outer)
        return
    steps = (*outer, *_steps(node))
    yield from _counted_options(node.child(0), steps)
    options = node.options
    counted = isl.UnionSet.empty(options.get_space())
    for option in sets_of(options):
        is_isolation = option.get_tuple_name() == "isolate"
        each = _of_numbers(option, steps) if is_isolation else option
        counted = counted.union(isl.UnionSet.from_set(each))
    yield counted


def _of_numbers(option: isl.Set, steps: Sequence[int]) -> isl.Set:
    """`isolate[[outer loops] -> [members]]` in terms of the numbers of their values."""
    iterations = option.unwrap()
    if iterations.has_tuple_name(isl.dim_type.out):
        # The loop type of the iterations that are isolated: `isolate[[] -> atomic[member]]`.
        return option
    space = iterations.get_space()
    count = iterations.dim(isl.dim_type.in_)
    outer = _multiples(space.domain(), steps[:count])
    members = _multiples(space.range(), steps[count:])
    counted = iterations.preimage_domain_multi_aff(outer).preimage_range_multi_aff(members)
    return counted.wrap().set_tuple_name("isolate")


def _multiples(space: isl.Space, steps: Sequence[int]) -> isl.MultiAff:
    """The values that so many steps lead to: `{ [c, d] -> [32 c, 8 d] }`."""
    factors = isl.MultiVal.zero(space)
    for position, step in enumerate(steps):
        factors = factors.set_val(position, isl_value(step))
    return isl.MultiAff.identity(space.map_from_set()).scale_multi_val(factors)


def _without_options(node: ScheduleNode) -> ScheduleNode:
    if node.kind is not Kind.BAND:
        return node
    none = isl.UnionSet.empty(node.options.get_space())
    return node.changed(options=none)


def _with_next_options(node: ScheduleNode, options: Iterator[isl.UnionSet]) -> ScheduleNode:
    if node.kind is not Kind.BAND:
        return node
    return node.changed(options=next(options))


def with_steps(root: AstNode, iterators: Sequence[str]) -> AstNode:
    """The AST of a tree `with_counting_loops`, with loops of the steps that its marks say.

        for c = 0; c <= (n - 1) floordiv 32         for t = 0; t <= n - 1; t += 32
          for i = 32 c; i <= 32 c + 31         =>     for i = t; i <= t + 31

    `iterators` are the names of the iterators by schedule depth; t gets the name of c.
    """
    return _Steps(iterators).of_node(root, {}, {})


_Counts = Mapping[str, Count]


class _Steps:
    """Changes the loops of an AST.

    `counts` are those of loops below a node, `counters` those of loops around it, both by iterator.
    In the result, an iterator in `counters` has the values that were counted.
    """

    def __init__(self, iterators: Sequence[str]) -> None:
        self._iterators = iterators

    def of_node(self, node: AstNode, counts: _Counts, counters: _Counts) -> AstNode:
        match node:
            case AstMark(item=CountedBelow(depth, band_counts)):
                along = zip(self._iterators[depth:], band_counts, strict=False)
                here = {iterator: count for iterator, count in along if count is not None}
                return self.of_node(node.body, {**counts, **here}, counters)
            case AstMark():
                return replace(node, body=self.of_node(node.body, counts, counters))
            case AstFor():
                return self._of_loop(node, counts, counters)
            case AstLet():
                value = _times(1, node.value, counters)
                return AstLet(node.iterator, value, self.of_node(node.body, counts, counters))
            case AstIf():
                otherwise = node.otherwise
                return AstIf(
                    _times(1, node.condition, counters),
                    self.of_node(node.then, counts, counters),
                    None if otherwise is None else self.of_node(otherwise, counts, counters),
                )
            case AstBlock():
                children = (self.of_node(child, counts, counters) for child in node.children)
                return AstBlock(tuple(children))
            case AstInstance():
                local = tuple(
                    replace(
                        each,
                        subscripts=tuple(
                            n if isinstance(n, int) else _times(1, n, counters)
                            for n in each.subscripts
                        ),
                    )
                    for each in node.local
                )
                return replace(node, arguments=_all_times(1, node.arguments, counters), local=local)

    def _of_loop(self, loop: AstFor, counts: _Counts, counters: _Counts) -> AstFor:
        count = counts.get(loop.iterator)
        if count is None:
            first, bound = _all_times(1, (loop.first, loop.bound), counters)
            body = self.of_node(loop.body, counts, counters)
            return replace(loop, first=first, bound=bound, body=body)
        step = count.step
        first = count.value(_times(step, loop.first, counters))
        bound = count.value(_last(step, loop.bound, loop.inclusive, counters))
        body = self.of_node(loop.body, counts, {**counters, loop.iterator: count})
        return AstFor(loop.iterator, first, bound, True, step * loop.step, body)


def _last(step: int, bound: AstExpression, inclusive: bool, counters: _Counts) -> AstExpression:
    """An inclusive bound on multiples of `step`, from that on their quotients by it.

    Without rounding, if possible: a multiple of 32 is at most 32 floor(x / 32) if it is at most x.
    """
    match bound:
        case AstOperation(Operator.MIN | Operator.MAX as operator, arguments):
            bounds = (_last(step, each, inclusive, counters) for each in arguments)
            return AstOperation(operator, tuple(bounds))
        case AstOperation(Operator.SELECT, (condition, *values)):
            bounds = (_last(step, each, inclusive, counters) for each in values)
            return AstOperation(Operator.SELECT, (_times(1, condition, counters), *bounds))
        case _:
            if not inclusive:
                bound = AstOperation(Operator.SUB, (bound, AstNumber(1)))
            last = _quotient_times(step, bound, counters)
            if last is not None:
                return last
            # All up to the next multiple, so that a tile ends where the next one begins.
            before_next = AstNumber(step - 1)
            return AstOperation(Operator.ADD, (_times(step, bound, counters), before_next))


def _quotient_times(step: int, bound: AstExpression, counters: _Counts) -> AstExpression | None:
    """The sum `step * bound`, but with floor(s x / d) for one of its terms s floor(x / d).

    s floor(x / d) <= floor(s x / d) < s floor(x / d) + s, so multiples of s compare the same.
    """
    match bound:
        case AstOperation(Operator.FLOORDIV, (dividend, AstNumber(divisor))):
            common = gcd(step, divisor)
            larger = _product(step // common, dividend)
            if divisor == common:
                return _times(1, larger, counters)
            quotient = AstOperation(Operator.FLOORDIV, (larger, AstNumber(divisor // common)))
            return _times(1, quotient, counters)
        case AstOperation(Operator.ADD | Operator.SUB as operator, (left, right)):
            first = _quotient_times(step, left, counters)
            if first is not None:
                return AstOperation(operator, (first, _times(step, right, counters)))
            second = None if operator is Operator.SUB else _quotient_times(step, right, counters)
            if second is not None:
                return AstOperation(operator, (_times(step, left, counters), second))
    return None


def _all_times(
    factor: int, expressions: Sequence[AstExpression], counters: _Counts
) -> tuple[AstExpression, ...]:
    return tuple(_times(factor, each, counters) for each in expressions)


def _times(factor: int, expression: AstExpression, counters: _Counts) -> AstExpression:
    """`factor * expression`, with (t - o) / s for each counter c of step s from o on."""
    match expression:
        case AstNumber(value):
            return AstNumber(factor * value)
        case AstName(name):
            count = counters.get(name, Count(1))
            common, distance = gcd(factor, count.step), count.distance(expression)
            if count.step == common:
                return _product(factor // common, distance)
            quotient = AstOperation(Operator.FLOORDIV, (distance, AstNumber(count.step // common)))
            return _product(factor // common, quotient)
        case AstOperation(Operator.MUL, (AstNumber(value), other) | (other, AstNumber(value))):
            return _times(factor * value, other, counters)
        case AstOperation(Operator.ADD | Operator.SUB | Operator.MINUS as operator, arguments):
            return AstOperation(operator, _all_times(factor, arguments, counters))
        case AstOperation(Operator.MIN | Operator.MAX as operator, arguments) if factor > 0:
            return AstOperation(operator, _all_times(factor, arguments, counters))
        case AstOperation(Operator.SELECT, (condition, *values)):
            chosen = _all_times(factor, values, counters)
            return AstOperation(Operator.SELECT, (_times(1, condition, counters), *chosen))
        case AstOperation(Operator.FLOORDIV, (dividend, AstNumber(divisor))):
            more = _multiplier(dividend, counters)
            terms = _times(more, dividend, counters), AstNumber(more * divisor)
            return _product(factor, AstOperation(Operator.FLOORDIV, terms))
        case AstOperation(operator, arguments) if operator in _COMPARISONS:
            more = lcm(*(_multiplier(each, counters) for each in arguments))
            return AstOperation(operator, _all_times(more, arguments, counters))
        case AstOperation(operator, arguments):
            operands = _all_times(1, arguments, counters)
            return _product(factor, AstOperation(operator, operands))


def _multiplier(expression: AstExpression, counters: _Counts) -> int:
    """The least positive m for which `m * expression` does not divide a counter's iterator."""
    match expression:
        case AstName(name):
            return counters[name].step if name in counters else 1
        case AstOperation(Operator.MUL, (AstNumber(value), other) | (other, AstNumber(value))):
            inner = _multiplier(other, counters)
            return inner // gcd(inner, value)
        case AstOperation(
            Operator.ADD | Operator.SUB | Operator.MINUS | Operator.MIN | Operator.MAX, arguments
        ):
            return lcm(*(_multiplier(each, counters) for each in arguments))
        case _:
            return 1


_COMPARISONS = (Operator.EQ, Operator.LE, Operator.LT, Operator.GE, Operator.GT)


def _product(factor: int, expression: AstExpression) -> AstExpression:
    if factor == 1:
        return expression
    return AstOperation(Operator.MUL, (AstNumber(factor), expression))
