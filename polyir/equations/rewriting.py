"""What the rewritings of systems share: places in a system, new locals, functions and domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import islpy as isl

from polyir.base.diagnostics import PolyirError, nearest
from polyir.equations.domains import Domains
from polyir.equations.errors import EquationFormError
from polyir.equations.points import counted, named
from polyir.equations.system import (
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Index,
    Polynomial,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)
from polyir.equations.text.names import Names, names_behind, names_of
from polyir.sets.lists import parameters_of, pieces_of

_WORDS = {"+": "sum", "*": "product", "min": "min", "max": "max", "and": "all", "or": "any"}


class Draft:
    """A system while it is rewritten."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._declarations = list(system.declarations)
        self._equations = [list(body.equations) for body in system.bodies]
        self._taken = {each.name for each in system.declarations} | set(system.parameters)

    @property
    def system(self) -> System:
        """The system as it is now."""
        bodies = zip(self._system.bodies, self._equations, strict=True)
        return replace(
            self._system,
            declarations=tuple(self._declarations),
            bodies=tuple(replace(body, equations=tuple(equations)) for body, equations in bodies),
        )

    def needed(self, place: int, variable: str) -> isl.Set:
        """The points at which the equation of a variable in a body must have a value."""
        return needed_points(self.system, place, variable)

    def new_local(
        self,
        place: int,
        after: str,
        name: str,
        domain: isl.Set,
        expression: Expression,
    ) -> Variable:
        """A local with an equation in the body at `place`, after that of another variable.

        Its name is `name`, or that with a number.
        """
        name = self._fresh(name)
        points = tidied(domain, self._system.context)
        self._declarations.append(Declaration(name, points, Role.LOCAL, expression.location))
        equations = self._equations[place]
        position = next(n for n, each in enumerate(equations) if each.variable == after)
        equations.insert(position + 1, Equation(name, expression, None, expression.location))
        return Variable(name, location=expression.location)

    def replace_expression(self, place: int, variable: str, expression: Expression) -> None:
        """Give the equation of a variable in a body another right-hand side."""
        equations = self._equations[place]
        for position, each in enumerate(equations):
            if each.variable == variable:
                equations[position] = replace(each, expression=expression)

    def _fresh(self, base: str) -> str:
        name, count = base, 1
        while name in self._taken:
            count += 1
            name = f"{base}{count}"
        self._taken.add(name)
        return name


def reduction_name(variable: str, reduction: Reduce) -> str:
    """What a local for a reduction in the equation of a variable is called: `Y_sum`."""
    return f"{variable}_{_WORDS.get(reduction.operator, 'reduction')}"


def needed_points(system: System, place: int, variable: str) -> isl.Set:
    """The domain of a variable, for the parameters in the contexts of the system and of a body.

    Its dimensions have the names with which the equation is written.
    """
    body = system.bodies[place]
    points = system.variables[variable].domain
    for equation in body.equations:
        if equation.variable == variable and equation.index_names is not None:
            points = named(points, equation.index_names)
    return points.intersect_params(system.context.intersect(body.context)).coalesce()


def equation_of(system: System, variable: str) -> tuple[int, Equation]:
    """The equation of a variable, and the place of its body.

    Raises `PolyirError` if there is no such variable, or not exactly one equation.
    """
    if variable not in system.variables:
        raise PolyirError(
            f"'{system.name}' has no variable '{variable}'{nearest(variable, system.variables)}",
            system.location,
            name="unknown-name",
        )
    found = [
        (place, equation)
        for place, body in enumerate(system.bodies)
        for equation in body.equations
        if equation.variable == variable
    ]
    if len(found) != 1:
        declaration = system.variables[variable]
        how = "is an input" if declaration.role is Role.INPUT else "has no equation"
        if found:
            how = f"has {len(found)} equations, one a body, and this is for systems of one body"
        raise EquationFormError(f"'{variable}' {how}", declaration.location)
    return found[0]


@dataclass(frozen=True)
class Site:
    """A reduction in the equation of a variable, with the points at which its value is needed."""

    place: int
    equation: Equation
    reduction: Reduce
    needed: isl.Set

    @property
    def variable(self) -> str:
        """The variable that the equation defines."""
        return self.equation.variable

    @property
    def inner_dimensions(self) -> int:
        """The dimensions of the points of the reduction's body."""
        return self.reduction.projection.dim(isl.dim_type.in_)

    def local_name(self, system: System, asked: str | None, reduction: Reduce) -> str:
        """The name for a local: `asked`, which must be free, or one made of the reduction."""
        if asked is not None and asked in (*system.variables, *system.parameters):
            raise self.error(f"there is a '{asked}' in '{system.name}' already")
        return asked or reduction_name(self.variable, reduction)

    def error(self, message: str) -> PolyirError:
        """An error at the reduction, or at the equation."""
        return EquationFormError(message, self.reduction.location or self.equation.location)


def rewrite_reduction(
    system: System, variable: str, number: int, rule: Callable[[Draft, Site], Expression]
) -> System:
    """The system with a reduction in the equation of a variable replaced by what a rule gives.

    `number` counts the reductions of the equation from 0, in the order in which they are written.
    Raises `PolyirError` if there is none of that number.
    """
    place, equation = equation_of(system, variable)
    draft = Draft(system)
    count = -1

    def replaced(expression: Expression, needed: isl.Set) -> Expression | None:
        nonlocal count
        if not isinstance(expression, Reduce):
            return None
        count += 1
        if count != number:
            return None
        return rule(draft, Site(place, equation, expression, needed))

    domains = Domains(system)
    needed = needed_points(system, place, variable)
    expression = rewritten_at(equation.expression, needed, domains, replaced)
    if not 0 <= number <= count:
        found = counted(count + 1, "reduction")
        raise EquationFormError(
            f"the equation of '{variable}' has {found}, and number {number} is asked for: they "
            "are counted from 0",
            equation.location,
        )
    draft.replace_expression(place, variable, expression)
    return draft.system


def rewritten_at(
    expression: Expression,
    needed: isl.Set,
    domains: Domains,
    rule: Callable[[Expression, isl.Set], Expression | None],
) -> Expression:
    """The expression after a rule was applied to all in it, outermost first.

    The rule is given the points at which a value is needed, too; what it replaces is not searched
    further, and where it gives `None` it leaves the expression as it is.
    """
    found = rule(expression, needed)
    if found is not None:
        return found
    contexts = domains.operand_contexts(expression, needed)
    operands = tuple(
        rewritten_at(operand, points, domains, rule)
        for operand, points in zip(expression.operands, contexts, strict=True)
    )
    same = all(a is b for a, b in zip(operands, expression.operands, strict=True))
    return expression if same else expression.with_operands(operands)


def moved(expression: Expression, function: isl.MultiAff) -> Expression:
    """The value of an expression at the point to which a function maps the one at hand.

    The dependence goes inwards, up to variables, polynomials and reductions, and becomes one with
    those that are there.
    """
    if is_identity(function):
        return expression
    match expression:
        case Constant():
            return expression
        case Index(function=affine):
            return replace(expression, function=affine.pullback_multi_aff(function))
        case Variable() | Polynomial() | Reduce():
            return Dependence(expression, function, location=expression.location)
        case Dependence(operand=operand, function=inner):
            return moved(operand, inner.pullback_multi_aff(function))
        case Restrict(operand=operand, domain=domain):
            points = domain.preimage_multi_aff(function)
            return replace(expression, operand=moved(operand, function), domain=points)
        case _:
            return expression.with_operands(
                tuple(moved(each, function) for each in expression.operands)
            )


def is_identity(function: isl.MultiAff) -> bool:
    """Whether a function maps each point to itself."""
    same_count = function.dim(isl.dim_type.in_) == function.dim(isl.dim_type.out)
    return same_count and bool(isl.Map.from_multi_aff(function).is_identity())


def restricted(expression: Expression, domain: isl.Set, domains: Domains) -> Expression:
    """The expression at the points of a domain only, with a restriction if it needs one."""
    if domains.of(expression, domain.dim(isl.dim_type.set)).is_subset(domain):
        return expression
    if isinstance(expression, Restrict):
        return restricted(expression.operand, domain.intersect(expression.domain), domains)
    points = tidied(domain, domains.context)
    return Restrict(expression, points, location=expression.location)


def tidied(points: isl.Set, context: isl.Set) -> isl.Set:
    """The same points, for parameters in the context, with fewer conditions."""
    return points.remove_redundancies().coalesce().gist_params(context)


def value_names(function: isl.MultiAff) -> Names:
    """Names for the dimensions of the values of a function: those that it keeps have theirs."""
    parameters = parameters_of(function.get_domain_space())
    return names_behind(function, names_of(function), parameters)


def with_argument_names(function: isl.MultiAff, names: Names) -> isl.MultiAff:
    """The function with names for its arguments."""
    for place, name in enumerate(names):
        function = function.set_dim_name(isl.dim_type.in_, place, name)
    return function


def through(
    function: isl.MultiAff, projection: isl.MultiAff, domain: isl.Set
) -> list[tuple[isl.Set, isl.MultiAff]] | None:
    """Functions h of the points y of `projection(domain)`, with where each holds, so that
    `h(projection(x)) = function(x)` for all x in `domain`.

    `None` if there are none: two points of the domain have one projection, and different values.
    """
    pairs = isl.Map.from_multi_aff(projection).reverse()
    values = isl.Map.from_multi_aff(function)
    names = value_names(projection)
    found: list[tuple[isl.Set, isl.MultiAff]] | None = None
    for relation in (pairs, pairs.intersect_range(domain)):
        here = relation.apply_range(values)
        if here.is_single_valued():
            found = pieces_of(isl.PwMultiAff.from_map(here).coalesce())
            if len(found) == 1:
                everywhere = isl.Set.universe(found[0][0].get_space())
                return [(everywhere, with_argument_names(found[0][1], names))]
    if found is None:
        return None
    return [(named(points, names), with_argument_names(part, names)) for points, part in found]
