"""The exact dependences of the statements of a system, as array dataflow analysis would find them.

They follow from the equations: an element is written once, or by one reduction in a known order. So
nothing has to be searched for, which takes isl long where indices have remainders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Final

import islpy as isl

from polyir.dialects.dependence import DependenceKind
from polyir.equations.statements import (
    Computation,
    Computations,
    Effect,
    Shared,
    overwritten,
)

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out

_Kinds = tuple[DependenceKind, ...]

_START: Final[_Kinds] = (DependenceKind.FLOW, DependenceKind.OUTPUT)
_CHAIN: Final[_Kinds] = (DependenceKind.FLOW, DependenceKind.ANTI, DependenceKind.OUTPUT)
"""From a statement that reads the element too."""


@dataclass(frozen=True)
class Flow:
    """Dependences of some kinds through a variable: `{ S[i] -> T[j] }`."""

    kinds: _Kinds
    variable: str
    relation: isl.Map


def anti_flows(computations: Computations, shared: Shared) -> Iterator[Flow]:
    """The dependences of what overwrites an input on what reads it."""
    for variable, relation in overwritten(computations.statements, shared):
        yield Flow((DependenceKind.ANTI,), variable, relation)


def flows_of(computations: Computations) -> Iterator[Flow]:
    """The value-based dependences of the statements, those of one pair of statements in parts.

    Without those through inputs (`anti_flows`).
    """
    writers: dict[str, list[isl.Map]] = {}
    for (variable, number), group in groupby(
        computations.statements, lambda each: (each.variable, each.reduction)
    ):
        statements = list(group)
        if number is None:
            last = [each.writes.reverse() for each in statements]
        else:
            yield from _within(statements)
            last = list(_instances(statements, _contributions(statements).reverse().lexmax()))
        writers.setdefault(variable, []).extend(last)
    for reader in computations.statements:
        for variable, reads in reader.reads:
            for writer in writers.get(variable, ()):
                flow = reads.apply_range(writer).reverse()
                if not flow.is_empty():
                    yield Flow((DependenceKind.FLOW,), variable, flow)


def _within(statements: Sequence[Computation]) -> Iterator[Flow]:
    """The dependences between the statements of one reduction, each on the one before."""
    contributions = _contributions(statements)
    points = contributions.domain()
    later = isl.Map.lex_lt(points.get_space())
    together = contributions.apply_range(contributions.reverse())
    following = together.intersect(later).lexmin()
    first = contributions.reverse().lexmin()
    for source in statements:
        if source.effect is Effect.START:
            begins = source.writes.apply_range(first)
            own = _START
        else:
            own = _CHAIN if source.effect is Effect.COMBINE else _START
            begins = _unnamed_points(source).identity().apply_range(following)
            begins = begins.set_tuple_name(_IN, source.name)
        for relation in _instances(statements, begins):
            if not relation.is_empty():
                yield Flow(own, source.variable, relation)


def _contributions(statements: Sequence[Computation]) -> isl.Map:
    """From the points of the body of a reduction to those of the variable."""
    maps = (
        each.writes.reset_tuple_id(_IN) for each in statements if each.effect is not Effect.START
    )
    return reduce(isl.Map.union, maps).coalesce()


def _instances(statements: Sequence[Computation], points: isl.Map) -> Iterator[isl.Map]:
    """A relation to points of a body as one to the instances of its statements."""
    for each in statements:
        if each.effect is not Effect.START:
            part = points.intersect_range(_unnamed_points(each))
            yield part.set_tuple_name(_OUT, each.name)


def _unnamed_points(statement: Computation) -> isl.Set:
    return statement.domain.reset_tuple_id()
