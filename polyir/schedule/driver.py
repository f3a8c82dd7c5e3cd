"""From dependences to a schedule tree: what all schedulers of this package have in common.

The driver knows how a tree is put together: groups of statements, their bands, what a band leaves
unordered, statements that are done. A policy, one for each scheduler, decides which statements
share a band and which rows it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.schedule.components import (
    Component,
    in_program_order,
    strongly_connected_components,
)
from polyir.schedule.constraints import (
    ScheduleConstraints,
    ScheduledStatement,
    SchedulingError,
    Spanned,
    rows_left,
)
from polyir.schedule.dependences import DependenceEdge, DependenceGraph
from polyir.schedule.tree import (
    BandNode,
    BoundedHyperplane,
    Hyperplane,
    LeafNode,
    RowBand,
    RowTree,
    ScheduleResult,
    SequenceNode,
    schedule_of_rows,
)

Graph = TypeVar("Graph", bound=DependenceGraph)
"""The dependences, with what else a policy wants to know about them."""


@dataclass(frozen=True)
class Step:
    """What is done with `members`, some statements in program order: one of three things.

    They share the loops of `band`, if there is one. Otherwise they are divided into `pieces`,
    which run one after the other, each scheduled by itself. Without either, they need no further
    loop. `note` is what a remark says of it; without one, `Policy.band_note` does.
    """

    members: Component
    band: RowBand | None = None
    pieces: tuple[Component, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Decision:
    """Steps that run one after the other, and what a remark says of why they are apart.

    No steps mean that no loop is left.
    """

    steps: tuple[Step, ...] = ()
    note: str = ""


class Policy(ABC, Generic[Graph]):
    """The decisions of one scheduler."""

    def __init__(self, statements: Sequence[ScheduledStatement]) -> None:
        self.statements = tuple(statements)

    @abstractmethod
    def decide(self, group: Component, spanned: Spanned, graph: Graph) -> Decision:
        """How to go on with `group`, whose rows so far span `spanned` and leave `graph`.

        Raises `SchedulingError` if there is no way to go on.
        """

    def below(self, graph: Graph, band: RowBand) -> Graph:
        """What is known of `graph` below `band`, apart from what the band carries."""
        return graph

    def is_done(self, group: Component, spanned: Spanned, graph: Graph) -> bool:
        """Whether no statement needs a further row, and none depend on each other in a cycle."""
        pairs = graph.within(group).ordered_pairs()
        return (
            not self.rows_left(group, spanned)
            and all(source != target for source, target in pairs)
            and all(len(each) == 1 for each in strongly_connected_components(group, pairs))
        )

    def rows_left(self, group: Component, spanned: Spanned) -> int:
        """The largest number of rows that a statement of `group` still needs."""
        return rows_left(self.members(group), spanned)

    def members(self, group: Component) -> list[ScheduledStatement]:
        """The statements of `group`."""
        return [self.statements[position] for position in group]

    def names(self, group: Component) -> str:
        """The names of the statements of `group`, for a message."""
        return ", ".join(self.statements[position].name for position in group)

    def no_schedule(self, group: Component) -> SchedulingError:
        """The error for a cycle of dependences between `group` that no row carries."""
        return SchedulingError(
            f"no affine schedule found for the dependence cycle of {self.names(group)}"
        )

    def band_note(self, members: Component, band: RowBand, graph: Graph, below: Graph) -> str:
        """What a remark says of a band of `members` that leaves `below` of `graph`."""
        attributes = "".join(f", {attribute}" for attribute in band.attributes)
        loops = f"{parallel_members(band)}{attributes}"
        return f"band of {band.width} for {self.names(members)}: {loops}"

    def sequence_note(self, reason: str, groups: Sequence[Component]) -> str:
        """What a remark says of groups that share no loop."""
        return f"{reason}: " + " | ".join(self.names(group) for group in groups)


def parallel_members(band: RowBand) -> str:
    """Which members of a band are parallel, for a message."""
    parallel = [str(index) for index, flag in enumerate(band.coincident) if flag]
    return f"parallel members {', '.join(parallel)}" if parallel else "no parallel members"


def schedule_by_policy(
    constraints: ScheduleConstraints,
    statements: Sequence[ScheduledStatement],
    policy: Policy[Graph],
    graph: Graph,
) -> ScheduleResult:
    """The schedule of `statements`, those of `constraints`, that `policy` finds.

    `graph` is between the statements of `policy`, which may have other domains.

    Raises `SchedulingError` if a cycle of dependences has no affine schedule.
    """
    builder = TreeBuilder(policy)
    spanned = {each.position: each.affine_hull for each in policy.statements}
    tree = builder.tree(tuple(spanned), spanned, graph)
    return result_of_tree(constraints, statements, tree, builder.notes)


def result_of_tree(
    constraints: ScheduleConstraints,
    statements: Sequence[ScheduledStatement],
    tree: RowTree,
    notes: Sequence[str],
) -> ScheduleResult:
    """The result of a scheduler that found `tree` for `statements`, those of `constraints`."""
    domain = constraints.domain.align_params(constraints.parameter_space)
    return ScheduleResult(schedule_of_rows(tree, statements, domain), tree, tuple(notes))


class TreeBuilder(Generic[Graph]):
    """One run of a scheduler; `notes` grows as decisions are taken."""

    def __init__(self, policy: Policy[Graph]) -> None:
        self._policy = policy
        self.notes: list[str] = []

    def tree(self, group: Component, spanned: Spanned, graph: Graph) -> RowTree:
        """The tree of `group`, whose rows so far span `spanned` and leave `graph`."""
        decision = self._policy.decide(group, spanned, graph)
        self._note(decision.note)
        if not decision.steps:
            return self._scalar_order(group, graph)
        if len(decision.steps) == 1:
            return self._take(decision.steps[0], spanned, graph)
        return SequenceNode(
            tuple(
                (step.members, self._take(step, spanned, graph.within(step.members)))
                for step in decision.steps
            )
        )

    def _take(self, step: Step, spanned: Spanned, graph: Graph) -> RowTree:
        if step.band is not None:
            hyperplanes = step.band.hyperplanes
            below = self._policy.below(graph, step.band).uncarried_by(hyperplanes)
            self._note(step.note or self._policy.band_note(step.members, step.band, graph, below))
            return BandNode(
                step.band, self.tree(step.members, with_rows(spanned, hyperplanes), below)
            )
        self._note(step.note)
        if step.pieces:
            return SequenceNode(
                tuple(
                    (piece, self.tree(piece, spanned, graph.within(piece))) for piece in step.pieces
                )
            )
        return self._scalar_order(step.members, graph)

    def _note(self, note: str) -> None:
        if note:
            self.notes.append(note)

    def _scalar_order(self, group: Component, graph: Graph) -> RowTree:
        """The tree of statements that need no loop: one after the other."""
        pairs = graph.within(group).ordered_pairs()
        components = in_program_order(strongly_connected_components(group, pairs), pairs)
        if len(components) <= 1:
            return LeafNode()
        return SequenceNode(tuple((component, LeafNode()) for component in components))


def with_rows(spanned: Spanned, hyperplanes: Sequence[Hyperplane]) -> Spanned:
    """What is spanned together with `hyperplanes`."""
    extended = dict(spanned)
    for hyperplane in hyperplanes:
        for position, row in hyperplane.items():
            extended[position] = (*extended[position], row.coefficients)
    return extended


def band_of(
    rows: Sequence[BoundedHyperplane],
    edges: Sequence[DependenceEdge],
    attributes: LoopAttributes = (),
) -> RowBand:
    """The band of `rows`; a row is coincident if all coincidence edges have distance zero on it."""
    coincidence = [each for each in edges if each.coincidence]
    return RowBand(
        tuple(rows),
        tuple(all(each.has_zero_distance(row.hyperplane) for each in coincidence) for row in rows),
        attributes,
    )
