"""Systems with one body, and without uses of other systems."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import islpy as isl

from polyir.base.diagnostics import PolyirError
from polyir.equations.errors import EquationFormError
from polyir.equations.polynomials import pulled_back
from polyir.equations.system import (
    Body,
    Case,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Index,
    Polynomial,
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Use,
    Variable,
)
from polyir.sets.names import unique_name

Function = TypeVar("Function", isl.MultiAff, isl.PwQPolynomial)


def merged_bodies(system: System) -> System:
    """The system with one body for its whole context.

    An equation becomes a branch of a case, restricted to the parameters for which it holds. An
    output of a use becomes a local variable for these parameters, and the branch is its value.
    """
    if len(system.bodies) == 1 and system.body.context.is_equal(system.context):
        return system
    branches: dict[str, list[Equation]] = {}
    locals_: list[Declaration] = []
    uses: list[Use] = []
    taken = set(system.variables)
    for body in system.bodies:
        for equation in body.equations:
            restricted = _restricted(equation, system, body.context)
            branches.setdefault(equation.variable, []).append(restricted)
        for use in body.uses:
            renamed: list[Expression] = []
            for name in map(output_variable, use.outputs):
                declared = system.variables[name]
                local = Variable(_fresh(name, taken), location=use.location)
                domain = declared.domain.intersect_params(body.context)
                locals_.append(replace(declared, name=local.name, domain=domain, role=Role.LOCAL))
                value = Equation(name, local, None, use.location)
                branches.setdefault(name, []).append(_restricted(value, system, body.context))
                renamed.append(local)
            domain = use.domain.intersect_params(body.context)
            uses.append(replace(use, domain=domain, outputs=tuple(renamed)))
    equations = tuple(_merged(each) for each in branches.values())
    return replace(
        system,
        declarations=(*system.declarations, *locals_),
        bodies=(Body(system.context, equations, tuple(uses)),),
    )


def inlined(program: Program, name: str) -> System:
    """The system of that name with one body, and renamed copies of the equations that it uses.

    A copy has the dimensions of the domain of instances before its own. Raises `PolyirError` for a
    system that uses itself, for an output of a use that is not simply a variable, and for
    variables that are not declared.
    """
    return _inlined(program, name, ())


def output_variable(expression: Expression) -> str:
    """The variable that an output of a use is. Raises `PolyirError` if it is anything else."""
    match expression:
        case Variable(name=name):
            return name
        case Dependence(operand=Variable(name=name), function=function):
            space = function.get_space()
            count = function.dim(isl.dim_type.in_)
            if count == function.dim(isl.dim_type.out) and function.plain_is_equal(
                isl.MultiAff.identity(space.domain().map_from_set())
            ):
                return name
    raise EquationFormError(
        "an output of a system that is used must be a variable, at the point of the instance",
        expression.location,
    )


def system_named(program: Program, name: str) -> System:
    """The system of that qualified name. Raises `PolyirError` if there is none."""
    for system in program.systems:
        if system.name == name:
            return system
    raise PolyirError(f"there is no system '{name}'", name="unknown-name")


def _inlined(program: Program, name: str, around: tuple[str, ...]) -> System:
    if name in around:
        chain = " uses ".join(f"'{each}'" for each in (*around[around.index(name) :], name))
        location = system_named(program, name).location
        raise EquationFormError(f"a system cannot use itself: {chain}", location)
    system = merged_bodies(system_named(program, name))
    if not system.body.uses:
        return system
    declarations = list(system.declarations)
    equations = list(system.body.equations)
    taken = set(system.variables)
    for number, use in enumerate(system.body.uses):
        used = _inlined(program, use.system, (*around, name))
        prefix = f"{use.system.rpartition('.')[2]}{number}_"
        renamed = {each: _fresh(prefix + each, taken) for each in used.variables}
        copy = Instances(use, used, system)
        declarations += copy.declarations(renamed)
        equations += copy.equations(renamed)
    body = Body(system.context, tuple(equations))
    return replace(system, declarations=tuple(declarations), bodies=(body,))


class Instances:
    """The points of a system that is used, as points of the system that uses it."""

    def __init__(self, use: Use, used: System, system: System) -> None:
        self._use = use
        self._used = used
        self._system = system
        self._over = use.domain.dim(isl.dim_type.set)

    def set(self, domain: isl.Set) -> isl.Set:
        """The points of all instances: `{ [k, i] : k an instance, i in the domain for it }`."""
        count = domain.dim(isl.dim_type.set)
        parameters = len(self._used.parameters)
        flat = domain.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, parameters)
        named = flat.align_params(self._system.context.get_space())
        points = named.preimage_multi_aff(self._to_parameters(count))
        return points.intersect(self._use.domain.add_dims(isl.dim_type.set, count))

    def function(self, function: isl.MultiAff) -> isl.MultiAff:
        """`{ [k, i] -> [k, function(i)] }`."""
        count = function.dim(isl.dim_type.in_)
        instance = self._identity(count).drop_dims(isl.dim_type.out, self._over, count)
        return instance.flat_range_product(self._values(function))

    def expression(self, expression: Expression, renamed: dict[str, str]) -> Expression:
        """An expression of the system that is used, with other names for its variables."""

        def rule(each: Expression) -> Expression:
            match each:
                case Variable(name=name):
                    if name not in renamed:
                        raise PolyirError(
                            f"there is no variable '{name}'", each.location, name="unknown-name"
                        )
                    return replace(each, name=renamed[name])
                case Restrict(domain=domain):
                    return replace(each, domain=self.set(domain))
                case Dependence(function=function):
                    return replace(each, function=self.function(function))
                case Reduce(projection=projection):
                    return replace(each, projection=self.function(projection))
                case Index(function=function):
                    values = self._values(isl.MultiAff.from_aff(function))
                    return replace(each, function=values.get_at(0))
                case Polynomial(function=function):
                    return replace(each, function=self._polynomial(function))
            return each

        return expression.rewritten(rule)

    def declarations(self, renamed: dict[str, str]) -> list[Declaration]:
        """The variables of all instances, as local variables."""
        return [
            Declaration(renamed[each.name], self.set(each.domain), Role.LOCAL, each.location)
            for each in self._used.declarations
        ]

    def equations(self, renamed: dict[str, str]) -> list[Equation]:
        """Those of all instances, then what inputs are, then what outputs are good for."""
        place = self._use.location
        found = [
            Equation(
                renamed[each.variable],
                self.expression(each.expression, renamed),
                None,
                each.location,
            )
            for each in self._used.body.equations
        ]
        inputs = zip(self._used.of_role(Role.INPUT), self._use.inputs, strict=True)
        found += [Equation(renamed[each.name], value, None, place) for each, value in inputs]
        outputs = zip(self._used.of_role(Role.OUTPUT), self._use.outputs, strict=True)
        return found + [
            Equation(
                output_variable(value),
                Variable(renamed[each.name], location=value.location),
                None,
                place,
            )
            for each, value in outputs
        ]

    def _identity(self, count: int) -> isl.MultiAff:
        return isl.MultiAff.identity(self._system.space(self._over + count).map_from_set())

    def _to_parameters(self, count: int) -> isl.MultiAff:
        """`{ [k, i] -> [parameters(k), i] }`, with `count` dimensions i."""
        parameters = self._use.parameters.add_dims(isl.dim_type.in_, count)
        point = self._identity(count).drop_dims(isl.dim_type.out, 0, self._over)
        return parameters.flat_range_product(point)

    def _values(self, function: isl.MultiAff) -> isl.MultiAff:
        """`{ [k, i] -> function(i) }`."""
        count = function.dim(isl.dim_type.in_)
        return self._flat(function).pullback_multi_aff(self._to_parameters(count))

    def _polynomial(self, function: isl.PwQPolynomial) -> isl.PwQPolynomial:
        count = function.dim(isl.dim_type.in_)
        return pulled_back(self._flat(function), self._to_parameters(count))

    def _flat(self, function: Function) -> Function:
        """`{ [p, i] -> function(i) }`: the parameters of the system that is used are arguments."""
        count = len(self._used.parameters)
        flat = function.move_dims(isl.dim_type.in_, 0, isl.dim_type.param, 0, count)
        flat = flat.add_dims(isl.dim_type.param, len(self._system.parameters))
        for position, name in enumerate(self._system.parameters):
            flat = flat.set_dim_name(isl.dim_type.param, position, name)
        return flat


def _restricted(equation: Equation, system: System, context: isl.Set) -> Equation:
    count = system.variables[equation.variable].domain.dim(isl.dim_type.set)
    domain = isl.Set.universe(system.space(count)).intersect_params(context)
    value = Restrict(equation.expression, domain, location=equation.expression.location)
    return replace(equation, expression=value)


def _merged(equations: list[Equation]) -> Equation:
    if len(equations) == 1:
        return equations[0]
    first = equations[0]
    branches = tuple(each.expression for each in equations)
    return replace(first, expression=Case(branches, location=first.location))


def _fresh(wanted: str, taken: set[str]) -> str:
    """A name like `wanted`, which may have parts in quotes, that is not taken, and now is."""
    name = unique_name(wanted.replace("'", ""), taken)
    taken.add(name)
    return name
