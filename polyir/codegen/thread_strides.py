"""Loops of one thread, made of loops that run everything a block runs.

Which values a loop around those of a thread has is hard to say exactly: isl must find out whether
the thread has an iteration inside, and some of these loops have strides. So isl generates the loops
of a whole block, and in its AST, the loops that are mapped to threads get the step and the first
value of a thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

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
from polyir.tree import Kind, Schedule, ScheduleNode


@dataclass(frozen=True)
class Stride:
    """What a thread runs of a loop: the values c with (c - `origin`) mod `step` = `thread`.

    Without an origin, it is 0. `functions` are the coefficients of the iterators in c, and a
    constant, for statements where c is such a sum.
    """

    thread: str
    step: int
    origin: AstExpression | None
    functions: Mapping[str, tuple[tuple[int, ...], int]]

    def value_for(self, instance: AstInstance) -> AstExpression:
        """The value of the loop for an instance; raises `NoStrideError`."""
        if instance.statement not in self.functions:
            raise NoStrideError
        coefficients, constant = self.functions[instance.statement]
        value: AstExpression = AstNumber(constant)
        for coefficient, argument in zip(coefficients, instance.arguments, strict=True):
            if coefficient:
                term = AstOperation(Operator.MUL, (AstNumber(coefficient), argument))
                value = AstOperation(Operator.ADD, (value, term))
        return value

    def distance(self, value: AstExpression) -> AstExpression:
        """How far the next value of the thread is from `value`, which may be that."""
        if value == self.origin or (self.origin is None and _is_multiple(value, self.step)):
            return AstName(self.thread)
        wanted: AstExpression = AstName(self.thread)
        if self.origin is not None:
            wanted = AstOperation(Operator.ADD, (self.origin, wanted))
        if value != AstNumber(0):
            wanted = AstOperation(Operator.SUB, (wanted, value))
        return AstOperation(Operator.MOD, (wanted, AstNumber(self.step)))

    def is_own(self, value: AstExpression) -> AstExpression:
        """The condition that the thread runs `value`."""
        return AstOperation(Operator.EQ, (self.distance(value), AstNumber(0)))


@dataclass(frozen=True)
class StridesBelow:
    """The object of a mark above a band: the strides of its loops from a depth on, by axis."""

    depth: int
    strides: tuple[tuple[int, Stride] | None, ...]


def strided_members(band: ScheduleNode) -> frozenset[int]:
    """The members of a band with strides in a mark above: their values tell the thread."""
    node = band
    while node.has_parent and node.parent().kind is Kind.MARK:
        node = node.parent()
        match node.attribute:
            case StridesBelow(strides=strides):
                return frozenset(n for n, stride in enumerate(strides) if stride is not None)
    return frozenset()


@dataclass(frozen=True)
class BlockTree:
    """The tree of what a block runs, with marks `StridesBelow`.

    `threads` are the parameters with the numbers of the thread, by axis, for axes with several
    threads; `shared` are the statements that all threads run.
    """

    schedule: Schedule
    threads: Mapping[int, str]
    shared: frozenset[str]


class NoStrideError(Exception):
    """A loop that is mapped to threads is not in the AST, and its value is not known."""


def linear_functions(function: isl.UnionPwAff) -> dict[str, tuple[tuple[int, ...], int]]:
    """The coefficients of the iterators and the constant, where a function is such a sum."""
    found: dict[str, tuple[tuple[int, ...], int]] = {}
    pieces = function.get_pw_aff_list()
    for position in range(pieces.n_pw_aff()):
        each = pieces.get_at(position)
        parts = [part for _, part in each.get_pieces()]
        kinds = (isl.dim_type.param, isl.dim_type.div)
        if len(parts) == 1 and not any(
            parts[0].involves_dims(kind, 0, parts[0].dim(kind)) for kind in kinds
        ):
            iterators = range(parts[0].dim(isl.dim_type.in_))
            values = [parts[0].get_coefficient_val(isl.dim_type.in_, each) for each in iterators]
            values.append(parts[0].get_constant_val())
            if all(value.is_int() for value in values):
                *coefficients, constant = (value.to_python() for value in values)
                found[each.get_tuple_id(isl.dim_type.in_).get_name()] = (
                    tuple(coefficients),
                    constant,
                )
    return found


def of_one_thread(root: AstNode, block: BlockTree, iterators: Sequence[str]) -> AstNode:
    """The AST of what one thread runs, from that of a block; raises `NoStrideError`.

        for i = first; i <= last         for i = first + (tx - first) mod 32; i <= last; i += 32
          S(i)                      =>     S(i)

    What is in no loop that is mapped to an axis, the first thread along the axis runs.
    """
    return _Strides(block, iterators).of_node(root, {}, frozenset())


class _Strides:
    """Changes the loops of an AST.

    `strides` are those of loops whose marks are around a node, but that are not around it
    themselves, `axes` those of loops with marks around a node.
    """

    def __init__(self, block: BlockTree, iterators: Sequence[str]) -> None:
        self._block = block
        self._iterators = iterators

    def of_node(
        self, node: AstNode, strides: Mapping[str, Stride], axes: frozenset[int]
    ) -> AstNode:
        match node:
            case AstMark(item=StridesBelow(depth, below)):
                here = zip(self._iterators[depth:], below, strict=False)
                own = {iterator: each[1] for iterator, each in here if each is not None}
                along = frozenset(each[0] for each in below if each is not None)
                return self.of_node(node.body, {**strides, **own}, axes | along)
            case AstMark():
                return replace(node, body=self.of_node(node.body, strides, axes))
            case AstFor() | AstLet():
                return self._of_loop(node, strides, axes)
            case AstIf():
                otherwise = node.otherwise
                return AstIf(
                    node.condition,
                    self.of_node(node.then, strides, axes),
                    None if otherwise is None else self.of_node(otherwise, strides, axes),
                )
            case AstBlock():
                return AstBlock(tuple(self.of_node(each, strides, axes) for each in node.children))
            case AstInstance():
                return self._of_instance(node, strides, axes)

    def _of_loop(
        self, loop: AstFor | AstLet, strides: Mapping[str, Stride], axes: frozenset[int]
    ) -> AstNode:
        stride = strides.get(loop.iterator)
        left = {name: each for name, each in strides.items() if name != loop.iterator}
        body = self.of_node(loop.body, left, axes)
        if stride is None:
            return replace(loop, body=body)
        if isinstance(loop, AstFor) and loop.step == 1:
            return _strided(loop, stride, body)
        return replace(loop, body=AstIf(stride.is_own(AstName(loop.iterator)), body, None))

    def _of_instance(
        self, node: AstInstance, strides: Mapping[str, Stride], axes: frozenset[int]
    ) -> AstNode:
        result: AstNode = node
        for stride in strides.values():
            # isl omits loops that run once.
            result = AstIf(stride.is_own(stride.value_for(node)), result, None)
        for axis, thread in self._block.threads.items():
            if axis not in axes and node.statement not in self._block.shared:
                first = AstOperation(Operator.EQ, (AstName(thread), AstNumber(0)))
                result = AstIf(first, result, None)
        return result


def _strided(loop: AstFor, stride: Stride, body: AstNode) -> AstNode:
    """What a thread runs of a loop with step 1; without a loop if that is one iteration at most."""
    first = AstOperation(Operator.ADD, (loop.first, stride.distance(loop.first)))
    bounds = _minima(loop.bound)
    reaches = [_distance(loop.first, bound) for bound in bounds]
    extents = [reach + loop.inclusive for reach in reaches if reach is not None]
    if not extents or min(extents) > stride.step:
        return replace(loop, first=first, step=stride.step, body=body)
    once = AstLet(loop.iterator, first, body)
    operator = Operator.LE if loop.inclusive else Operator.LT
    conditions = [
        AstOperation(operator, (first, bound))
        for bound, reach in zip(bounds, reaches, strict=True)
        # The first value of a thread is less than a step from that of the loop.
        if reach is None or reach + loop.inclusive < stride.step
    ]
    if not conditions:
        return once
    both = reduce(lambda left, right: AstOperation(Operator.AND, (left, right)), conditions)
    return AstIf(both, once, None)


def _minima(bound: AstExpression) -> tuple[AstExpression, ...]:
    """The expressions of which `bound` is the least."""
    if isinstance(bound, AstOperation) and bound.operator is Operator.MIN:
        return tuple(part for argument in bound.arguments for part in _minima(argument))
    return (bound,)


def _distance(first: AstExpression, bound: AstExpression) -> int | None:
    """How far `bound` is from `first`, if that is a constant that is easily seen."""
    match first, bound:
        case AstNumber(low), AstNumber(high):
            return high - low
        case _, AstOperation(Operator.ADD, (left, AstNumber(number))) if left == first:
            return number
        case _:
            return None


def _is_multiple(value: AstExpression, step: int) -> bool:
    match value:
        case AstNumber(number):
            return number % step == 0
        case AstOperation(Operator.MUL, (AstNumber(factor), _) | (_, AstNumber(factor))):
            return factor % step == 0
        case _:
            return False
