"""Schedule trees of polyir against those of isl: the same questions and edits, the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import islpy as isl
import pytest

from polyir.sets.lists import sets_of
from polyir.tree import Band, Kind, Schedule, ScheduleNode
from polyir.tree.isl_border import from_isl, to_isl

TREES = (
    '{ domain: "[n] -> { S[i, j] : 0 <= i, j < n; T[i] : 0 <= i < n }", child: { context: '
    '"[n] -> { : n > 5 }", child: { sequence: [ { filter: "{ S[i, j] }", child: { guard: '
    '"[n] -> { : n > 7 }", child: { schedule: "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", '
    'permutable: 1, coincident: [ 1, 0 ] } } }, { filter: "{ T[i] }", child: { schedule: '
    '"[{ T[i] -> [(i)] }]" } } ] } } }',
    '{ domain: "{ S[i, j] : 0 <= i, j < 10; T[i] : 0 <= i < 10; U[] }", child: { sequence: [ '
    '{ filter: "{ U[] }" }, { filter: "{ S[i, j]; T[i] }", child: { schedule: '
    '"[{ S[i, j] -> [(i)]; T[i] -> [(i)] }]", child: { sequence: [ '
    '{ filter: "{ S[i, j] : i < 3 }", '
    'child: { schedule: "[{ S[i, j] -> [(j)] }]" } }, { filter: "{ T[i] }" }, '
    '{ filter: "{ S[i, j] : i >= 3 }" } ] } } } ] } }',
    '{ domain: "[n] -> { S[i, j] : 0 <= i, j < n; T[i, j] : 0 <= i, j < n }", child: { schedule: '
    '"[{ S[i, j] -> [(32*floor((i)/32))]; T[i, j] -> [(32*floor((i + j)/32))] }, '
    '{ S[i, j] -> [(j)]; T[i, j] -> [(i)] }]", permutable: 1, child: { set: [ { filter: '
    '"{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" } }, '
    '{ filter: "{ T[i, j] }", child: { schedule: "[{ T[i, j] -> [(i)] }]", options: '
    '"{ isolate[[a, b] -> [c]] : a > 3; unroll[0] }" } } ] } } }',
    '{ domain: "{ S[i, j, k] : 0 <= i, j, k < 10 }", child: { schedule: "[{ S[i, j, k] -> [(i)] }, '
    '{ S[i, j, k] -> [(j)] }, { S[i, j, k] -> [(k)] }]", permutable: 1, coincident: [ 1, 0, 1 ], '
    'options: "{ isolate[[] -> [a, b, c]] : a > 3 and c > b; unroll[2]; atomic[0] }" } }',
)
CHOSEN = (
    isl.UnionSet("{ S[i, j] : i < 5; S[i, j, k] : k < 4 }"),
    isl.UnionSet("{ T[i]; T[i, j] : i > j }"),
    isl.UnionSet("{ U[]; S[i, j] }"),
)


def pairs(
    node: ScheduleNode, other: isl.ScheduleNode
) -> Iterator[tuple[ScheduleNode, isl.ScheduleNode]]:
    """The nodes of a tree with those of isl's."""
    yield node, other
    assert node.n_children == other.n_children()
    for position, child in enumerate(node.children()):
        yield from pairs(child, other.child(position))


def nodes_of(text: str) -> Iterator[tuple[ScheduleNode, isl.ScheduleNode]]:
    tree = isl.Schedule(text)
    return pairs(from_isl(tree).root, tree.get_root())


def path_of(node: isl.ScheduleNode) -> tuple[int, ...]:
    path: list[int] = []
    while node.has_parent():
        path.append(node.get_child_position())
        node = node.parent()
    return tuple(reversed(path))


def equal(mine: isl.ScheduleNode, theirs: isl.ScheduleNode) -> bool:
    """Whether two trees of isl have the same nodes, which do the same with what reaches them."""
    if mine.get_type() != theirs.get_type() or mine.n_children() != theirs.n_children():
        return False
    match isl.schedule_node_type(mine.get_type()):
        case isl.schedule_node_type.filter:
            is_same = mine.filter_get_filter().is_equal(theirs.filter_get_filter())
        case isl.schedule_node_type.band:
            own, others = (
                isl.UnionMap.from_multi_union_pw_aff(
                    each.band_get_partial_schedule()
                ).intersect_domain(each.get_domain())
                for each in (mine, theirs)
            )
            options = theirs.band_get_ast_build_options()
            is_same = own.is_equal(others) and all(
                mine.band_member_get_coincident(member) == theirs.band_member_get_coincident(member)
                for member in range(mine.band_n_member())
            )
            is_same = is_same and mine.band_get_ast_build_options().is_equal(options)
            is_same = is_same and mine.band_get_permutable() == theirs.band_get_permutable()
        case _:
            is_same = True
    children = range(mine.n_children())
    return is_same and all(equal(mine.child(each), theirs.child(each)) for each in children)


def same(node: ScheduleNode, other: isl.ScheduleNode) -> bool:
    """Whether two cursors are at the same place of the same tree."""
    mine, theirs = to_isl(node.schedule), other.get_schedule()
    return path_of(other) == node.path and equal(mine.get_root(), theirs.get_root())


@pytest.mark.every_case
@pytest.mark.parametrize("text", TREES)
def test_what_nodes_say(text: str) -> None:
    assert equal(to_isl(from_isl(isl.Schedule(text))).get_root(), isl.Schedule(text).get_root())
    for node, other in nodes_of(text):
        assert node.kind.value == isl.schedule_node_type(other.get_type()).name
        assert node.schedule_depth == other.get_schedule_depth()
        assert node.tree_depth == other.get_tree_depth()
        assert node.is_subtree_anchored == other.is_subtree_anchored()
        if node.has_parent:
            assert node.domain.is_equal(other.get_domain())
            mine = node.prefix_schedule.intersect_domain(node.domain)
            theirs = other.get_prefix_schedule_union_map().intersect_domain(node.domain)
            assert mine.is_equal(theirs)
            functions = isl.UnionMap.from_multi_union_pw_aff(
                other.get_prefix_schedule_multi_union_pw_aff()
            )
            if node.schedule_depth:
                own = isl.UnionMap.from_multi_union_pw_aff(node.prefix_functions)
                assert own.intersect_domain(node.domain).is_equal(
                    functions.intersect_domain(node.domain)
                )


@pytest.mark.every_case
@pytest.mark.parametrize("text", TREES)
def test_times(text: str) -> None:
    tree = isl.Schedule(text)
    schedule = from_isl(tree)
    theirs = tree.get_map().intersect_domain(tree.get_domain())
    assert schedule.map.intersect_domain(schedule.domain).is_equal(theirs)


EXPANDED = """{ domain: "{ G[i] : 0 <= i < 8; T[i] : 0 <= i < 3 }", child: {
  sequence: [ { filter: "{ G[i] : i < 5 }", child: { schedule: "[{ G[i] -> [(-i)] }]", child: {
    contraction: "{ S[i, j] -> G[(i)] }", expansion: "{ G[i] -> S[i, j] : 0 <= j < 4 }",
    child: { schedule: "[{ S[i, j] -> [(j)] }]" } } } },
  { filter: "{ T[i]; G[i] : i >= 5 }", child: { schedule: "[{ T[i] -> [(i)]; G[i] -> [(i)] }]",
    child: { sequence: [ { filter: "{ T[i] }" }, { filter: "{ G[i] }", child: {
    contraction: "{ S[i, j] -> G[(i)] }", expansion: "{ G[i] -> S[i, j] : 0 <= j < 4 }",
    child: { schedule: "[{ S[i, j] -> [(-j)] }]" } } } ] } } } ] } }"""


def test_expansions() -> None:
    """The expanded instances run when isl says, and those that stood for them are gone."""
    schedule = from_isl(isl.Schedule(EXPANDED))
    assert schedule.domain.is_equal(
        isl.UnionSet("{ S[i, j] : 0 <= i < 8 and 0 <= j < 4; T[i] : 0 <= i < 3 }")
    )
    times = isl.Schedule(EXPANDED).get_map().intersect_domain(schedule.domain)
    assert schedule.map.intersect_domain(schedule.domain).is_equal(times)
    for node in schedule.tree.walk():
        if isinstance(node, Band):
            assert "G[" not in str(node.partial_schedule)


Edit = Callable[[ScheduleNode], ScheduleNode]
IslEdit = Callable[[isl.ScheduleNode], isl.ScheduleNode]


def edits(node: ScheduleNode) -> Iterator[tuple[Edit, IslEdit]]:
    """What can be done to a node."""
    for chosen in CHOSEN:
        if node.kind is not Kind.FILTER and node.kind is not Kind.DOMAIN:
            yield (
                lambda mine, chosen=chosen: mine.order_before(chosen),
                lambda theirs, chosen=chosen: theirs.order_before(chosen),
            )
            yield (
                lambda mine, chosen=chosen: mine.order_after(chosen),
                lambda theirs, chosen=chosen: theirs.order_after(chosen),
            )
    if node.kind is Kind.BAND:
        if not node.is_subtree_anchored:
            yield lambda mine: mine.sink(), lambda theirs: theirs.band_sink()
        for count in range(1, len(node.members)):
            yield (
                lambda mine, count=count: mine.split(count),
                lambda theirs, count=count: theirs.band_split(count),
            )
        yield lambda mine: mine.delete(), lambda theirs: theirs.delete()
        parts = [isl.UnionSet.from_set(each).universe() for each in sets_of(node.domain)]
        if len(parts) > 1:
            filters = isl.UnionSetList.from_union_set(parts[0])
            for part in parts[1:]:
                filters = filters.add(part)
            yield (
                lambda mine: mine.insert_sequence(parts),
                lambda theirs: theirs.insert_sequence(filters),
            )


@pytest.mark.every_case
@pytest.mark.parametrize("text", TREES)
def test_edits(text: str) -> None:
    tried = 0
    for node, other in nodes_of(text):
        for mine, theirs in edits(node):
            if node.is_subtree_anchored and node.kind is not Kind.BAND:
                continue
            try:
                expected = theirs(other)
            except isl.Error:
                continue
            assert same(mine(node), expected), f"{to_isl(mine(node).schedule)}\n{expected}"
            tried += 1
    assert tried > 2


def test_nothing_is_lost_in_pickles() -> None:
    import pickle

    from polyir.sets.pickle import pickled

    for text in TREES:
        schedule = from_isl(isl.Schedule(text))
        assert schedule.map is not None
        copy = pickle.loads(pickled(schedule))
        assert isinstance(copy, Schedule)
        assert str(to_isl(copy)) == str(to_isl(schedule))
