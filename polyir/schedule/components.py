"""Graph structure of dependences among statements: components and their order.

Statements are numbered in program order; an edge is a pair (source, target) of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Pair = tuple[int, int]
"""The positions of two statements."""

Component = tuple[int, ...]
"""The positions of some statements."""


def strongly_connected_components(
    nodes: Sequence[int], edges: Iterable[Pair]
) -> tuple[Component, ...]:
    """The strongly connected components in a topological order, each in ascending order.

    Kosaraju's algorithm, visiting nodes and neighbours in ascending order, so that the order is
    the one in which Pluto distributes: a producer comes as late as its first consumer allows.
    """
    ordered = sorted(nodes)
    forward = _adjacency(ordered, edges)
    backward: dict[int, list[int]] = {node: [] for node in ordered}
    for node, targets in forward.items():
        for target in targets:
            backward[target].append(node)
    visited: dict[int, None] = {}
    for node in ordered:
        _depth_first(node, forward, visited)
    assigned: dict[int, None] = {}
    components = []
    for node in reversed(list(visited)):
        if node not in assigned:
            before = len(assigned)
            _depth_first(node, backward, assigned)
            components.append(tuple(sorted(list(assigned)[before:])))
    return tuple(components)


def in_program_order(
    components: Sequence[Component], edges: Iterable[Pair]
) -> tuple[Component, ...]:
    """`components`, between which `edges` form no cycle, in topological order.

    Among those that may come next, the one whose first statement is the first in the program.
    """
    owner = {node: index for index, component in enumerate(components) for node in component}
    before: dict[int, dict[int, None]] = {index: {} for index in range(len(components))}
    for source, target in edges:
        if owner[source] != owner[target]:
            before[owner[target]][owner[source]] = None
    waiting = sorted(before, key=lambda index: components[index])
    ordered: list[int] = []
    while waiting:
        following = next(i for i in waiting if all(each in ordered for each in before[i]))
        waiting.remove(following)
        ordered.append(following)
    return tuple(components[index] for index in ordered)


def _adjacency(nodes: Sequence[int], edges: Iterable[Pair]) -> dict[int, list[int]]:
    """For every node the targets of its edges inside `nodes`, ascending, without itself."""
    adjacency: dict[int, list[int]] = {node: [] for node in nodes}
    for source, target in sorted(dict.fromkeys(edges)):
        if source != target and source in adjacency and target in adjacency:
            adjacency[source].append(target)
    return adjacency


def _depth_first(start: int, adjacency: dict[int, list[int]], finished: dict[int, None]) -> None:
    """Add all unfinished nodes reachable from `start` to `finished`, in order of finishing."""
    if start in finished:
        return
    entered = {start: None}
    stack = [(start, iter(adjacency[start]))]
    while stack:
        node, targets = stack[-1]
        following = next((t for t in targets if t not in finished and t not in entered), None)
        if following is None:
            finished[node] = None
            stack.pop()
        else:
            entered[following] = None
            stack.append((following, iter(adjacency[following])))


def weakly_connected_components(
    nodes: Sequence[int], edges: Iterable[Pair]
) -> tuple[Component, ...]:
    """The connected components when edges are taken in both directions.

    The order is that of the first node of each component in `nodes`, within a component too.
    """
    neighbours: dict[int, list[int]] = {node: [] for node in nodes}
    for source, target in edges:
        if source in neighbours and target in neighbours:
            neighbours[source].append(target)
            neighbours[target].append(source)
    seen: dict[int, None] = {}
    components = []
    for node in nodes:
        if node not in seen:
            before = len(seen)
            _depth_first(node, neighbours, seen)
            members = list(seen)[before:]
            components.append(tuple(each for each in nodes if each in members))
    return tuple(components)


def runs(
    components: Sequence[Component], key: Callable[[Component], object]
) -> tuple[tuple[Component, ...], ...]:
    """`components` cut between neighbours whose keys differ."""
    groups: list[list[Component]] = []
    for component in components:
        if groups and key(groups[-1][-1]) == key(component):
            groups[-1].append(component)
        else:
            groups.append([component])
    return tuple(tuple(group) for group in groups)
