"""The functions of the members of a band: iterators, tiles, or something else."""

from __future__ import annotations

import islpy as isl

from polyir.model.tree_loops import variables_of


def iterator_of(function: isl.PwAff) -> int | None:
    """The position of the iterator that `function` equals, if there is one."""
    expression = _only_piece(function)
    position = None if expression is None else _only_variable(expression, isl.dim_type.in_)
    if expression is None or position is None:
        return None
    factor = expression.get_coefficient_val(isl.dim_type.in_, position)
    return position if factor.is_one() else None


def tiled_iterator_of(function: isl.PwAff) -> int | None:
    """The position of `i` if `function` is a multiple of `floor(i/c)`, or counts these.

    The loop over the tiles of a block counts them: it is `floor((floor(i/c) - first)/blocks)`.
    """
    expression = _only_piece(function)
    if expression is None:
        return None
    division = _only_variable(expression, isl.dim_type.div)
    while division is not None:
        inner = expression.get_div(division)
        position = _only_variable(inner, isl.dim_type.in_)
        if position is not None:
            return position
        others = [each for each in variables_of(inner) if each[0] != isl.dim_type.param]
        is_division = len(others) == 1 and others[0][0] == isl.dim_type.div
        expression, division = inner, others[0][1] if is_division else None
    return None


def _only_piece(function: isl.PwAff) -> isl.Aff | None:
    pieces = function.get_pieces()
    return pieces[0][1] if len(pieces) == 1 else None


def _only_variable(expression: isl.Aff, kind: isl.dim_type) -> int | None:
    """The position of the variable in `expression`, if there is exactly one and it is of `kind`."""
    variables = variables_of(expression)
    if len(variables) != 1 or not expression.get_constant_val().is_zero():
        return None
    found, position = variables[0]
    return position if found == kind else None
