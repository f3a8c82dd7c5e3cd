"""Equations as pieces: on each, one expression without cases and restrictions, or one reduction.

This is the normal form of Gautam and Rajopadhye, "Computations on Iteration Spaces" (in The
Compiler Design Handbook, 2007), section 15.2.3, read for code: a variable is defined by branches on
disjoint domains, in which dependences stand at variables only. A reduction inside an expression
becomes a variable of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

import islpy as isl

from polyir.diagnostics import PolyirError, SourceLocation
from polyir.equations.domains import Domains
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    If,
    Index,
    Operation,
    Polynomial,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)
from polyir.isl_lists import parameters_of


@dataclass(frozen=True)
class Piece:
    """A value at the points of `domain`.

    `value` has no `Case`, `Restrict`, `AutoRestrict` and `Reduce`. Each `Variable` in it, and each
    `Polynomial`, which is one quasi-polynomial, is the operand of a `Dependence`.
    """

    domain: isl.Set
    value: Expression


@dataclass(frozen=True)
class ReducedPiece:
    """At the points of `domain`, the values of the bodies that `projection` maps there, combined.

    The domains of the bodies are disjoint. They are combined in lexicographic order of all their
    points.
    """

    domain: isl.Set
    bodies: tuple[Piece, ...]
    operator: str
    is_external: bool
    projection: isl.MultiAff


@dataclass(frozen=True)
class Definition:
    """A variable with the disjoint pieces that define it."""

    variable: Declaration
    pieces: tuple[Piece | ReducedPiece, ...]
    index_names: tuple[str, ...] | None = None


def definitions_of(system: System) -> list[Definition]:
    """The variables of a system of one body that are no inputs, with their pieces.

    Reductions that stand in expressions are further variables, local ones. Raises `PolyirError` if
    an equation does not define its variable exactly once at each point, or if the system uses
    another one.
    """
    if system.body.uses:
        raise PolyirError(f"'{system.name}' uses other systems, which must be inlined first")
    normaliser = _Normaliser(system)
    for equation in system.body.equations:
        normaliser.add(equation)
    return normaliser.definitions


_Value = tuple[isl.Set, Expression]
"""Points, and an expression that has a value at all of them."""


class _Normaliser:
    """The definitions of one system so far."""

    def __init__(self, system: System) -> None:
        self.definitions: list[Definition] = []
        self._domains = Domains(system)
        self._context = system.context.intersect(system.body.context)
        self._variables = system.variables
        self._taken = {*system.parameters, *system.variables}
        self._name = ""

    def add(self, equation: Equation) -> None:
        """Add the definition of a variable, after those of the reductions in its expression."""
        variable = self._variables[equation.variable]
        points = variable.domain.intersect_params(self._context)
        self._name = variable.name
        pieces = self._pieces(equation.expression, points)
        _check_exact(variable, points, pieces, equation.location)
        self.definitions.append(Definition(variable, pieces, equation.index_names))

    def _pieces(self, expression: Expression, points: isl.Set) -> tuple[Piece | ReducedPiece, ...]:
        identity = isl.MultiAff.identity_on_domain_space(points.get_space())
        return tuple(
            self._reduced(value, domain) if isinstance(value, Reduce) else Piece(domain, value)
            for domain, value in self._flat(expression, points, identity)
        )

    def _reduced(self, reduction: Reduce, domain: isl.Set) -> ReducedPiece:
        dimensions = reduction.projection.dim(isl.dim_type.in_)
        body = self._domains.of(reduction.operand, dimensions)
        points = domain.preimage_multi_aff(reduction.projection).intersect(body).coalesce()
        identity = isl.MultiAff.identity_on_domain_space(points.get_space())
        bodies = tuple(
            Piece(part, self._without_reduction(value, part))
            for part, value in self._flat(reduction.operand, points, identity)
        )
        return ReducedPiece(
            domain, bodies, reduction.operator, reduction.is_external, reduction.projection
        )

    def _without_reduction(self, value: Expression, points: isl.Set) -> Expression:
        """`value`, or a new variable that has its values if it is a reduction."""
        if not isinstance(value, Reduce):
            return value
        identity = isl.MultiAff.identity_on_domain_space(points.get_space())
        return Dependence(self._variable(value, points), identity)

    def _variable(self, reduction: Reduce, points: isl.Set) -> Variable:
        outer = self._name
        name = next(
            each for n in range(len(self._taken) + 1) if (each := f"{outer}_{n}") not in self._taken
        )
        self._taken.add(name)
        self._name = name
        pieces = (self._reduced(reduction, points),)
        self._name = outer
        declaration = Declaration(name, points, Role.LOCAL, reduction.location)
        self.definitions.append(Definition(declaration, pieces))
        return Variable(name)

    def _flat(
        self, expression: Expression, points: isl.Set, function: isl.MultiAff
    ) -> Iterator[_Value]:
        """The value of `expression` where `function` maps `points`, piece by piece.

        A piece may be a reduction at the points themselves.
        """
        if points.is_empty():
            return
        match expression:
            case Constant():
                yield points, expression
            case Variable():
                yield points, Dependence(expression, function)
            case Index(function=index):
                yield points, Index(index.pullback_multi_aff(function))
            case Polynomial():
                yield from _polynomials(expression, points, function)
            case Dependence(operand=operand, function=inner):
                yield from self._flat(operand, points, inner.pullback_multi_aff(function))
            case Restrict(operand=operand, domain=domain):
                inside = points.intersect(domain.preimage_multi_aff(function))
                yield from self._flat(operand, inside.coalesce(), function)
            case AutoRestrict(operand=operand):
                yield from self._flat(operand, points, function)
            case Case():
                dimensions = function.dim(isl.dim_type.out)
                domains = self._domains.of_branches(expression, dimensions)
                for branch, domain in zip(expression.parts, domains, strict=True):
                    inside = points.intersect(domain.preimage_multi_aff(function))
                    yield from self._flat(branch, inside.coalesce(), function)
            case Reduce():
                yield from self._reduction(expression, points, function)
            case If() | Operation():
                yield from self._combinations(expression, points, function)
            case _:
                raise TypeError(f"unknown expression {expression}")

    def _reduction(
        self, reduction: Reduce, points: isl.Set, function: isl.MultiAff
    ) -> Iterator[_Value]:
        if function.plain_is_equal(isl.MultiAff.identity_on_domain_space(points.get_space())):
            yield points, reduction
            return
        image = points.apply(isl.Map.from_multi_aff(function)).coalesce()
        yield points, Dependence(self._variable(reduction, image), function)

    def _combinations(
        self, expression: If | Operation, points: isl.Set, function: isl.MultiAff
    ) -> Iterator[_Value]:
        """Where operands have pieces, the operation has one for each combination of them."""
        parts = [
            [
                (domain, self._without_reduction(value, domain))
                for domain, value in self._flat(part, points, function)
            ]
            for part in expression.parts
        ]
        for chosen in product(*parts):
            domain = reduce(isl.Set.intersect, (each for each, _ in chosen))
            if len(chosen) > 1:
                domain = domain.coalesce()
            if not domain.is_empty():
                yield domain, expression.with_operands(tuple(value for _, value in chosen))


def _polynomials(
    polynomial: Polynomial, points: isl.Set, function: isl.MultiAff
) -> Iterator[_Value]:
    """One quasi-polynomial for each piece, and 0 elsewhere."""
    rest = points
    for domain, piece in polynomial.function.get_pieces():
        inside = points.intersect(domain.preimage_multi_aff(function))
        rest = rest.subtract(inside)
        if not inside.is_empty():
            single = Polynomial(isl.PwQPolynomial.from_qpolynomial(piece))
            yield inside, Dependence(single, function)
    if not rest.is_empty():
        yield rest.coalesce(), Constant(0)


def _check_exact(
    variable: Declaration,
    points: isl.Set,
    pieces: Sequence[Piece | ReducedPiece],
    location: SourceLocation | None,
) -> None:
    """Raise `PolyirError` unless each point is in exactly one piece."""
    covered = isl.Set.empty(points.get_space())
    for piece in pieces:
        twice = covered.intersect(piece.domain)
        if not twice.is_empty():
            raise PolyirError(f"'{variable.name}' is defined twice at {shown(twice)}", location)
        covered = covered.union(piece.domain)
    missing = points.subtract(covered)
    if not missing.is_empty():
        raise PolyirError(f"'{variable.name}' is not defined at {shown(missing)}", location)


def shown(points: isl.Set) -> str:
    """A set for a message, with an example."""
    example = points.sample_point()
    values = [
        str(example.get_coordinate_val(isl.dim_type.set, place))
        for place in range(points.dim(isl.dim_type.set))
    ]
    at = ", ".join(
        f"{name} = {example.get_coordinate_val(isl.dim_type.param, place)}"
        for place, name in enumerate(parameters_of(points.get_space()))
    )
    return f"{points.coalesce()}, for example [{', '.join(values)}]" + (f" for {at}" if at else "")
