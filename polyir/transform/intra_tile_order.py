"""The order of the loops within a tile, for locality and vectorisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.legality import require_legal
from polyir.model.locality import LoopLocality, localities_of_band
from polyir.model.outcome import Outcome
from polyir.model.scop import Statement
from polyir.model.tree import node_type
from polyir.transform.members import in_order
from polyir.transform.walk import (
    BAND,
    describe_band,
    map_children,
    require_own_instances,
    summary,
    with_permutable_bands,
)


@dataclass(frozen=True)
class IntraTileOptions:
    """What counts as spatial locality: strides of the last subscript up to `max_stride`.

    Raises `OptionError` where it is less than 1.
    """

    max_stride: int = 4

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
    gives no locality (`localities_of_band`). A tree that nobody has scheduled yet gets its
    bands merged first (`with_permutable_bands`). Zinenko et al., "Unified Polyhedral Modeling
    of Temporal and Spatial Locality", section 2.3, after Pluto.

    Raises `LegalityError` if the result violates a dependence, which tells of a band that was
    wrongly called permutable, and for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, "the order of point loops")
    by_name = {statement.name: statement for statement in statements}
    orderer = _Orderer(by_name, (options or IntraTileOptions()).max_stride)
    prepared = with_permutable_bands(schedule, dependences)
    result = orderer.visit(prepared.get_root()).get_schedule()
    if not orderer.moved:
        reasons = orderer.kept or ["there is no permutable band of 2 or more"]
        return Outcome(schedule, (), (f"no loop was moved: {summary(reasons)}",))
    require_legal(dependences, result, "the order of point loops")
    return Outcome(result, (*orderer.moved, *orderer.kept))


class _Orderer:
    """Orders the bands of one tree and notes what it did."""

    def __init__(self, statements: Mapping[str, Statement], max_stride: int) -> None:
        self.moved: list[str] = []
        self.kept: list[str] = []
        self._statements = statements
        self._max_stride = max_stride

    def visit(self, node: isl.ScheduleNode) -> isl.ScheduleNode:
        """The tree from `node` down with its permutable bands ordered."""
        if node_type(node) is BAND and node.band_n_member() > 1 and node.band_get_permutable():
            node = self._order(node)
        return map_children(node, self.visit)

    def _order(self, band: isl.ScheduleNode) -> isl.ScheduleNode:
        localities = localities_of_band(band, self._statements, self._max_stride)
        if not any(locality.statements for locality in localities):
            return band
        best = _best(localities)
        scores = ", ".join(str(locality.score) for locality in localities)
        what = f"loop {best + 1} of {describe_band(band)}"
        if best == len(localities) - 1:
            self.kept.append(f"{what} has the best locality where it is (scores {scores})")
            return band
        if band.is_subtree_anchored():
            self.kept.append(f"AST options at or below {describe_band(band)} name loops around it")
            return band
        self.moved.append(f"{what} goes innermost (scores {scores})")
        return _innermost(band, best)


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
