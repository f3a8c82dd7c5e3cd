"""A variable's definition in place of a use of it."""

from __future__ import annotations

from polyir.equations.domains import Domains
from polyir.equations.errors import EquationFormError
from polyir.equations.points import counted
from polyir.equations.rewriting import Draft, equation_of, moved, restricted
from polyir.equations.system import Dependence, Expression, System, Variable


def substitute(system: System, variable: str, definition: str, number: int | None = None) -> System:
    """Put the right-hand side of one equation in place of its variable in another.

    In the equation of `variable`, use `number` of `definition`, counted from 0 in the order in
    which they are written, or all uses. Raises `PolyirError` if there is none, or either variable
    has no equation.
    """
    place, equation = equation_of(system, variable)
    defining_place, defining = equation_of(system, definition)
    if defining_place != place:
        raise EquationFormError(
            f"'{definition}' is defined for other parameters than '{variable}'", defining.location
        )
    domain = system.variables[definition].domain
    value = restricted(defining.expression, domain, Domains(system))
    count = 0

    def replaced(expression: Expression) -> Expression:
        nonlocal count
        match expression:
            case Variable(name=name) if name == definition:
                count += 1
                return value if number in (None, count - 1) else expression
            case Dependence(operand=operand):
                inner = replaced(operand)
                if inner is operand:
                    return expression
                return moved(inner, expression.function)
            case _:
                operands = tuple(replaced(each) for each in expression.operands)
                same = all(a is b for a, b in zip(operands, expression.operands, strict=True))
                return expression if same else expression.with_operands(operands)

    expression = replaced(equation.expression)
    if count == 0 or (number is not None and not 0 <= number < count):
        asked = (
            "" if number is None else f", and number {number} is asked for: they are counted from 0"
        )
        raise EquationFormError(
            f"the equation of '{variable}' has {counted(count, 'use')} of '{definition}'{asked}",
            equation.location,
        )
    draft = Draft(system)
    draft.replace_expression(place, variable, expression)
    return draft.system
