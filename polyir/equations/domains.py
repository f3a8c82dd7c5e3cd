"""Where expressions are defined, by the rules of the language.

Gautam and Rajopadhye, "Computations on Iteration Spaces" (in The Compiler Design Handbook, 2007),
table 15.1: the domain of an expression follows from those of its operands. Equations need a value
at each point of a domain that comes from outside: `contexts` has those points for each expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import islpy as isl

from polyir.equations.errors import EquationFormError
from polyir.equations.points import counted
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Dependence,
    Expression,
    Index,
    Polynomial,
    Reduce,
    Restrict,
    System,
    Variable,
)


class Domains:
    """The domains of expressions of a system. Raises `PolyirError` where dimensions do not fit.

    Domains are for all parameters in the context of the system.
    """

    def __init__(self, system: System) -> None:
        self._system = system

    @property
    def context(self) -> isl.Set:
        """The parameters for which the domains hold."""
        return self._system.context

    def of(self, expression: Expression, dimensions: int) -> isl.Set:
        """The points, of so many dimensions, at which an expression has a value.

        An `AutoRestrict` is defined where its operand is; in a `Case`, where besides no other
        branch is.
        """
        match expression:
            case Constant():
                return self._universe(dimensions)
            case Variable(name=name):
                return self._fitting(expression, self._system.variables[name].domain, dimensions)
            case Index(function=function):
                everywhere = isl.Set.universe(function.get_domain_space())
                return self._fitting(expression, everywhere, dimensions)
            case Polynomial(function=function):
                return self._fitting(expression, function.domain(), dimensions)
            case Dependence(operand=operand, function=function):
                everywhere = isl.Set.universe(function.get_domain_space())
                self._fitting(expression, everywhere, dimensions)
                inner = self.of(operand, function.dim(isl.dim_type.out))
                return inner.preimage_multi_aff(function)
            case Restrict(operand=operand, domain=domain):
                self._fitting(expression, domain, dimensions)
                return self.of(operand, dimensions).intersect(domain)
            case Reduce(operand=operand, projection=projection):
                body = self.of(operand, projection.dim(isl.dim_type.in_))
                image = body.apply(isl.Map.from_multi_aff(projection))
                return self._fitting(expression, image, dimensions)
            case Case():
                branches = self.of_branches(expression, dimensions)
                return reduce(isl.Set.union, branches).coalesce()
            case _:
                parts = [self.of(each, dimensions) for each in expression.operands]
                return reduce(isl.Set.intersect, parts)

    def of_branches(self, case: Case, dimensions: int) -> list[isl.Set]:
        """The domains of the branches of a case, in order."""
        domains = [self.of(each, dimensions) for each in case.parts]
        return with_auto(case, domains)

    def contexts(
        self, expression: Expression, needed: isl.Set
    ) -> Iterator[tuple[Expression, isl.Set]]:
        """Each expression in one, itself first, with the points at which its value is needed.

        These are `needed` for the expression itself, and each has a value at them unless the
        expression lacks one at points of `needed`.
        """
        yield expression, needed
        inner = self.operand_contexts(expression, needed)
        for operand, points in zip(expression.operands, inner, strict=True):
            yield from self.contexts(operand, points)

    def operand_contexts(self, expression: Expression, needed: isl.Set) -> list[isl.Set]:
        """For each operand, the points at which its value is needed for that at `needed`."""
        match expression:
            case Dependence(function=function):
                return [needed.apply(isl.Map.from_multi_aff(function))]
            case Reduce(operand=operand, projection=projection):
                body = self.of(operand, projection.dim(isl.dim_type.in_))
                return [needed.preimage_multi_aff(projection).intersect(body)]
            case Case():
                dimensions = needed.dim(isl.dim_type.set)
                branches = self.of_branches(expression, dimensions)
                return [needed.intersect(domain) for domain in branches]
            case Restrict(domain=domain):
                return [needed.intersect(domain)]
            case _:
                return [needed] * len(expression.operands)

    def _universe(self, dimensions: int) -> isl.Set:
        universe = isl.Set.universe(self._system.space(dimensions))
        return universe.intersect_params(self._system.context)

    def _fitting(self, expression: Expression, domain: isl.Set, dimensions: int) -> isl.Set:
        found = domain.dim(isl.dim_type.set)
        if found != dimensions:
            raise EquationFormError(
                f"an expression of {counted(dimensions, 'dimension')} is needed here, and this one "
                f"has {counted(found, 'dimension')}",
                expression.location,
            )
        return domain.intersect_params(self._system.context)


def with_auto(case: Case, domains: Sequence[isl.Set]) -> list[isl.Set]:
    """The sets for the branches of a case, that for an `AutoRestrict` without all others."""
    return [
        reduce(isl.Set.subtract, (*domains[:place], *domains[place + 1 :]), domain).coalesce()
        if isinstance(branch, AutoRestrict)
        else domain
        for place, (branch, domain) in enumerate(zip(case.parts, domains, strict=True))
    ]
