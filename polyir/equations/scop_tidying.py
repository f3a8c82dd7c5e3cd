"""Systems without the variables that only loops need.

A scop stores numbers that it reads again, and copies. Here, locals that are a constant are that
constant, reductions do not begin from what their operator begins from, an output that is some local
at all its points takes its place, and locals that no output needs are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from polyir.equations.element_types import ElementType
from polyir.equations.system import (
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Operation,
    Reduce,
    Role,
    System,
    Variable,
)


def with_fewer_locals(system: System) -> System:
    """The same system of one body, with fewer locals; `elements` is known."""
    system = _with_constants(system)
    while (shorter := _with_outputs_for_locals(system)) is not system:
        system = shorter
    return _without_unused(system)


def _with_constants(system: System) -> System:
    constants = {
        each.variable: each.expression
        for each in system.body.equations
        if isinstance(each.expression, Constant)
        and system.variables[each.variable].role is Role.LOCAL
    }
    assert system.elements is not None
    element_type = ElementType(system.elements)

    def rule(each: Expression) -> Expression:
        match each:
            case Variable(name=name):
                return constants.get(name, each)
            case Dependence(operand=Constant() as constant):
                return constant
            case Operation(parts=(Constant(value=value), Reduce(operator=operator) as reduction)):
                if value == element_type.identity(operator):
                    return reduction
        return each

    return _rewritten(system, rule)


def _with_outputs_for_locals(system: System) -> System:
    renamed: dict[str, str] = {}
    for each in system.body.equations:
        output = system.variables[each.variable]
        if output.role is Role.OUTPUT and isinstance(each.expression, Variable):
            local = system.variables[each.expression.name]
            is_free = local.role is Role.LOCAL and local.name not in renamed
            if is_free and local.domain.is_equal(output.domain):
                renamed[local.name] = output.name
    if not renamed:
        return system
    equations = tuple(
        replace(each, variable=renamed.get(each.variable, each.variable))
        for each in system.body.equations
        if each.variable not in renamed.values()
    )

    def rule(each: Expression) -> Expression:
        if isinstance(each, Variable) and each.name in renamed:
            return replace(each, name=renamed[each.name])
        return each

    # The dimensions of the local have the better names.
    domains = {output: system.variables[local].domain for local, output in renamed.items()}
    declarations = tuple(
        replace(each, domain=domains.get(each.name, each.domain))
        for each in system.declarations
        if each.name not in renamed
    )
    return _rewritten(_with_parts(system, declarations, equations), rule)


def _without_unused(system: System) -> System:
    expressions = {each.variable: each.expression for each in system.body.equations}
    needed = {each.name: None for each in system.of_role(Role.OUTPUT)}
    pending = list(needed)
    while pending:
        name = pending.pop()
        for each in expressions[name].walk() if name in expressions else ():
            if isinstance(each, Variable) and each.name not in needed:
                needed[each.name] = None
                pending.append(each.name)
    return _with_parts(
        system,
        tuple(each for each in system.declarations if each.name in needed),
        tuple(each for each in system.body.equations if each.variable in needed),
    )


def _rewritten(system: System, rule: Callable[[Expression], Expression]) -> System:
    equations = tuple(
        replace(each, expression=each.expression.rewritten(rule)) for each in system.body.equations
    )
    return _with_parts(system, system.declarations, equations)


def _with_parts(
    system: System, declarations: tuple[Declaration, ...], equations: tuple[Equation, ...]
) -> System:
    return replace(
        system, declarations=declarations, bodies=(replace(system.body, equations=equations),)
    )
