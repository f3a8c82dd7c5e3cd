"""Reductions rewritten: partial results in lanes, and trees that combine them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import islpy as isl

from polyir.model.scop import Scop
from polyir.model.updates import elements
from polyir.transform.reassociation.partial_results import (
    Namer,
    PartialResults,
    function_of,
    partial_results,
    single,
)
from polyir.transform.reassociation.plan import Loop, ReductionPlan


@dataclass(frozen=True)
class Piece:
    """A new statement: its domain `{ T[v, c] }`, with the values v of the loops around.

    c is the part and the lane, one of them, or nothing. If it combines lanes or parts, they are
    `half` apart; the last two of them if that is 1.
    """

    domain: isl.Set
    half: int = 0

    @property
    def name(self) -> str:
        """Its name."""
        return self.domain.get_tuple_name()


@dataclass(frozen=True)
class Rewriting:
    """What to do to a scop for a reduction: new statements, memory, and the tree.

    `initial` sets a partial result to the neutral element, and `combining` combine lanes. For a
    reduction in parts, the last of these gives the result of a part, and `across_parts` combine
    the parts in the same way. The last statement updates the element `place`, functions of the
    loops around.
    """

    reduction: ReductionPlan
    results: PartialResults
    initial: Piece
    combining: tuple[Piece, ...]
    across_parts: tuple[Piece, ...]
    place: tuple[isl.Aff, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The new statements in the order in which they run."""
        return (*self.of_parts, *self.across_parts)

    @property
    def of_parts(self) -> tuple[Piece, ...]:
        """Those for each part, or for the whole result."""
        return (self.initial, *self.combining)


def plan_rewriting(scop: Scop, reduction: ReductionPlan) -> Rewriting:
    """What computes a reduction in lanes; raises `NoReductionError`.

    The partial results of a result v are combined by a tree:

        P[v, c] = P[v, c] op P[v, c + h]                  for c < h; h = lanes/2, ..., 2
        X[f] = X[f] op (P[v, 0] op P[v, 1])

    X[f] is accessed by nothing else between the instances of one result (`find_reduction`). So the
    value is the same for every later read, but for rounding.

        band [v, k]                  band [v in groups]
          S                            mark #poly.one_block
                            =>           sequence
                                           filter initial, S: band [v, l]
                                             sequence
                                               filter initial
                                               filter S: band [k]
                                           filter step: band [v, c]
                                           ...
                                           filter result: band [v]

    A single result is divided into parts first, b, whose results are combined by a second tree:

        band [b]
          mark #poly.one_block
            sequence ...
        mark #poly.one_block
          sequence
            filter step: band [c]
            ...
            filter total

    What shared loops with S runs before or after, in loops of its own over the same results.
    """
    update = reduction.update
    prefix = reduction.prefix
    place = function_of(prefix.reverse().apply_range(elements(update)).coalesce())
    values = tuple(single(loop.values) for loop in reduction.results)
    for loop in (reduction.lane, *_given(reduction.part)):
        single(loop.values)
    depth = len(reduction.around)
    results = partial_results(scop, (update,), (values,), depth, prefix.range().coalesce())
    namer = Namer(scop, update.statement.name)
    lanes, blocks = reduction.lanes, reduction.blocks
    part = {"b": blocks} if blocks > 1 else {}
    initial = Piece(results.domain(namer("init"), {**part, "l": lanes}))

    def tree(
        role: str, last: str, part: Mapping[str, int], name: str, count: int
    ) -> Iterator[Piece]:
        for half in _halves(count):
            yield Piece(results.domain(namer(f"{role}{half}"), {**part, name: half}), half)
        yield Piece(results.domain(namer(last), part), 1)

    combining = tuple(tree("tree", "part" if part else "result", part, "l", lanes))
    across_parts = tuple(tree("part_tree", "result", {}, "b", blocks)) if part else ()
    return Rewriting(reduction, results, initial, combining, across_parts, place)


def _given(loop: Loop | None) -> tuple[Loop, ...]:
    return () if loop is None else (loop,)


def _halves(lanes: int) -> list[int]:
    """The distances of the lanes that are combined, without the last one."""
    return [1 << bit for bit in range(lanes.bit_length() - 2, 0, -1)]
