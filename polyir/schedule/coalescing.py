"""Rows that coalesce loops, and how to keep clear of them.

Where an iterator j has fewer than 26 values, the row 26 i + j runs through all of (i, j): it
respects any order, and so makes any two loops a permutable band, but its tiles are rows of the
original loops, its numbers make code generation slow, and the next loop inside has nothing to
do. isl keeps clear of such rows (its option `treat_coalescing`) by a limit on coefficients.
"""

from __future__ import annotations

import islpy as isl


def coefficient_limits(domain: isl.Set) -> tuple[int | None, ...]:
    """For each iterator of `domain` the largest sensible absolute value of its coefficient.

    That is half the number of values of any other iterator, rounded up, for all parameters; and
    `None` where the numbers of values of all others depend on parameters without bounds.
    """
    halves = [_half_extent(domain, position) for position in range(domain.dim(isl.dim_type.set))]
    limits: list[int | None] = []
    for position in range(len(halves)):
        others = [*halves[:position], *halves[position + 1 :]]
        limits.append(min((each for each in others if each is not None), default=None))
    return tuple(limits)


def _half_extent(domain: isl.Set, position: int) -> int | None:
    """Half the number of values of an iterator, rounded up and at least 1; `None` if unbounded."""
    least, greatest = domain.dim_min_val(position), domain.dim_max_val(position)
    if not (least.is_int() and greatest.is_int()):
        return None
    return max((greatest.to_python() - least.to_python() + 2) // 2, 1)
