"""The exact legality check: does a schedule respect a set of dependences?

The only place that decides it. It looks at the schedule tree and the dependences alone, so
that an error of whoever made the schedule is found before it becomes code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import LegalityError, ViolatedPair
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.sets.examples import Example, example_of
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.order import (
    Active,
    Member,
    across_children,
    all_active,
    backward,
    below,
    still_active,
    strict_ones,
)
from polyir.tree.symbolic_tiles import marks_of_tiles, tiled_loops, tiles_at


@dataclass(frozen=True)
class Violation:
    """A dependence that a schedule does not respect.

    `relation` are all pairs of `dependence` whose target does not run after the source;
    `example` is one of them.
    """

    dependence: Dependence
    relation: isl.Map
    example: Example

    @property
    def pair(self) -> ViolatedPair:
        """The example, for whoever shows the dependence."""
        each = self.dependence
        ends = each.kind.value, each.array, each.source, each.target
        return ViolatedPair(ends, self._asked())

    def __str__(self) -> str:
        kind, array = self.dependence.kind, self.dependence.array
        return f"the {kind.value} dependence through {array}: {self._asked()}"

    def _asked(self) -> str:
        """What is asked of the two instances of the example."""
        if self.dependence.kind is not DependenceKind.REDUCTION:
            return str(self.example)
        each = self.example
        return f"{each.source} and {each.target} must not run at once{each.where}"


def violations(dependences: Dependences, schedule: Schedule) -> tuple[Violation, ...]:
    """The ordering dependences that `schedule` violates, in their order.

    Violated are pairs whose target runs before the source, at the same time, or in another
    child of a set node, whose children have no order. The ends of a reduction may run in any
    order, but must have one; wavefronts of tiles must keep it. Exact. Raises `LegalityError` for
    trees that execute other instances than those of their domain node (extension and expansion),
    and for marks of symbolic tile sizes above other loops than those of the sizes.
    """
    _require_tiled_loops(schedule.root)
    pairs = tuple(_violated(schedule.root, all_active(dependences.ordering)))
    found = []
    for dependence in dependences.ordering:
        relations = [pair.relation for pair in pairs if pair.dependence is dependence]
        if relations:
            relation = reduce(isl.Map.union, relations).coalesce()
            found.append(Violation(dependence, relation, example_of(relation)))
    return tuple(found)


def require_legal(dependences: Dependences, schedule: Schedule, what: str) -> None:
    """Raise `LegalityError` with an example if `schedule` violates a dependence.

    `what` names the change that led to `schedule`, to start the message with: "interchange".
    """
    found = violations(dependences, schedule)
    if found:
        message = describe_violations(found[:1], len(found), what)
        raise LegalityError(message, violated=found[0].pair)


def describe_violations(found: Sequence[Violation], total: int, what: str) -> str:
    """All violated dependences, of `total` that there are, with an example each.

    `what` names what violates them. One is told in one line, more in a line each.
    """
    if len(found) == 1:
        return f"{what} violates {found[0]}"
    lines = "".join(f"\n  {violation}" for violation in found)
    return f"{what} violates {len(found)} of {total} dependences:{lines}"


def first_ordered(
    actives: Iterable[Active],
    member: Member,
    orders: Sequence[Callable[[Active, Member], isl.Map]],
) -> Violation | None:
    """The first active dependence with pairs that `member` orders in one of the given ways.

    These pairs violate what is asked of the member: `forward` and `backward` of a parallel loop.
    """
    for active in actives:
        for order in orders:
            relation = order(active, member)
            if not relation.is_empty():
                return Violation(active.dependence, relation, example_of(relation))
    return None


def _require_tiled_loops(root: ScheduleNode) -> None:
    """Raise `LegalityError` if symbolic sizes are not those of as many loops below."""
    for mark in marks_of_tiles(root):
        if not tiled_loops(mark):
            raise LegalityError(
                f"the mark {mark.attribute} would no longer be above the loops that it tiles: "
                "transform the loops before tiling them",
                name="anchored-loops",
            )


def _violated(node: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[Active]:
    """The violated ones of the pairs that are active at `node`."""
    if not actives:
        return
    match node.kind:
        case Kind.LEAF:
            yield from actives
            return
        case Kind.BAND:
            yield from _violated_by_band(node, strict_ones(actives))
        case Kind.SEQUENCE | Kind.SET:
            yield from _violated_by_children(node, actives)
        case Kind.MARK:
            yield from _violated_by_tiles(node, actives)
    for position, inner in enumerate(below(node, actives)):
        yield from _violated(node.child(position), inner)


def _violated_by_band(band: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[Active]:
    for member in band.band.functions_by_statement:
        for active in actives:
            relation = backward(active, member)
            if not relation.is_empty():
                yield Active(active.dependence, relation)
        actives = still_active(actives, member)


def _violated_by_tiles(mark: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[Active]:
    """Pairs that tiles of some size order wrongly, if the mark stands for tiles of symbolic sizes.

    For each pair and loop there are sizes with which all other loops have it in one tile; so no
    loop may go back along a pair. Pairs at both sides of 0 are never in one tile: of these,
    some are called violated that are not.
    """
    tiles = tiles_at(mark)
    if tiles is None or not tiles.wavefront:
        actives = strict_ones(actives)
    for loop in tiled_loops(mark):
        for active in actives:
            relation = backward(active, loop.member)
            if not relation.is_empty():
                yield Active(active.dependence, relation)


def _violated_by_children(node: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[Active]:
    """Strict pairs from a later child to an earlier one; of a set node, all between children."""
    is_set = node.kind is Kind.SET
    pairs = across_children(node, actives if is_set else strict_ones(actives))
    for source_child, target_child, active in pairs:
        if target_child < source_child or (is_set and target_child != source_child):
            yield active
