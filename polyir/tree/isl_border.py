"""Schedule trees as isl's, to generate an AST and for isl's own scheduler, and from isl's."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyir.sets.lists import sets_of
from polyir.tree.added import finished
from polyir.tree.nodes import (
    LEAF,
    Band,
    BandMember,
    Context,
    Domain,
    Expansion,
    Extension,
    Filter,
    Guard,
    Kind,
    Leaf,
    Mark,
    Node,
    SequenceNode,
    SetNode,
)
from polyir.tree.schedule import Schedule

LOOP_KINDS = {
    isl.ast_loop_type.default: "default",
    isl.ast_loop_type.atomic: "atomic",
    isl.ast_loop_type.separate: "separate",
    isl.ast_loop_type.unroll: "unroll",
}
"""isl's names of the ways to generate a loop."""


def to_isl(schedule: Schedule) -> isl.Schedule:
    """A tree as isl's. The identifier of each mark has its attribute as the user object.

    Expansion nodes may stand at the ends of all branches, with the same contraction and the same
    tree below.
    """
    node = isl.Schedule.from_domain(schedule.domain).get_root()
    expansions: list[Expansion] = []
    whole = _grown(node.child(0), schedule.tree.children[0], expansions).get_schedule()
    if not expansions:
        return whole
    contraction, below = expansions[0].contraction, expansions[0].children
    assert all(each.children[0] is below[0] for each in expansions)
    return whole.expand(contraction, to_isl(Schedule(Domain(below, contraction.domain()))))


def _grown(leaf: isl.ScheduleNode, tree: Node, expansions: list[Expansion]) -> isl.ScheduleNode:
    """The node that stands where `leaf` stood, with all that is below it but for expansions."""
    match tree:
        case Leaf():
            return leaf
        case Expansion():
            expansions.append(tree)
            return leaf
        case SequenceNode() | SetNode():
            return _with_filters(leaf, tree, expansions)
        case Band():
            node = _with_band(leaf, tree)
        case Filter():
            node = leaf.insert_filter(tree.instances)
        case Context():
            node = leaf.insert_context(tree.context)
        case Guard():
            node = leaf.insert_guard(tree.guard)
        case Mark():
            node = leaf.insert_mark(isl.Id("attribute", tree.attribute))
        case _:
            raise AssertionError(f"a {tree.kind.value} node inside of a tree")
    return _grown(node.child(0), tree.children[0], expansions).parent()


def _with_band(leaf: isl.ScheduleNode, band: Band) -> isl.ScheduleNode:
    node = leaf.insert_partial_schedule(band.partial_schedule)
    node = node.band_set_permutable(int(band.permutable))
    for position, member in enumerate(band.members):
        node = node.band_member_set_coincident(position, int(member.is_coincident))
    if band.options is not None:
        node = node.band_set_ast_build_options(band.options)
    for position, member in enumerate(band.members):
        if member.kind is not isl.ast_loop_type.default:
            node = node.band_member_set_ast_loop_type(position, member.kind)
    return node


def _with_filters(
    leaf: isl.ScheduleNode, tree: Node, expansions: list[Expansion]
) -> isl.ScheduleNode:
    filters = isl.UnionSetList.alloc(isl.DEFAULT_CONTEXT, len(tree.children))
    for child in tree.children:
        assert isinstance(child, Filter)
        filters = filters.add(child.instances)
    insert = leaf.insert_sequence if tree.kind is Kind.SEQUENCE else leaf.insert_set
    node = insert(filters)
    for position, child in enumerate(tree.children):
        inner = _grown(node.child(position).child(0), child.children[0], expansions)
        node = inner.parent().parent()
    return node


def from_text(text: str) -> Schedule:
    """The tree that isl's text describes; raises `isl.Error` if it is malformed."""
    return from_isl(isl.Schedule(text))


def from_isl(schedule: isl.Schedule) -> Schedule:
    """isl's tree. An attribute of a mark is the user object of its identifier, or its name.

    Raises `ValueError` if the root is not a domain node: isl also has trees that start in an
    extension, which are fragments.
    """
    root = schedule.get_root()
    if isl.schedule_node_type(root.get_type()) is not isl.schedule_node_type.domain:
        raise ValueError("a scop's schedule tree starts in a domain node")
    return finished(_node(root))


def _node(node: isl.ScheduleNode) -> Node:
    """A node of isl with all that is below it."""
    children = tuple(_node(node.child(position)) for position in range(node.n_children()))
    match isl.schedule_node_type(node.get_type()):
        case isl.schedule_node_type.domain:
            return Domain(children, node.domain_get_domain())
        case isl.schedule_node_type.filter:
            return Filter(children, node.filter_get_filter())
        case isl.schedule_node_type.context:
            return Context(children, node.context_get_context())
        case isl.schedule_node_type.guard:
            return Guard(children, node.guard_get_guard())
        case isl.schedule_node_type.mark:
            return Mark(children, _mark_object(node.mark_get_id()))
        case isl.schedule_node_type.extension:
            return Extension(children, node.extension_get_extension())
        case isl.schedule_node_type.expansion:
            contraction, expansion = (
                node.expansion_get_contraction(),
                node.expansion_get_expansion(),
            )
            return Expansion(children, contraction, expansion)
        case isl.schedule_node_type.band:
            return replace(_band(node), children=children)
        case isl.schedule_node_type.sequence:
            return SequenceNode(children)
        case isl.schedule_node_type.set:
            return SetNode(children)
        case _:
            return LEAF


def _band(node: isl.ScheduleNode) -> Band:
    schedule = node.band_get_partial_schedule()
    members = tuple(
        BandMember(
            schedule.get_at(position),
            bool(node.band_member_get_coincident(position)),
            isl.ast_loop_type(node.band_member_get_ast_loop_type(position)),
        )
        for position in range(node.band_n_member())
    )
    options = other_options(node.band_get_ast_build_options())
    return Band((LEAF,), members, bool(node.band_get_permutable()), options)


def other_options(options: isl.UnionSet) -> isl.UnionSet | None:
    """AST build options without the kinds of loops, which members have."""
    others: isl.UnionSet | None = None
    for option in sets_of(options):
        if option.is_wrapping() or option.get_tuple_name() not in LOOP_KINDS.values():
            one = isl.UnionSet.from_set(option)
            others = one if others is None else others.union(one)
    return others


def _mark_object(identifier: isl.Id) -> object:
    try:
        return identifier.user or identifier.get_name()
    except TypeError:
        # isl's own identifiers have pointers that are not Python objects.
        return identifier.get_name()
