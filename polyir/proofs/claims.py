"""What a schedule tree claims besides an order, checked against the dependences.

Flags and attributes that passes put in a tree are true; in a tree that a person wrote or edited,
anything may be claimed, and code generation and later passes would believe it. The claims:

- A band that is `permutable`: no member goes back along an active dependence.
- A member that is `coincident`: both ends of every active dependence have the same value in it.
- A loop with an attribute that requires a parallel loop (`LoopAttribute.requires_parallel`), of a
  band or over tiles of symbolic sizes: it carries no dependence.
- A context or guard node: every instance below satisfies it. Code generation leaves out the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import islpy as isl

from polyir.base.diagnostics import ViolatedPair
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import LoopAttributes, requires_parallel
from polyir.proofs.legality import first_ordered
from polyir.sets.examples import instance_in
from polyir.sets.lists import maps_of
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopPosition, TreePath
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import (
    Active,
    all_active,
    backward,
    below,
    forward,
    still_active,
    strict_ones,
)
from polyir.tree.symbolic_tiles import tiled_loops, tiles_at


class FalseClaim(NamedTuple):
    """A claim of the node at the end of `path` that is not true, in words, with an example.

    `violated` is the example of a claim about the order of two instances.
    """

    path: TreePath
    message: str
    violated: ViolatedPair | None = None


def false_claims(
    schedule: Schedule, dependences: Dependences, context: isl.Set
) -> tuple[FalseClaim, ...]:
    """All that `schedule` claims and that is not true, in the order of the tree.

    The order itself must be legal (`polyir.proofs.legality`). `context` has the values of the
    parameters.
    """

    def visit(place: _NodeAt, actives: tuple[Active, ...]) -> Iterator[FalseClaim]:
        node = place.node
        match node.kind:
            case Kind.BAND:
                yield from _of_band(place, actives)
            case Kind.MARK:
                yield from _of_tiles(place, actives)
            case Kind.GUARD:
                yield from _of_condition(place, node.condition, context)
            case Kind.CONTEXT:
                yield from _of_condition(place, node.condition, context)
        for position, inner in enumerate(below(node, actives)):
            child = _NodeAt(node.child(position), (*place.path, position))
            yield from visit(child, inner)

    root = _NodeAt(schedule.root, ())
    return tuple(visit(root, all_active(dependences.ordering)))


@dataclass(frozen=True)
class _NodeAt:
    """A node, and the way to it."""

    node: ScheduleNode
    path: TreePath

    def loop(self, member: int) -> str:
        """A member of the band in words: `the loop S0.1, S1.1`."""
        directory = Directory(self.node.schedule)
        addresses = directory.addresses_of(LoopPosition(self.path, member))
        # A loop that no instance reaches has none, and carries no dependence.
        return f"the loop {', '.join(addresses)}"


def _of_band(place: _NodeAt, actives: tuple[Active, ...]) -> Iterator[FalseClaim]:
    band = place.node
    permutable, remaining = band.permutable, actives
    loops = zip(band.band.functions_by_statement, band.loop_attributes, strict=True)
    for position, (member, attributes) in enumerate(loops):
        if permutable and (found := first_ordered(strict_ones(actives), member, (backward,))):
            permutable = False
            message = f"the band is not permutable: {place.loop(position)} goes back along {found}"
            yield FalseClaim(place.path, message, found.pair)
        if band.members[position].is_coincident and (
            found := first_ordered(actives, member, _APART)
        ):
            message = f"{place.loop(position)} is not coincident: its value changes along {found}"
            yield FalseClaim(place.path, message, found.pair)
        if requires_parallel(attributes) and (found := first_ordered(remaining, member, _APART)):
            message = _claim_of_parallelism(place.loop(position), attributes)
            yield FalseClaim(place.path, f"{message} {found}", found.pair)
        remaining = still_active(remaining, member)


def _of_tiles(place: _NodeAt, actives: tuple[Active, ...]) -> Iterator[FalseClaim]:
    """The false claims of loops over tiles of symbolic sizes, for some sizes.

    No tiled loop goes back along a dependence, so that the tiles of one wavefront have none
    between them. Tiles of one point separate all pairs that a loop separates.
    """
    tiles = tiles_at(place.node)
    if tiles is None:
        return
    members = [loop.member for loop in tiled_loops(place.node)]
    for position, attributes in enumerate(tiles.loops):
        if not requires_parallel(attributes) or 0 < position <= tiles.wavefront:
            continue
        summed = members[: tiles.wavefront + 1] if position == 0 else [members[position]]
        found = next(
            filter(None, (first_ordered(actives, member, _APART) for member in summed)), None
        )
        if found is not None:
            around = name_list(statements_of(place.node))
            loop = f"the loop over tiles of {tiles.sizes[position]} around {around}"
            message = _claim_of_parallelism(loop, attributes)
            yield FalseClaim(place.path, f"{message} {found}", found.pair)


def _of_condition(place: _NodeAt, condition: isl.Set, context: isl.Set) -> Iterator[FalseClaim]:
    """Instances below a context or guard node that do not satisfy its condition."""
    node = place.node
    dates = node.prefix_schedule.intersect_domain(node.domain)
    within = isl.Map.intersect_params if condition.is_params() else isl.Map.intersect_range
    for part in maps_of(dates.intersect_params(context)):
        outside = part.subtract(within(part, condition))
        if not outside.is_empty():
            message = f"the {node.kind.value} does not hold for {instance_in(outside.domain())}"
            yield FalseClaim(place.path, message)


_APART = (forward, backward)


def _claim_of_parallelism(loop: str, attributes: LoopAttributes) -> str:
    claims = [str(each) for each in attributes if requires_parallel((each,))]
    verb = "requires" if len(claims) == 1 else "require"
    return f"{loop} is not parallel, as {' and '.join(claims)} {verb}: it carries"
