"""From isl's expressions to affine maps and sets: the inverse of `polyir.model.affine`."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from polyir.sets.lists import parameters_of

Valued = tuple[AffineExpr, ...]
"""Expressions whose dimensions number a list of SSA values."""


def affine_expression(
    function: isl.Aff, inputs: Sequence[AffineExpr], parameters: Sequence[AffineExpr]
) -> AffineExpr:
    """`function` of its inputs and parameters, which must have integer values where it is used."""
    denominator = function.get_denominator_val()
    scaled = function.scale_val(denominator)
    result: AffineExpr | None = None
    groups = (
        (isl.dim_type.in_, inputs),
        (isl.dim_type.param, parameters),
        (isl.dim_type.div, _divisions(scaled, inputs, parameters)),
    )
    terms = [
        (_integer(scaled.get_coefficient_val(kind, position)), variable)
        for kind, variables in groups
        for position, variable in enumerate(variables)
    ]
    # Positive terms first, as one would write them.
    for coefficient, variable in sorted(terms, key=lambda term: term[0] < 0):
        if coefficient != 0:
            result = _sum(result, _product(variable, coefficient))
    constant = _integer(scaled.get_constant_val())
    if constant != 0 or result is None:
        result = _sum(result, AffineConstantExpr(constant))
    divisor = _integer(denominator)
    if divisor == 1:
        return result
    return AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, result, AffineConstantExpr(divisor))


def expressions_of(functions: Sequence[isl.Aff], parameters: Sequence[str]) -> Valued:
    """Functions as expressions: their dimensions number the inputs, then `parameters`."""
    results: list[AffineExpr] = []
    for function in functions:
        count = function.dim(isl.dim_type.in_)
        names = parameters_of(function.get_domain_space())
        inputs = [AffineDimExpr(place) for place in range(count)]
        numbers = [AffineDimExpr(count + parameters.index(name)) for name in names]
        results.append(affine_expression(function, inputs, numbers))
    return tuple(results)


def _divisions(
    function: isl.Aff, inputs: Sequence[AffineExpr], parameters: Sequence[AffineExpr]
) -> list[AffineExpr]:
    """The integer divisions in `function`; those that it does not use are 0."""
    divisions: list[AffineExpr] = []
    for position in range(function.dim(isl.dim_type.div)):
        if function.get_coefficient_val(isl.dim_type.div, position).is_zero():
            divisions.append(AffineConstantExpr(0))
        else:
            division = function.get_div(position)
            divisions.append(affine_expression(division, inputs, parameters))
    return divisions


def _integer(value: isl.Val) -> int:
    return int(value.to_python())


def _product(variable: AffineExpr, coefficient: int) -> AffineExpr:
    if coefficient == 1:
        return variable
    return AffineBinaryOpExpr(AffineBinaryOpKind.Mul, variable, AffineConstantExpr(coefficient))


def _sum(left: AffineExpr | None, right: AffineExpr) -> AffineExpr:
    return right if left is None else AffineBinaryOpExpr(AffineBinaryOpKind.Add, left, right)


def over_values(map: AffineMap, operands: Sequence[SSAValue], values: list[SSAValue]) -> Valued:
    """The results of `map` with its operands as dimensions that number `values`, which grows."""
    variables = [AffineDimExpr(_number(operand, values)) for operand in operands]
    return tuple(
        result.replace_dims_and_symbols(variables[: map.num_dims], variables[map.num_dims :])
        for result in map.results
    )


def _number(value: SSAValue, values: list[SSAValue]) -> int:
    if value not in values:
        values.append(value)
    return values.index(value)


def map_over(results: Valued, values: Sequence[SSAValue]) -> tuple[AffineMap, list[SSAValue]]:
    """A map with `results`, whose dimensions are those of `values` that they use, and these."""
    used = sorted({dimension for result in results for dimension in _dimensions(result)})
    renumbered: list[AffineExpr] = [AffineConstantExpr(0)] * len(values)
    for position, dimension in enumerate(used):
        renumbered[dimension] = AffineDimExpr(position)
    compact = tuple(result.replace_dims_and_symbols(renumbered, []) for result in results)
    return AffineMap(len(used), 0, compact), [values[dimension] for dimension in used]


def _dimensions(expression: AffineExpr) -> tuple[int, ...]:
    match expression:
        case AffineDimExpr(position=position):
            return (position,)
        case AffineBinaryOpExpr(lhs=left, rhs=right):
            return (*_dimensions(left), *_dimensions(right))
        case AffineSymExpr():
            raise ValueError("symbols are dimensions here")
        case _:
            return ()


def set_over(
    conditions: Sequence[tuple[AffineExpr, bool]], values: Sequence[SSAValue]
) -> tuple[AffineSet, list[SSAValue]]:
    """The set where each expression is zero (with `True`) or not negative, and its operands."""
    map, operands = map_over(tuple(expression for expression, _ in conditions), values)
    kinds = {True: AffineConstraintKind.eq, False: AffineConstraintKind.ge}
    constraints = tuple(
        AffineConstraintExpr(kinds[is_equality], result, AffineConstantExpr(0))
        for result, (_, is_equality) in zip(map.results, conditions, strict=True)
    )
    return AffineSet(map.num_dims, 0, constraints), operands
