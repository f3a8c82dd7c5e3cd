"""Partial results of reductions: which part an iteration is of, and what each part has.

An update X[f] = X[f] op e, whose instances may run in any order, becomes

    P[p, c] = neutral element                          for each part p and result c
    P[p, c] = P[p, c] op e                             in the instances of part p
    X[c] = X[c] op (P[0, c] op P[1, c] op ...)         when all of them are done

The combination is the same, in another order and with other brackets. P is new memory, and nothing
else accesses X[c] meanwhile: that is for those to show who divide iterations into parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import islpy as isl
from xdsl.dialects.builtin import MemRefType, NoneAttr

from polyir.model.scop import Scop, unique_name
from polyir.model.updates import Update
from polyir.sets.boxes import NoBoxError, Side, box_of
from polyir.sets.lists import pieces_of
from polyir.sets.values import isl_value


class NoReductionError(ValueError):
    """A statement that looks like a reduction, but cannot be computed in parallel; says why."""


_Values = TypeVar("_Values", isl.PwAff, isl.UnionPwAff)


@dataclass(frozen=True)
class Parts:
    """Iterations in parts, which take turns: v is of part `floor(v / turn) mod count`."""

    count: int
    turn: int = 1

    def of(self, values: _Values) -> _Values:
        """The parts of iterations with some values."""
        if self.turn != 1:
            values = values.scale_down_val(isl_value(self.turn)).floor()
        return values.mod_val(isl_value(self.count))


@dataclass(frozen=True)
class PartialResults:
    """The results of an array X that each part of some iterations has.

    In an iteration v of the `depth` loops around, the instances S[i] of `updates` update the
    results c, which are `places`, functions of i. `cells` are `{ [v, c] }`, and `box` is around c.
    """

    updates: tuple[Update, ...]
    places: tuple[tuple[isl.Aff, ...], ...]
    depth: int
    cells: isl.Set
    box: tuple[Side, ...]

    @property
    def name(self) -> str:
        """The name of the array."""
        return self.updates[0].array

    def domain(self, name: str, parts: Mapping[str, int], position: int | None = None) -> isl.Set:
        """`{ name[v, p, c] }`: an instance for each result, and for each of so many parts.

        The iterators of parts have names, and follow `position` others: all if nothing is said.
        """
        first = self.cells.dim(isl.dim_type.set) if position is None else position
        cells = self.cells.reset_tuple_id() if self.cells.has_tuple_id() else self.cells
        cells = cells.insert_dims(isl.dim_type.set, first, len(parts))
        for place, count in enumerate(parts.values(), first):
            cells = cells.lower_bound_val(isl.dim_type.set, place, isl.Val(0))
            cells = cells.upper_bound_val(isl.dim_type.set, place, isl_value(count - 1))
        names = [f"i{place}" for place in range(cells.dim(isl.dim_type.set) - len(parts))]
        names[first:first] = parts
        for place, each in enumerate(names):
            cells = cells.set_dim_name(isl.dim_type.set, place, each)
        return cells.set_tuple_name(name)


def partial_results(
    scop: Scop,
    updates: Sequence[Update],
    places: Sequence[tuple[isl.Aff, ...]],
    depth: int,
    cells: isl.Set,
) -> PartialResults:
    """Partial results with a box around them; raises `NoReductionError` if there is none."""
    name, memory = updates[0].array, updates[0].memory.type
    if not isinstance(memory, MemRefType) or not isinstance(memory.layout, NoneAttr):
        raise NoReductionError(f"the layout of {name} is not the default")
    if any(update.combiner is not updates[0].combiner for update in updates):
        raise NoReductionError(f"{name} is updated by several operations")
    try:
        box = box_of(cells.project_out(isl.dim_type.set, 0, depth), scop.context)
    except NoBoxError as error:
        raise NoReductionError(f"the results in {name} have no box: {error}") from None
    return PartialResults(tuple(updates), tuple(places), depth, cells, box)


class Namer:
    """Makes names of new statements from that of the statement that they are for."""

    def __init__(self, scop: Scop, statement: str) -> None:
        self._statement = statement
        self._taken = {*scop.arrays, *(body.name for body in scop.bodies)}

    def __call__(self, role: str) -> str:
        name = unique_name(f"{self._statement}_{role}", self._taken)
        self._taken.add(name)
        return name


def function_of(relation: isl.Map) -> tuple[isl.Aff, ...]:
    """A relation as one affine function; raises `NoReductionError` if it is none."""
    pieces = pieces_of(isl.PwMultiAff.from_map(relation).coalesce())
    if len(pieces) != 1:
        raise NoReductionError("its element is not a single affine function of the loops around")
    ((_, function),) = pieces
    return tuple(function.get_at(place) for place in range(function.dim(isl.dim_type.out)))


def single(function: isl.PwAff) -> isl.Aff:
    """A function of one piece; raises `NoReductionError` for others."""
    pieces = function.get_pieces()
    if len(pieces) != 1:
        raise NoReductionError("a loop around it has values that are not a single affine function")
    ((_, piece),) = pieces
    return piece
