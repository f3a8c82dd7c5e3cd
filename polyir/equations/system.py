"""Systems of equations over integer sets, and the expressions in them.

An expression is a function from integer points to values. Where it is defined is its domain, which
`polyir.equations.domains` derives. The language is that of Gautam and Rajopadhye, "Computations on
Iteration Spaces" (in The Compiler Design Handbook, 2007), section 15.2.3.

All isl objects of a system have its parameters, in order, and tuples without names. Names of
dimensions are for readers only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from typing import Self

import islpy as isl

from polyir.base.diagnostics import SourceLocation
from polyir.dialects.equation_operators import OPERATORS as OPERATORS
from polyir.dialects.equation_operators import ORDER_OPERATORS as ORDER_OPERATORS
from polyir.dialects.equation_operators import REDUCTION_OPERATORS as REDUCTION_OPERATORS
from polyir.dialects.equation_operators import UNARY_OPERATORS as UNARY_OPERATORS


class _ComparedByFields:
    """Two are equal if all fields that are compared are: isl's affine functions have no `==`."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(
            _same(getattr(self, each.name), getattr(other, each.name))
            for each in fields(self)  # type: ignore[arg-type]
            if each.compare
        )

    def __hash__(self) -> int:
        # isl gives equal sets that are written differently different hashes.
        values = (getattr(self, each.name) for each in fields(self) if each.compare)  # type: ignore[arg-type]
        return hash((type(self), *(each for each in values if not _of_isl(each))))


def _same(first: object, second: object) -> bool:
    match first, second:
        case isl.MultiAff(), isl.MultiAff():
            return first.plain_is_equal(second)
        case isl.PwQPolynomial(), isl.PwQPolynomial():
            return first.plain_is_equal(second)
        case isl.Aff(), isl.Aff():
            return first.plain_is_equal(second)
        case _:
            return type(first) is type(second) and bool(first == second)


def _of_isl(value: object) -> bool:
    return isinstance(value, isl.Set | isl.Aff | isl.MultiAff | isl.PwQPolynomial)


@dataclass(frozen=True, eq=False)
class Expression(_ComparedByFields):
    """An expression. Two are equal if they are written alike, wherever they stand."""

    location: SourceLocation | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The expressions of which this one is made, in order."""
        return ()

    def with_operands(self, operands: tuple[Expression, ...]) -> Self:
        """The same expression of other operands, as many as there are."""
        assert not operands
        return self

    def walk(self) -> Iterator[Expression]:
        """This expression, then all in it, in the order in which they are written."""
        yield self
        for operand in self.operands:
            yield from operand.walk()

    def rewritten(self, rule: Callable[[Expression], Expression]) -> Expression:
        """The expression after a rule was applied to all in it, operands first."""
        operands = tuple(each.rewritten(rule) for each in self.operands)
        same = all(a is b for a, b in zip(operands, self.operands, strict=True))
        return rule(self if same else self.with_operands(operands))


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    """The same value at all points, of any number of dimensions."""

    value: bool | int | float


@dataclass(frozen=True, eq=False)
class Variable(Expression):
    """A variable of the system, at the point at hand."""

    name: str


@dataclass(frozen=True, eq=False)
class Index(Expression):
    """The value of an affine function of the point and the parameters: an integer."""

    function: isl.Aff


@dataclass(frozen=True, eq=False)
class Polynomial(Expression):
    """The value of a piecewise quasi-polynomial of the point and the parameters: an integer."""

    function: isl.PwQPolynomial


@dataclass(frozen=True, eq=False)
class _Unary(Expression):
    """An expression of one operand, which is the last field."""

    operand: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.operand,)

    def with_operands(self, operands: tuple[Expression, ...]) -> Self:
        (operand,) = operands
        return replace(self, operand=operand)


@dataclass(frozen=True, eq=False)
class Dependence(_Unary):
    """The value of `operand` at the point to which `function` maps the one at hand."""

    function: isl.MultiAff


@dataclass(frozen=True, eq=False)
class Restrict(_Unary):
    """`operand`, at the points of `domain` only."""

    domain: isl.Set


@dataclass(frozen=True, eq=False)
class AutoRestrict(_Unary):
    """`operand`, at the points where no other branch of the `Case` around it is defined."""


@dataclass(frozen=True, eq=False)
class Reduce(_Unary):
    """The values of `operand` at all points that `projection` maps to the point at hand, combined.

    `operator` is one of `REDUCTION_OPERATORS`, or an external function of two arguments.
    """

    operator: str
    projection: isl.MultiAff
    is_external: bool = False


@dataclass(frozen=True, eq=False)
class _Nary(Expression):
    """An expression of several operands."""

    parts: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.parts

    def with_operands(self, operands: tuple[Expression, ...]) -> Self:
        return replace(self, parts=operands)


@dataclass(frozen=True, eq=False)
class Case(_Nary):
    """The branch that is defined at the point at hand; there must be only one."""

    name: str | None = None


@dataclass(frozen=True, eq=False)
class If(_Nary):
    """The second part where the first is true, else the third; all have a value at each point."""


@dataclass(frozen=True, eq=False)
class Operation(_Nary):
    """An operator of `OPERATORS`, or an external function, on the values of the parts."""

    operator: str
    is_external: bool = False


class Role(Enum):
    """What a variable is to those who use the system."""

    INPUT = "inputs"
    OUTPUT = "outputs"
    LOCAL = "locals"


@dataclass(frozen=True, eq=False)
class Declaration(_ComparedByFields):
    """A variable, which has a value at each point of `domain`."""

    name: str
    domain: isl.Set
    role: Role
    location: SourceLocation | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Equation(_ComparedByFields):
    """The variable has the value of `expression` at each point of its domain.

    `index_names` are those with which the equation is written, in array notation.
    """

    variable: str
    expression: Expression
    index_names: tuple[str, ...] | None = None
    location: SourceLocation | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Use(_ComparedByFields):
    """Variables have the values of the outputs of another system.

    There is an instance of that system for each point of `domain`, with the parameters to which
    `parameters` maps the point. The first dimensions of `inputs` and `outputs` are those of
    `domain`. It has no dimension if there is only one instance.
    """

    system: str
    domain: isl.Set
    parameters: isl.MultiAff
    inputs: tuple[Expression, ...]
    outputs: tuple[Expression, ...]
    location: SourceLocation | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Body(_ComparedByFields):
    """Equations that hold for the parameters in `context`, a set of parameters."""

    context: isl.Set
    equations: tuple[Equation, ...]
    uses: tuple[Use, ...] = ()


@dataclass(frozen=True, eq=False)
class System(_ComparedByFields):
    """Equations that define outputs and locals by inputs, for the parameters in `context`.

    `name` is qualified by the packages around it. The contexts of the bodies are disjoint. All
    values have the type `elements`, such as `f64`, if it is known.
    """

    name: str
    parameters: tuple[str, ...]
    context: isl.Set
    declarations: tuple[Declaration, ...]
    bodies: tuple[Body, ...]
    location: SourceLocation | None = field(default=None, compare=False)
    elements: str | None = None

    @cached_property
    def variables(self) -> dict[str, Declaration]:
        """The variables by their names."""
        return {each.name: each for each in self.declarations}

    @property
    def body(self) -> Body:
        """The only body: systems that have several are made one by `merged_bodies`."""
        (body,) = self.bodies
        return body

    def of_role(self, role: Role) -> list[Declaration]:
        """The variables of a role, in order."""
        return [each for each in self.declarations if each.role is role]

    def space(self, dimensions: int) -> isl.Space:
        """The space of points of so many dimensions."""
        return self.context.get_space().add_unnamed_tuple_ui(dimensions)


@dataclass(frozen=True, eq=False)
class Program(_ComparedByFields):
    """The systems and external functions of a file; `externals` has their numbers of arguments."""

    systems: tuple[System, ...]
    externals: dict[str, int] = field(default_factory=dict)
