"""Conditions on index values: their comparisons, where they split a loop, and their remainders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, arith, scf
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind
from xdsl.rewriter import InsertPoint

from polyir.loops.iteration_spaces import IterationSpaces
from polyir.model.affine_operations import constraints_of
from polyir.model.index_expressions import Constraint, Division, IndexExpression, set_of
from polyir.model.raising.control import ConditionalOp


@dataclass(frozen=True)
class Comparison:
    """One comparison of a test: that `constraint` holds, or, if it `is_negated`, that it does not.

    In `scf`, `value` is its result.
    """

    constraint: Constraint
    value: SSAValue | None = None
    is_negated: bool = False

    @property
    def values(self) -> tuple[SSAValue, ...]:
        """The values that are compared."""
        return tuple(self.constraint.expression.values())

    @property
    def constant_outcome(self) -> bool | None:
        """The outcome, if constants are compared, or a value with itself."""
        expression = self.constraint.expression
        if not expression.is_constant:
            return None
        number = expression.constant
        return (number == 0 if self.constraint.is_equality else number >= 0) != self.is_negated


@dataclass(frozen=True)
class CounterTest:
    """A conditional on index values.

    If `is_conjunction`, the condition is that all of `comparisons` hold; otherwise, it is some
    combination of them, which only `condition` gives.
    """

    op: ConditionalOp
    comparisons: tuple[Comparison, ...]
    is_conjunction: bool
    condition: isl.Set

    def undecided(self, known: isl.Set, spaces: IterationSpaces) -> tuple[Comparison, ...]:
        """The comparisons that `known` does not decide."""
        return tuple(
            comparison
            for comparison in self.comparisons
            if spaces.outcome(known, spaces.holds(comparison.constraint)) is None
        )

    def keep(self, comparisons: Sequence[Comparison]) -> None:
        """Reduce the test of the conditional to some of its comparisons."""
        if isinstance(self.op, affine.IfOp):
            constraints = [comparison.constraint for comparison in comparisons]
            self.op.condition, self.op.operands = set_of(constraints)
            return
        builder = Builder(InsertPoint.before(self.op))
        values = [comparison.value for comparison in comparisons if comparison.value]
        self.op.operands[0] = reduce(
            lambda one, other: builder.insert(arith.AndIOp(one, other)).result, values
        )

    def drop_constants(self) -> None:
        """Take comparisons of constants, or of a value with itself, out of an `scf` test.

        The others must decide the outcome of the test.
        """
        outcomes = {
            each.value: each.constant_outcome
            for each in self.comparisons
            if each.value is not None and each.constant_outcome is not None
        }
        if outcomes:
            folded = _folded(self.op.operands[0], outcomes, Builder(InsertPoint.before(self.op)))
            assert not isinstance(folded, bool)
            self.op.operands[0] = folded


def _folded(
    value: SSAValue, outcomes: Mapping[SSAValue, bool], builder: Builder
) -> SSAValue | bool:
    """`value` without the comparisons that have a known outcome, or its outcome."""
    op = value.owner
    if value in outcomes or not isinstance(op, arith.AndIOp | arith.OrIOp):
        return outcomes.get(value, value)
    left, right = (_folded(operand, outcomes, builder) for operand in op.operands)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, bool):
            return other if one is isinstance(op, arith.AndIOp) else one
    if (left, right) == tuple(op.operands):
        return value
    assert not isinstance(left, bool)
    assert not isinstance(right, bool)
    return builder.insert(type(op)(left, right)).result


def test_of(op: Operation, spaces: IterationSpaces) -> CounterTest | None:
    """The test of `op`; `None` if it is not a conditional, or depends on data."""
    if not isinstance(op, affine.IfOp | scf.IfOp):
        return None
    condition = spaces.condition(op)
    if condition is None:
        return None
    if isinstance(op, affine.IfOp):
        operands = [spaces.written_out(operand) for operand in op.args]
        constraints = constraints_of(op.condition.data, operands)
        return CounterTest(op, tuple(map(Comparison, constraints)), True, condition)
    leaves = tuple(_leaves(op.cond))
    comparisons = tuple(
        Comparison(_constraint(leaf, spaces), leaf.result, leaf.predicate.value.data == _NE)
        for leaf in leaves
        if isinstance(leaf, arith.CmpiOp)
    )
    is_conjunction = all(
        isinstance(leaf, arith.AndIOp)
        or (isinstance(leaf, arith.CmpiOp) and leaf.predicate.value.data != _NE)
        for leaf in leaves
    )
    return CounterTest(op, comparisons, is_conjunction, condition)


def _leaves(value: SSAValue) -> Iterator[Operation]:
    """The comparisons that `value` combines, and the operations that combine them."""
    if not isinstance(value.owner, Operation):
        return
    yield value.owner
    if isinstance(value.owner, arith.AndIOp | arith.OrIOp):
        for operand in value.owner.operands:
            yield from _leaves(operand)


_NE = 1
"""The number of `arith.cmpi`'s predicate for what is not equal."""


def _constraint(comparison: arith.CmpiOp, spaces: IterationSpaces) -> Constraint:
    """The comparison as a constraint; for `ne`, the constraint that must not hold."""
    left, right = spaces.written_out(comparison.lhs), spaces.written_out(comparison.rhs)
    match comparison.predicate.value.data:
        case 2:
            return Constraint((right - left).shift(-1), False)
        case 3:
            return Constraint(right - left, False)
        case 4:
            return Constraint((left - right).shift(-1), False)
        case 5:
            return Constraint(left - right, False)
        case _:
            return Constraint(left - right, True)


def split_points(comparison: Comparison, counter: SSAValue) -> tuple[IndexExpression, ...]:
    """The values of `counter` at which the outcome of the comparison changes.

    Empty if the comparison does not depend on `counter`, or uses a remainder or quotient of it.
    """
    expression = comparison.constraint.expression
    factor = dict(expression.terms).get(counter, 0)
    rest = expression - IndexExpression(((counter, factor),) if factor else ())
    if not factor or counter in rest.values():
        return ()
    if comparison.constraint.is_equality:
        value = rest.scale(-1 if factor > 0 else 1)
        first = value.divide(AffineBinaryOpKind.CeilDiv, abs(factor))
        return first, value.divide(AffineBinaryOpKind.FloorDiv, abs(factor)).shift(1)
    if factor > 0:
        return (rest.scale(-1).divide(AffineBinaryOpKind.CeilDiv, factor),)
    return (rest.divide(AffineBinaryOpKind.FloorDiv, -factor).successor(),)


def remark_text(expression: IndexExpression) -> str:
    """`expression` for a remark."""
    text = ""
    for atom, factor in expression.terms:
        sign = (" - " if factor < 0 else " + ") if text else ("-" if factor < 0 else "")
        shown = _atom_text(atom) if abs(factor) == 1 else f"{abs(factor)} * {_atom_text(atom)}"
        text += sign + shown
    constant = expression.constant
    if not text:
        return str(constant)
    return text + (f" {'-' if constant < 0 else '+'} {abs(constant)}" if constant else "")


def _atom_text(atom: SSAValue | Division) -> str:
    if isinstance(atom, Division):
        dividend = remark_text(atom.dividend)
        if atom.dividend.value is None:
            dividend = f"({dividend})"
        return f"({dividend} {atom.kind.get_token()} {atom.divisor})"
    return f"%{atom.name_hint}" if atom.name_hint else "a value"
