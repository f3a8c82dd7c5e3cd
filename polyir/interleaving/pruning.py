"""The legal interleavings of a level: what must be together, what cannot be, and what comes first.

The pruning algorithm of Pouchet et al., "Loop Transformations: Convexity, Pruning and
Optimization", 2011, section 3, finds the smallest sets of statements that cannot be fused. Sets
that are only related through others, or not at all, need not be tested. Instead of going through
the paths of the graph of dependences, which are too many where most sets can be fused, the
smallest sets that cannot be fused and the largest ones that can are found from each other
(Gunopulos et al., "Discovering All Most Specific Sentences", 2003: dualize and advance). No set
that contains one that cannot be fused is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from polyir.interleaving.fusability import Fusability
from polyir.interleaving.preorders import Restrictions
from polyir.schedule.components import Component, weakly_connected_components


def legal_restrictions(fusability: Fusability) -> Restrictions:
    """What dependences do not allow at the next loop of the statements of `fusability`.

    Complete: each total preorder that the result allows has a schedule, and no other has one of
    the kind that `fusability` looks for.
    """
    never_before = frozenset(
        (target, source) for source, target in fusability.graph.ordered_pairs() if source != target
    )
    apart: set[frozenset[int]] = set()
    cycles = fusability.cycles
    usable = [number for number, cycle in enumerate(cycles) if fusability.can_share(cycle)]
    for number, cycle in enumerate(cycles):
        if number not in usable:
            # It is alone, whatever the others are.
            apart |= {frozenset({cycle[0], other[0]}) for other in cycles if other != cycle}
    owner = fusability.cycle_of
    pairs = [(owner[source], owner[target]) for source, target in fusability.graph.pairs()]
    for related in weakly_connected_components(usable, pairs):
        statements = [cycles[each] for each in related]
        for group in smallest_refused(len(related), _tester(fusability, statements)):
            apart.add(frozenset(statements[each][0] for each in group))
    return Restrictions(_minimal(apart), never_before)


def _tester(
    fusability: Fusability, cycles: Sequence[Component]
) -> Callable[[frozenset[int]], bool]:
    def is_fusable(group: frozenset[int]) -> bool:
        return fusability.can_share(tuple(sorted(chain(*(cycles[each] for each in group)))))

    return is_fusable


def smallest_refused(
    count: int, is_accepted: Callable[[frozenset[int]], bool]
) -> frozenset[frozenset[int]]:
    """The smallest subsets of 0 to `count` - 1 that are not accepted, as all that contain them.

    Each subset of an accepted set must be accepted, and so must single elements.
    """
    everything = frozenset(range(count))
    largest: list[frozenset[int]] = []
    refused: list[frozenset[int]] = []

    def accepts(group: frozenset[int]) -> bool:
        if any(each <= group for each in refused):
            return False
        if any(group <= each for each in largest) or is_accepted(group):
            return True
        refused.append(group)
        return False

    while True:
        # What no largest one contains is refused, unless there is another largest one around it.
        candidates = _transversals([everything - each for each in largest])
        group = next(filter(accepts, candidates), None)
        if group is None:
            return frozenset(candidates)
        for each in range(count):
            if accepts(group | {each}):
                group |= {each}
        largest.append(group)


def _transversals(edges: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The smallest sets that have an element of each of the edges, in a fixed order."""
    found = [frozenset[int]()]
    for edge in edges:
        kept = [each for each in found if each & edge]
        missing = [each for each in found if not each & edge]
        extended = [each | {element} for each in missing for element in edge]
        found = list(_minimal([*kept, *extended]))
    return sorted(found, key=lambda each: (len(each), sorted(each)))


def _minimal(sets: Iterable[frozenset[int]]) -> frozenset[frozenset[int]]:
    """Those that contain no other one."""
    ordered = sorted(set(sets), key=len)
    kept: list[frozenset[int]] = []
    for each in ordered:
        if not any(other <= each for other in kept):
            kept.append(each)
    return frozenset(kept)
