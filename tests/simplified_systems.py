"""Systems with one reduction, and what is compared before and after it is simplified."""

from __future__ import annotations

import islpy as isl
import numpy as np
from equation_systems import random_inputs

from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.simplify import Simplified, simplify_reductions
from polyir.equations.system import (
    Body,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Index,
    Operation,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)

INTEGERS = Options(is_integer=True)
FLOATS = Options()
REASSOCIATED = Options(reassociate=True)


def at(name: str, function: str) -> Dependence:
    """`name` at the point to which a function such as `[i, j] -> [i + j]` maps."""
    return Dependence(Variable(name), isl.MultiAff(f"[N] -> {{ {function} }}"))


def over(operator: str, projection: str, domain: str, body: Expression) -> Reduce:
    """The reduction of `body` over the points of a domain such as `[i, j] : 0 <= j <= i`."""
    restricted = Restrict(body, isl.Set(f"[N] -> {{ {domain} }}"))
    return Reduce(restricted, operator, isl.MultiAff(f"[N] -> {{ {projection} }}"))


def applied(operator: str, *parts: Expression) -> Operation:
    return Operation(parts, operator)


def index(function: str) -> Index:
    return Index(isl.Aff(f"[N] -> {{ {function} }}"))


def a_system(
    inputs: dict[str, str],
    outputs: dict[str, tuple[str, Expression]],
    context: str = "N >= 1",
    local: tuple[str, ...] = (),
) -> System:
    """Outputs, or locals, with their domains and right sides; domains are as `[i] : 0 <= i < N`."""
    whole = isl.Set(f"[N] -> {{ : {context} }}")
    declarations = [Declaration(name, _set(text), Role.INPUT) for name, text in inputs.items()]
    for name, (text, _) in outputs.items():
        role = Role.LOCAL if name in local else Role.OUTPUT
        declarations.append(Declaration(name, _set(text), role))
    equations = tuple(Equation(name, right) for name, (_, right) in outputs.items())
    return System("system", ("N",), whole, tuple(declarations), (Body(whole, equations),))


def _set(text: str) -> isl.Set:
    return isl.Set(f"[N] -> {{ {text} }}")


def checked(
    system: System, options: Options = INTEGERS, sizes: tuple[int, ...] = (1, 2, 3, 7)
) -> Simplified:
    """The simplified system, after all its outputs were compared with those of the original."""
    simplified = simplify_reductions(system, options)
    for size in sizes:
        if not system.context.fix_val(isl.dim_type.param, 0, isl.Val(size)).is_empty():
            _compare(system, simplified.system, options, size)
    return simplified


def _compare(system: System, simplified: System, options: Options, size: int) -> None:
    element_type = ElementType.I32 if options.is_integer else ElementType.F64
    inputs = random_inputs(system, {"N": size}, element_type, seed=size)
    if options.is_integer and not options.reassociate:
        # Sums and products of these wrap.
        inputs = {name: (each * 257_636_401).astype(np.int32) for name, each in inputs.items()}
    before = evaluate(system, {"N": size}, inputs, element_type)
    after = evaluate(simplified, {"N": size}, inputs, element_type)
    for name, expected in before.outputs.items():
        message = f"{show(system)}\n\n{show(simplified)}"
        if options.is_integer:
            np.testing.assert_array_equal(after.outputs[name], expected, message)
        else:
            np.testing.assert_allclose(
                after.outputs[name], expected, rtol=1e-9, atol=1e-6, err_msg=message
            )


def show(system: System) -> str:
    """The equations, for whoever reads a failure."""
    lines = [f"{each.role.value} {each.name} : {each.domain}" for each in system.declarations]
    for body in system.bodies:
        lines += [f"{each.variable} = {written(each.expression)}" for each in body.equations]
    return "\n".join(lines)


def written(expression: Expression) -> str:
    match expression:
        case Constant(value=value):
            return str(value)
        case Index(function=function):
            return str(function)
        case Variable(name=name):
            return name
        case Dependence(operand=operand, function=function):
            return f"{written(operand)} @ {function}"
        case Restrict(operand=operand, domain=domain):
            return f"\n    {domain} : {written(operand)}"
        case Reduce(operand=operand, operator=operator, projection=projection):
            return f"reduce({operator}, {projection}, {written(operand)})"
        case Operation(parts=parts, operator=operator):
            return f" {operator} ".join(f"({written(part)})" for part in parts)
        case _:
            return f"{type(expression).__name__}{[written(e) for e in expression.operands]}"
