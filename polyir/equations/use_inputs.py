"""The inputs of systems that are used, as variables of the system that uses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from polyir.equations.inlining import Instances, system_named
from polyir.equations.rewriting import tidied
from polyir.equations.system import (
    Body,
    Declaration,
    Equation,
    Expression,
    Program,
    Role,
    System,
    Use,
    Variable,
)
from polyir.sets.names import unique_name


def with_locals_for_inputs(
    system: System, program: Program, chosen: Callable[[Expression], bool]
) -> System:
    """The system with locals for the inputs of its uses that are `chosen`.

    Such an expression becomes the equation of a local, whose domain has the points at which the
    system that is used needs it. Raises `PolyirError` for a use of a system that is not there.
    """
    taken = {*system.variables, *system.parameters}
    declarations = list(system.declarations)
    bodies: list[Body] = []
    for body in system.bodies:
        equations = list(body.equations)
        uses: list[Use] = []
        for use in body.uses:
            used = system_named(program, use.system)
            needed = Instances(use, used, system)
            inputs = list(use.inputs)
            pairs = zip(used.of_role(Role.INPUT), use.inputs, strict=True)
            for place, (declared, expression) in enumerate(pairs):
                if not chosen(expression):
                    continue
                used_name = used.name.rpartition(".")[2]
                name = unique_name(f"{used_name}_{declared.name}".replace("'", ""), taken)
                taken.add(name)
                domain = needed.set(declared.domain).intersect_params(body.context)
                points = tidied(domain.coalesce(), system.context)
                where = expression.location or use.location
                declarations.append(Declaration(name, points, Role.LOCAL, where))
                equations.append(Equation(name, expression, None, where))
                inputs[place] = Variable(name, location=where)
            uses.append(replace(use, inputs=tuple(inputs)))
        bodies.append(replace(body, equations=tuple(equations), uses=tuple(uses)))
    return replace(system, declarations=tuple(declarations), bodies=tuple(bodies))
