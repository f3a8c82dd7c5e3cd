"""Reductions as trees: partial results of blocks, which are computed in parallel, and combined."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyir.equations.element_types import ElementType
from polyir.equations.system import Body, Equation, Expression, Reduce, System
from polyir.sets.values import isl_value


def with_trees(
    system: System, block: int, element_type: ElementType, reassociate: bool = False
) -> System:
    """The system with reductions of reductions: first of `block` values each, then of the results.

    The blocks are along the last dimension of the body that the result does not depend on; a
    reduction without one stays. Sums and products of floating-point numbers, which round, change
    with `reassociate` only; reductions by an external function never.
    """

    def rule(expression: Expression) -> Expression:
        if not isinstance(expression, Reduce) or expression.is_external:
            return expression
        rounds = not element_type.is_integer and expression.operator in ("+", "*")
        if rounds and not reassociate:
            return expression
        return _in_blocks(expression, block)

    def rewritten(equation: Equation) -> Equation:
        return replace(equation, expression=equation.expression.rewritten(rule))

    bodies = tuple(
        Body(each.context, tuple(map(rewritten, each.equations)), each.uses)
        for each in system.bodies
    )
    return replace(system, bodies=bodies)


def _in_blocks(reduction: Reduce, block: int) -> Reduce:
    projection = reduction.projection
    free = [
        place
        for place in range(projection.dim(isl.dim_type.in_))
        if not projection.involves_dims(isl.dim_type.in_, place, 1)
    ]
    if not free:
        return reduction
    points = projection.get_domain_space()
    identity = isl.MultiAff.identity_on_domain_space(points)
    index = identity.get_at(free[-1])
    number = index.scale_down_val(isl_value(block)).floor()
    blocks = replace(reduction, projection=identity.set_at(free[-1], number))
    # The result does not depend on the index: the number of a block will do for it.
    return replace(reduction, operand=blocks)
