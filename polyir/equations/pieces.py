"""Equations as pieces: on each, one expression without cases and restrictions, or one reduction.

This is the normal form of `polyir.equations.normal_form` as code needs it: a reduction that is a
whole branch of an equation needs no variable of its own, and each value is for one piece of the
polynomials in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.equations.domains import Domains
from polyir.equations.normal_form import branches
from polyir.equations.system import (
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Polynomial,
    Reduce,
    Role,
    System,
    Variable,
)
from polyir.sets.lists import parameters_of


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
    """The variables of a system of one body that are not inputs, with their pieces.

    Reductions that stand in expressions are further variables, local ones. Raises `PolyirError` if
    an equation does not define its variable exactly once at each point, or if the system uses
    another one.
    """
    if system.body.uses:
        raise PolyirError(
            f"'{system.name}' uses other systems, which must be inlined first",
            name="equation-domains",
        )
    normaliser = _Normaliser(system)
    for equation in system.body.equations:
        normaliser.add(equation)
    return normaliser.definitions


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
        pieces: list[Piece | ReducedPiece] = []
        for domain, value in branches(equation.expression, points, self._domains):
            if isinstance(value, Reduce):
                pieces.append(self._reduced(value, domain))
            else:
                pieces += self._plain(value, domain)
        _check_exact(variable, points, pieces, equation.location)
        self.definitions.append(Definition(variable, tuple(pieces), equation.index_names))

    def _reduced(self, reduction: Reduce, domain: isl.Set) -> ReducedPiece:
        dimensions = reduction.projection.dim(isl.dim_type.in_)
        body = self._domains.of(reduction.operand, dimensions)
        points = domain.preimage_multi_aff(reduction.projection).intersect(body).coalesce()
        bodies = tuple(
            piece
            for part, value in branches(reduction.operand, points, self._domains)
            for piece in self._plain(value, part)
        )
        return ReducedPiece(
            domain, bodies, reduction.operator, reduction.is_external, reduction.projection
        )

    def _plain(self, value: Expression, points: isl.Set) -> Iterator[Piece]:
        """A value without case and restriction, with variables in place of reductions."""
        identity = isl.MultiAff.identity_on_domain_space(points.get_space())
        points = points.coalesce()
        yield from _with_single_polynomials(self._explicit(value, points, identity), points)

    def _explicit(self, value: Expression, points: isl.Set, identity: isl.MultiAff) -> Expression:
        """The value with all variables and polynomials as operands of dependences."""
        match value:
            case Variable() | Polynomial():
                return Dependence(value, identity)
            case Reduce():
                return Dependence(self._variable(value, points), identity)
            case Dependence(operand=Reduce() as reduction, function=function):
                image = points.apply(isl.Map.from_multi_aff(function)).coalesce()
                return Dependence(self._variable(reduction, image), function)
            case Dependence():
                return value
            case _:
                parts = (self._explicit(each, points, identity) for each in value.operands)
                return value.with_operands(tuple(parts))

    def _variable(self, reduction: Reduce, points: isl.Set) -> Variable:
        """A new variable that has the values of a reduction at some points."""
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


def _with_single_polynomials(value: Expression, points: isl.Set) -> Iterator[Piece]:
    """The value for each piece of the polynomials in it, which are 0 elsewhere."""
    for each in value.walk():
        if isinstance(each, Dependence) and isinstance(each.operand, Polynomial):
            pieces = each.operand.function.get_pieces()
            if len(pieces) != 1 or not pieces[0][0].plain_is_universe():
                break
    else:
        yield Piece(points, value)
        return
    several = each
    rest = points
    for domain, polynomial in pieces:
        part = points.intersect(domain.preimage_multi_aff(several.function)).coalesce()
        rest = rest.subtract(part)
        single = Polynomial(isl.PwQPolynomial.from_qpolynomial(polynomial))
        yield from _replaced(value, several, Dependence(single, several.function), part)
    yield from _replaced(value, several, Constant(0), rest.coalesce())


def _replaced(
    value: Expression, old: Expression, new: Expression, points: isl.Set
) -> Iterator[Piece]:
    if not points.is_empty():
        changed = value.rewritten(lambda each: new if each == old else each)
        yield from _with_single_polynomials(changed, points)


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
            raise PolyirError(
                f"'{variable.name}' is defined twice at {shown(twice)}",
                location,
                name="equation-domains",
            )
        covered = covered.union(piece.domain)
    missing = points.subtract(covered)
    if not missing.is_empty():
        raise PolyirError(
            f"'{variable.name}' is not defined at {shown(missing)}",
            location,
            name="equation-domains",
        )


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
