"""Counted loops of C: the range of the counter as affine bounds and a positive step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pycparser import c_ast
from xdsl.dialects import affine, func
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.dialects.affine_extra import MaxOp
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.conditions import comparison, conjunction
from polyir.frontend.c.errors import NotModelledError, refuse
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.names import (
    LoopParts,
    Step,
    assigned_in,
    identifiers_in,
    key_of,
    name_set_by,
    step_of,
)
from polyir.frontend.c.types import Arithmetic, common_type
from polyir.frontend.c.values import Conversions, Value, difference
from polyir.frontend.c.variables import ElementInMemory, Local, NotTrackedError
from polyir.model.index_expressions import Constraint, IndexExpression, compose
from polyir.model.memory_accesses import accesses_in, accesses_of

_CEIL: Final = AffineBinaryOpKind.CeilDiv
_FLOOR: Final = AffineBinaryOpKind.FloorDiv

_SMALL_STEP: Final = 1 << 16
"""A limit of an `unsigned` counter is assumed to be further than a smaller step from 2**32."""


@dataclass(frozen=True)
class Header:
    """What a counting `for` does to its counter: its name, its condition and its step.

    In `for (i = n; i-- > 0;)`, the condition is `i > 0`, with `after_test` -1: what the test adds
    to the counter. `before_test` is what it adds before it reads it, in `--i >= 0`.
    """

    node: c_ast.For
    name: str
    start: c_ast.Node
    condition: c_ast.Node
    step: int
    after_test: int = 0
    before_test: int = 0


@dataclass(frozen=True)
class CounterRange:
    """The counter takes the values `start`, `start + step`, ... while it is within all `limits`.

    The limits are the least values that are too large, or for a negative step the greatest ones
    that are too small.
    """

    start: IndexExpression
    step: int
    limits: tuple[IndexExpression, ...]

    def is_affine(self, builder: Builder) -> bool:
        """Whether start and limits are affine; if not, they come out of memory."""
        return all(builder.is_affine(each) for each in (self.start, *self.limits))


@dataclass(frozen=True)
class Counter:
    """A variable with the value `start + step * iteration` in a loop.

    `kept` is where its last value is stored, `variable` the tracked variable that has it after the
    loop. With `is_stepped_inside`, that is changed by the iterations, not by the loop's header.
    """

    name: str
    type: Arithmetic
    start: IndexExpression
    step: IndexExpression
    kept: ElementInMemory | None = None
    variable: Local | None = None
    is_stepped_inside: bool = False

    @property
    def is_needed_after(self) -> bool:
        """Whether its value after the loop is to be computed."""
        return self.kept is not None or self.variable is not None


@dataclass(frozen=True)
class CountingLoop:
    """A loop with its counters and what each iteration executes: the counter that the condition
    bounds, and others."""

    header: Header
    main: Counter
    others: tuple[Counter, ...]
    statements: tuple[c_ast.Node, ...]

    @property
    def counters(self) -> tuple[Counter, ...]:
        """All counters."""
        return (self.main, *self.others)

    def with_others(self, counters: Sequence[Counter]) -> CountingLoop:
        """The loop with further counters."""
        return replace(self, others=(*self.others, *counters))

    def check_steps(
        self,
        first: Mapping[Local, Value | None],
        last: Mapping[Local, Value | None],
        is_affine: bool,
    ) -> None:
        """Check that an iteration changes tracked variables as their counters say.

        `first` and `last` are the values before and after it. Raises `NotTrackedError`.
        """
        for counter in self.others:
            if counter.variable is None or not counter.is_stepped_inside:
                continue
            start, end = (values[counter.variable] for values in (first, last))
            change = None if start is None or end is None else difference(end, start)
            if not is_affine or change is None or change - counter.step != IndexExpression():
                raise NotTrackedError(counter.name)


def header_of(node: c_ast.For, parts: LoopParts, expressions: Expressions) -> Header:
    """What a loop does to its counter; raises `NotModelledError` if it is not a counting loop.

    If it has several counters, this is the first one that the condition tests.
    """
    if not parts.first:
        raise refuse(node, "a loop that does not set its counter first", name="loop-form")
    if node.cond is None:
        raise refuse(node, "a loop without a condition", name="loop-form")
    tested = dict.fromkeys(identifiers_in(node.cond))
    starts = {name: start_of(item) for item in parts.first if (name := name_set_by(item))}
    names = [name for name in starts if name in tested]
    if not names:
        raise refuse(node, "a loop that does not set its counter first", name="loop-form")
    steps = {step.name: step for item in parts.last if (step := step_of(item)) is not None}
    counted = [name for name in names if name in parts.counted]
    # A loop over a counter that steps by 1 has simpler bounds.
    counted.sort(key=lambda name: name not in steps or steps[name].amount is not None)
    for name in counted:
        stepping = _stepping_test(node.cond, name)
        if stepping is not None:
            condition, size, before = stepping
            return Header(node, name, starts[name], condition, size, size, before)
    if not counted:
        raise _refusal(node, names[0])
    name = counted[0]
    return Header(node, name, starts[name], node.cond, _size(steps[name], expressions))


def start_of(item: c_ast.Node) -> c_ast.Node:
    """What an assignment or a declaration sets its variable to."""
    return item.init if isinstance(item, c_ast.Decl) else item.rvalue


def _refusal(node: c_ast.For, name: str) -> NotModelledError:
    """Why the variable that a condition tests is not a counter."""
    for target in assigned_in(node.stmt):
        if key_of(target) == (name,):
            return refuse(
                target, f"the counter '{name}' is changed inside its loop", name="loop-counter"
            )
    return refuse(node, f"a loop whose step does not add a constant to '{name}'", name="loop-form")


def _stepping_test(test: c_ast.Node, name: str) -> tuple[c_ast.Node, int, int] | None:
    """A condition that changes the counter: without the change, the change, and that before it."""
    match test:
        case c_ast.BinaryOp(left=c_ast.UnaryOp(op=operator, expr=c_ast.ID() as counter)):
            condition: c_ast.Node = c_ast.BinaryOp(test.op, counter, test.right, test.coord)
        case c_ast.UnaryOp(op=operator, expr=c_ast.ID() as counter):
            condition = c_ast.BinaryOp("!=", counter, c_ast.Constant("int", "0"), test.coord)
        case _:
            return None
    if counter.name != name or operator not in ("++", "--", "p++", "p--"):
        return None
    step = 1 if operator.endswith("++") else -1
    return condition, step, 0 if operator.startswith("p") else step


def _size(step: Step, expressions: Expressions) -> int:
    size = step.size(expressions.constant)
    if not size:
        raise refuse(step.amount, "a step that is not a nonzero constant", name="loop-form")
    return size


def counter_range(
    header: Header,
    counter: SSAValue,
    type: Arithmetic,
    start: IndexExpression,
    expressions: Expressions,
    builder: Builder,
    takes_data: bool,
) -> CounterRange:
    """The range of a loop whose counter stands for `counter` in its condition.

    With `takes_data`, start and limits may come out of memory.
    """
    if not (takes_data or builder.is_affine(start)):
        raise refuse(header.start, f"the start of '{header.name}' is not affine", name="not-affine")
    condition = header.condition
    operator = condition.op if isinstance(condition, c_ast.BinaryOp) else None
    if header.before_test and not type.is_signed:
        raise refuse(
            condition,
            "a condition that changes an unsigned counter before it is tested",
            name="loop-form",
        )
    if operator == "!=":
        return _range_to(header, counter, type, start, expressions, builder, takes_data)
    tests = conjunction(expressions.condition(condition))
    if tests is None and takes_data:
        tests = _data_test(header, counter, expressions)
    if tests is None:
        raise refuse(
            condition,
            f"the bound of the loop over '{header.name}' is not affine",
            name="not-affine",
        )
    limits: list[IndexExpression] = []
    for test in tests:
        coefficient = dict(test.expression.terms).get(counter, 0)
        rest = test.expression - IndexExpression.of(counter).scale(coefficient)
        is_bound = not test.is_equality and coefficient * header.step < 0
        is_divided = abs(coefficient) != 1 and not builder.is_affine(rest)
        if not is_bound or is_divided or counter in tuple(rest.values()):
            raise refuse(
                condition,
                f"a condition that does not bound the counter '{header.name}'",
                name="loop-form",
            )
        limits += _limits(rest, coefficient)
    if not _ends_before_wrapping(header.step, type, limits, expressions.conversions):
        raise refuse(
            condition, f"the counter '{header.name}', which may wrap around", name="wrap-around"
        )
    return CounterRange(start, header.step, tuple(limits))


def _ends_before_wrapping(
    step: int, type: Arithmetic, limits: Sequence[IndexExpression], conversions: Conversions
) -> bool:
    """Whether a counter reaches one of its limits before it wraps around.

    Steps by powers of two that pass the limit reach the same numbers again after wrapping around:
    such a loop does not end. A limit that is not a number is assumed not to be passed by small
    steps.
    """
    if type.width == 64 or abs(step).bit_count() == 1:
        return True
    is_known = any(limit.is_constant for limit in limits)
    if type.width == 32 and abs(step) < _SMALL_STEP and not is_known:
        return True
    # The limits are exclusive.
    beyond = step - 1 if step > 0 else step + 1
    return any(conversions.is_in_range(type, limit.shift(beyond)) for limit in limits)


def _data_test(
    header: Header, counter: SSAValue, expressions: Expressions
) -> tuple[Constraint, ...] | None:
    """The condition that compares the counter with data, which the loop must not change."""
    condition = header.condition
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "<=", ">", ">="):
        return None
    if all(header.name in identifiers_in(side) for side in (condition.left, condition.right)):
        return None
    left, right = (expressions.value(side) for side in (condition.left, condition.right))
    type = common_type(left.type, right.type)
    if type.is_float:
        return None
    conversions = expressions.conversions
    sides = [conversions.index(conversions.convert(side, type)) for side in (left, right)]
    if not any(side.value is counter for side in sides):
        return None
    return conjunction(comparison(condition.op, *sides))


def may_change(bounds: CounterRange, body: Block) -> bool:
    """Whether a loop may write what its limits are computed from; C computes them each time."""
    stored = [access.memref for access in accesses_in(body) if access.is_write]
    pending = [value for limit in bounds.limits for value in limit.values()]
    seen: dict[SSAValue, None] = {}
    while pending:
        value = pending.pop()
        if value in seen or isinstance(value.owner, Block):
            continue
        seen[value] = None
        op = value.owner
        if any(access.memref in stored for access in accesses_of(op)):
            return True
        pending += op.operands
        pending += [operand for inner in op.walk() for operand in inner.operands]
        if any(isinstance(inner, func.CallOp) for inner in op.walk()) and stored:
            return True
    return False


def _limits(rest: IndexExpression, coefficient: int) -> tuple[IndexExpression, ...]:
    """The limits that `coefficient * counter + rest >= 0` sets."""
    if coefficient < 0:
        # counter <= floor(rest / -coefficient)
        return tuple(
            part.divide(_FLOOR, -coefficient).shift(1) for part in _parts(rest, affine.MinOp)
        )
    # counter >= ceil(-rest / coefficient)
    lower = rest.scale(-1)
    return tuple(part.divide(_CEIL, coefficient).shift(-1) for part in _parts(lower, MaxOp))


def _parts(
    expression: IndexExpression, kind: type[affine.MinOp] | type[MaxOp]
) -> tuple[IndexExpression, ...]:
    """The expressions whose minimum (maximum) is `expression`."""
    for atom, coefficient in expression.terms:
        if isinstance(atom, SSAValue) and coefficient == 1 and isinstance(atom.owner, kind):
            operands = [IndexExpression.of(operand) for operand in atom.owner.arguments]
            rest = expression - IndexExpression.of(atom)
            found = [part + rest for part in compose(atom.owner.map.data, operands)]
            return tuple(piece for part in found for piece in _parts(part, kind))
    return (expression,)


def _range_to(
    header: Header,
    counter: SSAValue,
    type: Arithmetic,
    start: IndexExpression,
    expressions: Expressions,
    builder: Builder,
    takes_data: bool,
) -> CounterRange:
    """`counter != limit`: a signed counter must reach the limit, or the behaviour is undefined."""
    test = header.condition
    is_zero = isinstance(test.right, c_ast.Constant) and test.right.value == "0"
    if header.step == -1 and is_zero and not type.is_signed and builder.proves_nonnegative(start):
        # An unsigned counter that goes down gets to 0.
        return CounterRange(start, header.step, (IndexExpression(),))
    if not type.is_signed or abs(header.step) != 1:
        raise refuse(
            test,
            "'!=' in a loop whose counter is unsigned or steps by more than 1",
            name="loop-form",
        )
    values = [expressions.value(side) for side in (test.left, test.right)]
    sides = [
        expressions.conversions.index(each) if takes_data and not each.type.is_float else each.index
        for each in values
    ]
    for side, other in (sides, reversed(sides)):
        is_counter = side == IndexExpression.of(counter)
        if is_counter and other is not None and counter not in tuple(other.values()):
            if not (takes_data or builder.is_affine(other)):
                break
            return CounterRange(start, header.step, (other,))
    raise refuse(
        test, f"the bound of the loop over '{header.name}' is not affine", name="not-affine"
    )
