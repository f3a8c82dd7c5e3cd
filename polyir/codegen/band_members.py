"""The functions of the members of a band: iterators, tiles, or something else."""

from __future__ import annotations

import islpy as isl


def member_functions(band: isl.ScheduleNode, member: int) -> tuple[isl.PwAff, ...]:
    """The functions of the iterators that a band member has, one per statement."""
    functions = band.band_get_partial_schedule().get_at(member).get_pw_aff_list()
    return tuple(functions.get_at(position) for position in range(functions.n_pw_aff()))


def iterates_over_tiles(function: isl.PwAff) -> bool:
    """Whether `function` is a sum of integer divisions, as for loops over tiles."""
    return all(_is_sum_of_divisions(piece) for _, piece in function.get_pieces())


def iterator_of(function: isl.PwAff) -> int | None:
    """The position of the iterator that `function` equals, if there is one."""
    expression = _only_piece(function)
    position = None if expression is None else _only_variable(expression, isl.dim_type.in_)
    if expression is None or position is None:
        return None
    factor = expression.get_coefficient_val(isl.dim_type.in_, position)
    return position if factor.is_one() else None


def tiled_iterator_of(function: isl.PwAff) -> int | None:
    """The position of `i` if `function` is a multiple of `floor(i/c)`."""
    expression = _only_piece(function)
    if expression is None:
        return None
    division = _only_variable(expression, isl.dim_type.div)
    if division is None:
        return None
    return _only_variable(expression.get_div(division), isl.dim_type.in_)


def _only_piece(function: isl.PwAff) -> isl.Aff | None:
    pieces = function.get_pieces()
    return pieces[0][1] if len(pieces) == 1 else None


def _is_sum_of_divisions(expression: isl.Aff) -> bool:
    kinds = tuple(kind for kind, _ in _variables(expression))
    return bool(kinds) and all(kind == isl.dim_type.div for kind in kinds)


def _only_variable(expression: isl.Aff, kind: isl.dim_type) -> int | None:
    """The position of the variable in `expression`, if there is exactly one and it is of `kind`."""
    variables = _variables(expression)
    if len(variables) != 1 or not expression.get_constant_val().is_zero():
        return None
    found, position = variables[0]
    return position if found == kind else None


def _variables(expression: isl.Aff) -> tuple[tuple[isl.dim_type, int], ...]:
    return tuple(
        (kind, position)
        for kind in (isl.dim_type.param, isl.dim_type.in_, isl.dim_type.div)
        for position in range(expression.dim(kind))
        if not expression.get_coefficient_val(kind, position).is_zero()
    )
