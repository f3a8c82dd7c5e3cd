"""The order of the loops within a tile, for locality and vectorisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.bands import merge_below
from polyir.model.legality import require_legal, violations
from polyir.model.locality import LoopLocality, innermost_score, localities_of_band
from polyir.model.outcome import Outcome
from polyir.model.scop import Statement
from polyir.model.tree import node_type
from polyir.transform.members import in_order
from polyir.transform.tile import runs_over_tiles
from polyir.transform.walk import (
    BAND,
    MARK,
    describe_band,
    map_children,
    require_own_instances,
    summary,
    with_permutable_bands,
)

SEQUENCE = isl.schedule_node_type.sequence


@dataclass(frozen=True)
class IntraTileOptions:
    """How to order point loops.

    Strides of the last subscript up to `max_stride` count as spatial locality. With
    `distribute`, statements may get point loops of their own.

    Raises `OptionError` where the stride is less than 1.
    """

    max_stride: int = 4
    distribute: bool = True

    def __post_init__(self) -> None:
        if self.max_stride < 1:
            raise OptionError(f"max-stride must be 1 or more: max-stride={self.max_stride}")


def intra_tile_order(
    schedule: isl.Schedule,
    dependences: Dependences,
    statements: Sequence[Statement],
    options: IntraTileOptions | None = None,
) -> Outcome:
    """Put innermost in each permutable band the loop with the best locality.

    It is the loop with the largest score (`LoopLocality.score`), the last of several; the
    others keep their order, for S[i, j, k] with j as the best:

        band [i, j, k]    =>    band [i, k, j]

    Loops over tiles are left where they are: for fixed points they have one iteration, which
    gives no locality (`localities_of_band`). Where statements are fused, the loop that is best
    for one may be bad for another, or out of reach: within a tile they are distributed then, if
    that is legal and better, and ordered each (Pluto's post-tile distribution):

        band [ti, tj]                     band [ti, tj]
          band [i, j]                       sequence
            sequence                          filter S0
              filter S0           =>            band [i, k, j]
                band [k]                      filter S1
              filter S1                         band [i, j]

    A tree that nobody has scheduled yet gets its
    bands merged first (`with_permutable_bands`). Zinenko et al., "Unified Polyhedral Modeling
    of Temporal and Spatial Locality", section 2.3, after Pluto.

    Raises `LegalityError` if the result violates a dependence, which tells of a band that was
    wrongly called permutable, and for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, "the order of point loops")
    by_name = {statement.name: statement for statement in statements}
    orderer = _Orderer(by_name, dependences, options or IntraTileOptions())
    prepared = with_permutable_bands(schedule, dependences)
    result = orderer.visit(prepared.get_root()).get_schedule()
    if not orderer.moved:
        reasons = orderer.kept or ["there is no permutable band of 2 or more"]
        return Outcome(schedule, (), (f"no loop was moved: {summary(reasons)}",))
    require_legal(dependences, result, "the order of point loops")
    return Outcome(result, (*orderer.moved, *orderer.kept))


class _Orderer:
    """Orders the bands of one tree and notes what it did."""

    def __init__(
        self,
        statements: Mapping[str, Statement],
        dependences: Dependences,
        options: IntraTileOptions,
    ) -> None:
        self.moved: list[str] = []
        self.kept: list[str] = []
        self._statements = statements
        self._dependences = dependences
        self._options = options

    def visit(self, node: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tree from `node` down with its permutable bands ordered."""
        if node_type(node) is not BAND or not node.band_get_permutable():
            return map_children(node, self.visit)
        if node.is_subtree_anchored():
            self.kept.append(f"AST options at or below {describe_band(node)} name loops around it")
            return node
        distributed = self._distributed(node) if self._options.distribute else None
        return map_children(self._order(node), self.visit) if distributed is None else distributed

    def _order(self, band: isl.ScheduleNode) -> isl.ScheduleNode:
        """`band` with the best of its loops innermost."""
        localities = localities_of_band(band, self._statements, self._options.max_stride)
        if len(localities) < 2 or not any(locality.statements for locality in localities):
            return band
        best = _best(localities)
        scores = ", ".join(str(locality.score) for locality in localities)
        what = f"loop {best + 1} of {describe_band(band)}"
        if best == len(localities) - 1:
            self.kept.append(f"{what} has the best locality where it is (scores {scores})")
            return band
        self.moved.append(f"{what} goes innermost (scores {scores})")
        return _innermost(band, best)

    def _distributed(self, band: isl.ScheduleNode) -> isl.ScheduleNode | None:
        """A sequence of point loops in the place of those around a sequence, if that is better.

        It is if the innermost loops of the statements have more locality then. Only within
        tiles: statements stay together in a tile.
        """
        if node_type(band.child(0)) is not SEQUENCE or not _is_within_tiles(band):
            return None
        together, apart = self._without_distribution(), self._without_distribution()
        before = self._score(together.visit(band))
        sequence = map_children(_distribute(band), apart.visit_part)
        if self._score(sequence) <= before:
            return None
        if violations(self._dependences, sequence.get_schedule()):
            return None
        self.moved.append(f"{describe_band(band)} is distributed within its tiles")
        self.moved += apart.moved
        self.kept += apart.kept
        return sequence

    def visit_part(self, part: isl.ScheduleNode) -> isl.ScheduleNode:
        """A filter node of a distributed band, with its loops as one band, ordered."""
        return self.visit(merge_below(part.child(0), self._dependences)).parent()

    def _without_distribution(self) -> _Orderer:
        options = replace(self._options, distribute=False)
        return _Orderer(self._statements, self._dependences, options)

    def _score(self, node: isl.ScheduleNode) -> int:
        return innermost_score(node, self._statements, self._options.max_stride)


def _is_within_tiles(band: isl.ScheduleNode) -> bool:
    node = band.parent()
    while node_type(node) is MARK:
        node = node.parent()
    return node_type(node) is BAND and runs_over_tiles(node)


def _distribute(band: isl.ScheduleNode) -> isl.ScheduleNode:
    """The sequence of what is below `band`, each part with the loops of `band` of its own."""
    sequence = band.child(0)
    filters = [
        sequence.child(position).filter_get_filter() for position in range(sequence.n_children())
    ]
    for instances in filters[:-1]:
        band = band.order_before(instances)
    return band.parent().parent()


def _best(localities: tuple[LoopLocality, ...]) -> int:
    """The last of the loops with the largest score; loops of no statement do not count."""
    scores = [
        (locality.score, position)
        for position, locality in enumerate(localities)
        if locality.statements
    ]
    return max(scores)[1]


def _innermost(band: isl.ScheduleNode, member: int) -> isl.ScheduleNode:
    """`band` with one of its members behind all others."""
    count = band.band_n_member()
    order = (*(other for other in range(count) if other != member), member)
    return in_order(band, order)
