"""Reductions rewritten: partial results in lanes, and trees that combine them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import islpy as isl

from polyir.model.scop import Scop, unique_name
from polyir.model.updates import elements
from polyir.sets.boxes import NoBoxError, Side, box_of
from polyir.sets.lists import pieces_of
from polyir.sets.values import isl_value
from polyir.transform.reassociation.plan import Loop, NoReductionError, Reduction


@dataclass(frozen=True)
class Piece:
    """A new statement: its domain `{ T[v, c] }`, with the values v of the loops around.

    c is the part and the lane, one of them, or nothing. If it combines lanes or parts, they are
    `half` apart.
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

    `initial` sets a partial result to the neutral element. Each of `steps` combines lanes, and
    `result` the last two of them. For a reduction in parts, that is the result of a part; `parts`
    combine these in the same way, and `total` the last two of them. The last statement updates the
    element `place`, a function of the loops around. `box` is around the values of the loops over
    results.
    """

    reduction: Reduction
    initial: Piece
    steps: tuple[Piece, ...]
    result: Piece
    parts: tuple[Piece, ...]
    total: Piece | None
    place: isl.MultiAff
    box: tuple[Side, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The new statements in the order in which they run."""
        return (*self.of_parts, *self.across_parts)

    @property
    def of_parts(self) -> tuple[Piece, ...]:
        """Those for each part, or for the whole result."""
        return (self.initial, *self.steps, self.result)

    @property
    def across_parts(self) -> tuple[Piece, ...]:
        """Those that combine the results of parts."""
        return (*self.parts, *(() if self.total is None else (self.total,)))


def plan_rewriting(scop: Scop, reduction: Reduction) -> Rewriting:
    """What computes a reduction in lanes; raises `NoReductionError`.

    X[f] = X[f] op e becomes, for each result v,

        P[v, l] = neutral element                         for each lane l
        P[v, l] = P[v, l] op e                            in the instances of lane l
        P[v, c] = P[v, c] op P[v, c + h]                  for c < h; h = lanes/2, ..., 2
        X[f] = X[f] op (P[v, 0] op P[v, 1])

    That is the same combination of X[f] and all values of e, in another order and with other
    brackets: op is associative and commutative, except for the rounding of floating-point numbers.
    P is new memory, and X[f] is accessed by nothing else between the instances of one result
    (`find_reduction`). So the value is the same for every later read.

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
    domain = prefix.range().coalesce()
    place = function_of(prefix.reverse().apply_range(elements(update)).coalesce())
    for loop in (*reduction.results, reduction.lane, *_given(reduction.part)):
        single(loop.values)
    first = len(reduction.around)
    try:
        own = domain.project_out(isl.dim_type.set, 0, first)
        box = box_of(own, scop.context)
    except NoBoxError as error:
        raise NoReductionError(f"its results have no array of partial ones: {error}") from None
    namer = Namer(scop, update.statement.name)
    lanes, blocks = reduction.lanes, reduction.blocks
    part = {"b": blocks} if blocks > 1 else {}
    return Rewriting(
        reduction,
        initial=Piece(cells_of(domain, {**part, "l": lanes}, namer("init"))),
        steps=tuple(
            Piece(cells_of(domain, {**part, "l": half}, namer(f"tree{half}")), half)
            for half in _halves(lanes)
        ),
        result=Piece(cells_of(domain, part, namer("part" if part else "result"))),
        parts=tuple(
            Piece(cells_of(domain, {"b": half}, namer(f"part_tree{half}")), half)
            for half in (_halves(blocks) if part else ())
        ),
        total=Piece(cells_of(domain, {}, namer("result"))) if part else None,
        place=place,
        box=box,
    )


class Namer:
    """Makes names of new statements from that of the statement that they are for."""

    def __init__(self, scop: Scop, statement: str) -> None:
        self._statement = statement
        self._taken = {*scop.arrays, *(body.name for body in scop.bodies)}

    def __call__(self, role: str) -> str:
        name = unique_name(f"{self._statement}_{role}", self._taken)
        self._taken.add(name)
        return name


def _given(loop: Loop | None) -> tuple[Loop, ...]:
    return () if loop is None else (loop,)


def _halves(lanes: int) -> list[int]:
    """The distances of the lanes that are combined, without the last one."""
    return [1 << bit for bit in range(lanes.bit_length() - 2, 0, -1)]


def cells_of(domain: isl.Set, extents: Mapping[str, int], name: str) -> isl.Set:
    """`{ T[v, c] : 0 <= c < extents }` for the values v of `domain`, with names for the c."""
    first = domain.dim(isl.dim_type.set)
    cells = domain.reset_tuple_id() if domain.has_tuple_id() else domain
    cells = cells.add_dims(isl.dim_type.set, len(extents))
    for position, extent in enumerate(extents.values(), first):
        cells = cells.lower_bound_val(isl.dim_type.set, position, isl.Val(0))
        cells = cells.upper_bound_val(isl.dim_type.set, position, isl_value(extent - 1))
    cells = cells.set_tuple_name(name)
    names = [f"i{position}" for position in range(first)]
    for position, each in enumerate([*names, *extents]):
        cells = cells.set_dim_name(isl.dim_type.set, position, each)
    return cells


def function_of(relation: isl.Map) -> isl.MultiAff:
    """A relation as one function; raises `NoReductionError` if it is none."""
    pieces = pieces_of(isl.PwMultiAff.from_map(relation).coalesce())
    if len(pieces) != 1:
        raise NoReductionError("its element is no single affine function of the loops around")
    return pieces[0][1]


def single(function: isl.PwAff) -> isl.Aff:
    """A function of one piece; raises `NoReductionError` for others."""
    pieces = function.get_pieces()
    if len(pieces) != 1:
        raise NoReductionError("a loop around it has values that are no single affine function")
    ((_, piece),) = pieces
    return piece
