"""The order of the loops within a tile, for locality and vectorisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.locality import (
    LoopLocality,
    innermost_score,
    localities_of_band,
)
from polyir.model.outcome import Outcome
from polyir.model.statements import Statement
from polyir.proofs.bands import active_at, merge_below
from polyir.proofs.legality import violations
from polyir.transform.bands import anchored, replace_band, start_at
from polyir.transform.loop_attributes import settled
from polyir.transform.parallel import carriers
from polyir.transform.tile import is_within_tiles
from polyir.transform.walk import BAND, no_permutable_band, summary
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import LoopAddress
from polyir.tree.names import describe_band, statements_of
from polyir.tree.order import Active, below, still_active

SEQUENCE = Kind.SEQUENCE


@dataclass(frozen=True)
class IntraTileOptions:
    """How to order point loops.

    Strides of the last subscript up to `max_stride` count as spatial locality. With
    `distribute`, statements may get point loops of their own. With `loop`, bands from that loop
    on are ordered, and no others.

    Raises `OptionError` where the stride is less than 1.
    """

    max_stride: int
    distribute: bool = True
    loop: LoopAddress | None = None

    def __post_init__(self) -> None:
        if self.max_stride < 1:
            raise OptionError(f"max-stride must be 1 or more: max-stride={self.max_stride}")


def intra_tile_order(
    schedule: Schedule,
    dependences: Dependences,
    statements: Sequence[Statement],
    options: IntraTileOptions,
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

    or of their innermost loop only, which is then often parallel: for a stencil of two
    statements, band [t, i] becomes band [t] with a band [i] for each statement.

    A tree that nobody has scheduled yet gets its
    bands merged first (`start_at`). Zinenko et al., "Unified Polyhedral Modeling
    of Temporal and Spatial Locality", section 2.3, after Pluto.

    Raises `LegalityError` if the result violates a dependence, which tells of a band that was
    wrongly called permutable; `OptionError` for
    an address of no loop.
    """
    by_name = {statement.name: statement for statement in statements}
    orderer = _Orderer(by_name, dependences, options)
    start = start_at(schedule, dependences, options.loop, "the order of point loops")
    result = orderer.visit(start).schedule
    if not orderer.moved:
        reasons = orderer.kept or [no_permutable_band(start.schedule, dependences)]
        return Outcome(schedule, (), (f"no loop was moved: {summary(reasons)}",))
    what, done = "the order of point loops", (*orderer.moved, *orderer.kept)
    return settled(schedule, result, dependences, what, done, exact_flags=False)


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

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down with its permutable bands ordered."""
        if node.kind is not BAND or not node.permutable:
            return mapped_children(node, self.visit)
        if node.is_subtree_anchored:
            self.kept.append(anchored(node))
            return node
        distributed = self._distributed(node) if self._options.distribute else None
        return (
            mapped_children(self._order(node), self.visit) if distributed is None else distributed
        )

    def _order(self, band: ScheduleNode) -> ScheduleNode:
        """`band` with the best of its loops innermost."""
        localities = localities_of_band(band, self._statements, self._options.max_stride)
        if len(localities) < 2 or not any(locality.statements for locality in localities):
            return band
        best = _best(localities)
        scores = ", ".join(str(locality.score) for locality in localities)
        what = f"loop {best + 1} of {describe_band(band)}"
        if best == len(localities) - 1:
            self.kept.append(
                f"{what} is already innermost and has the best locality (scores {scores})"
            )
            return band
        self.moved.append(f"moved {what} innermost (scores {scores})")
        return _innermost(band, best)

    def _distributed(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with its innermost loop, or all loops, distributed, if that is better.

        It is if the innermost loops of the statements have more locality then, or more of them
        are parallel. Only within tiles: statements stay together in a tile.
        """
        if band.child(0).kind is not SEQUENCE or not is_within_tiles(band):
            return None
        actives = active_at(band, self._dependences)
        best = None
        best_quality = self._quality(self._without_distribution().visit(band), actives)
        for kept in dict.fromkeys((len(band.members) - 1, 0)):
            orderer = self._without_distribution()
            node = orderer.distribute(band, kept, actives)
            quality = self._quality(node, actives)
            if quality > best_quality and not violations(self._dependences, node.schedule):
                best, best_quality = (node, kept, orderer), quality
        if best is None:
            return None
        node, kept, orderer = best
        where = f" below loop {kept}" if kept else ""
        self.moved.append(f"distributed {describe_band(band)}{where} within its tiles")
        self.moved += orderer.moved
        self.kept += orderer.kept
        return node

    def distribute(
        self, band: ScheduleNode, kept: int, actives: tuple[Active, ...]
    ) -> ScheduleNode:
        """`band` with the first `kept` members common, the others once for each part below.

        The loops of a part are one band then, as far as they can be permuted, and ordered.
        `actives` are at `band`.
        """
        inner = band
        if kept:
            inner = band.split(kept).child(0)
            (actives,) = below(inner.parent(), actives)
        sequence = _distribute(inner)
        for position, own in enumerate(below(sequence, actives)):
            part = merge_below(sequence.child(position).child(0), own)
            sequence = self.visit(part).parent().parent()
        return sequence.parent() if kept else sequence

    def _without_distribution(self) -> _Orderer:
        options = replace(self._options, distribute=False)
        return _Orderer(self._statements, self._dependences, options)

    def _quality(self, node: ScheduleNode, actives: tuple[Active, ...]) -> tuple[int, int]:
        """The score of the innermost loops below `node`, and how many of them are parallel."""
        score = innermost_score(node, self._statements, self._options.max_stride)
        return score, _parallel_statements(node, actives, is_parallel=False)


def _parallel_statements(node: ScheduleNode, actives: tuple[Active, ...], is_parallel: bool) -> int:
    """How many statements below `node` have a parallel innermost loop.

    `is_parallel` says whether the loop right around `node` is.
    """
    if node.kind is Kind.LEAF:
        return len(statements_of(node)) if is_parallel else 0
    if node.kind is BAND:
        *outer, innermost = node.band.functions_by_statement
        for member in outer:
            actives = still_active(actives, member)
        is_parallel = not carriers(actives, innermost)
        return _parallel_statements(node.child(0), still_active(actives, innermost), is_parallel)
    return sum(
        _parallel_statements(node.child(position), inner, is_parallel)
        for position, inner in enumerate(below(node, actives))
    )


def _distribute(band: ScheduleNode) -> ScheduleNode:
    """The sequence of what is below `band`, each part with the loops of `band` of its own."""
    sequence = band.child(0)
    filters = [sequence.child(position).filter for position in range(sequence.n_children)]
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


def _innermost(band: ScheduleNode, member: int) -> ScheduleNode:
    """`band` with one of its members after all others."""
    members = list(band.members)
    members.append(members.pop(member))
    return replace_band(band, members, band.permutable)
