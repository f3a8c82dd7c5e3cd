"""isl's schedule trees with Python objects at marks and band members, as plain data and back.

A mark's object is the user object of its identifier; a band member's is that of the identifier
of its dimension in the partial schedule. isl carries identifiers along wherever it keeps the
mark or the member, so that an object goes where its loop goes. isl's text of a tree has none of
them, so trees are described by `TreeNode` where they must survive as data (in operations, in
pickles) and built again node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl


def node_type(node: isl.ScheduleNode) -> isl.schedule_node_type:
    """The type of a schedule node (islpy returns the enumeration; its stub says `int`)."""
    return isl.schedule_node_type(node.get_type())


def mark_object(mark: isl.ScheduleNode) -> object:
    """The object of a mark node; `None` if it has none."""
    return _object(mark.mark_get_id())


def mark_id(item: object) -> isl.Id:
    """The identifier of a mark with an object."""
    return isl.Id("attribute", item)


def _object(identifier: isl.Id) -> object:
    try:
        return identifier.user
    except TypeError:
        # isl's own identifiers have pointers that are no Python objects.
        return None


def member_objects(band: isl.ScheduleNode) -> tuple[object, ...]:
    """The object of each member of a band node; `None` for a member without one."""
    space = band.band_get_partial_schedule().get_space()
    return tuple(
        _object(space.get_dim_id(isl.dim_type.set, position))
        if space.has_dim_id(isl.dim_type.set, position)
        else None
        for position in range(band.band_n_member())
    )


def band_schedule(
    functions: Sequence[isl.UnionPwAff], objects: Sequence[object] = ()
) -> isl.MultiUnionPwAff:
    """The partial schedule with the given members, at least one, and their objects."""
    schedule = isl.MultiUnionPwAff.from_union_pw_aff(functions[0])
    for function in functions[1:]:
        schedule = schedule.flat_range_product(isl.MultiUnionPwAff.from_union_pw_aff(function))
    for position, item in enumerate(objects):
        if item is not None:
            schedule = schedule.set_dim_id(isl.dim_type.set, position, isl.Id("loop", item))
    return schedule


def path_of(node: isl.ScheduleNode) -> tuple[int, ...]:
    """The positions of children on the way from the root to `node`."""
    path: list[int] = []
    while node.has_parent():
        path.append(node.get_child_position())
        node = node.parent()
    return tuple(reversed(path))


def mapped_children(
    node: isl.ScheduleNode, rewrite: Callable[[isl.ScheduleNode], isl.ScheduleNode]
) -> isl.ScheduleNode:
    """`node` with `rewrite` applied to each child.

    `rewrite` returns the node that stands where its argument stood.
    """
    for position in range(node.n_children()):
        node = rewrite(node.child(position)).parent()
    return node


@dataclass(frozen=True)
class BandMembers:
    """What a band holds; `options` has isl's AST build options, loop kinds among them.

    What the members carry is in `objects` alone: ids in `schedule` are not read.
    """

    schedule: isl.MultiUnionPwAff
    objects: tuple[object, ...]
    permutable: bool
    coincident: tuple[bool, ...]
    options: isl.UnionSet


@dataclass(frozen=True)
class TreeNode:
    """A node of a schedule tree and what is below it; there are no leaves.

    `content` is an `isl.UnionSet` for a domain and a filter, an `isl.Set` for a context and a
    guard, `BandMembers` for a band, the object of a mark, and `None` for sequences and sets.
    """

    kind: str
    content: object
    children: tuple[TreeNode, ...]


class NoTreeError(ValueError):
    """A tree with extension or expansion nodes, which isl has no calls to insert."""


def describe_tree(schedule: isl.Schedule) -> TreeNode:
    """A schedule tree as plain data; raises `NoTreeError`."""
    return _described(schedule.get_root())


def _described(node: isl.ScheduleNode) -> TreeNode:
    children = (node.child(position) for position in range(node.n_children()))
    below = tuple(_described(c) for c in children if node_type(c) is not _Kind.leaf)
    kind = node_type(node)
    match kind:
        case _Kind.domain:
            return TreeNode(kind.name, node.domain_get_domain(), below)
        case _Kind.filter:
            return TreeNode(kind.name, node.filter_get_filter(), below)
        case _Kind.context:
            return TreeNode(kind.name, node.context_get_context(), below)
        case _Kind.guard:
            return TreeNode(kind.name, node.guard_get_guard(), below)
        case _Kind.mark:
            return TreeNode(kind.name, mark_object(node), below)
        case _Kind.band:
            members = range(node.band_n_member())
            band = BandMembers(
                node.band_get_partial_schedule(),
                member_objects(node),
                bool(node.band_get_permutable()),
                tuple(bool(node.band_member_get_coincident(member)) for member in members),
                node.band_get_ast_build_options(),
            )
            return TreeNode(kind.name, band, below)
        case _Kind.sequence | _Kind.set:
            return TreeNode(kind.name, None, below)
        case _:
            raise NoTreeError(f"a tree with a node of the type {kind.name}")


def build_tree(root: TreeNode) -> isl.Schedule:
    """The schedule tree that `root`, a domain, describes; raises `NoTreeError`."""
    assert isinstance(root.content, isl.UnionSet)
    node = isl.Schedule.from_domain(root.content).get_root()
    for child in root.children:
        node = _grown(node.child(0), child).parent()
    return node.get_schedule()


def _grown(leaf: isl.ScheduleNode, tree: TreeNode) -> isl.ScheduleNode:
    """The node that stands where `leaf` stood, with all that is below it."""
    if tree.kind in ("sequence", "set"):
        return _with_filters(leaf, tree)
    match tree.content:
        case BandMembers() as band:
            functions = [band.schedule.get_at(member) for member in range(len(band.objects))]
            own = band_schedule(functions, band.objects) if functions else band.schedule
            node = leaf.insert_partial_schedule(own)
            node = node.band_set_permutable(int(band.permutable))
            for position, flag in enumerate(band.coincident):
                node = node.band_member_set_coincident(position, int(flag))
            if not band.options.is_empty():
                node = node.band_set_ast_build_options(band.options)
        case isl.UnionSet() if tree.kind == "filter":
            node = leaf.insert_filter(tree.content)
        case isl.Set() if tree.kind == "context":
            node = leaf.insert_context(tree.content)
        case isl.Set() if tree.kind == "guard":
            node = leaf.insert_guard(tree.content)
        case _ if tree.kind == "mark":
            node = leaf.insert_mark(mark_id(tree.content))
        case _:
            raise NoTreeError(f"a tree with a node of the type {tree.kind}")
    for child in tree.children:
        node = _grown(node.child(0), child).parent()
    return node


def _with_filters(leaf: isl.ScheduleNode, tree: TreeNode) -> isl.ScheduleNode:
    filters = isl.UnionSetList.alloc(isl.DEFAULT_CONTEXT, len(tree.children))
    for child in tree.children:
        assert isinstance(child.content, isl.UnionSet)
        filters = filters.add(child.content)
    insert = leaf.insert_sequence if tree.kind == "sequence" else leaf.insert_set
    node = insert(filters)
    for position, child in enumerate(tree.children):
        for inner in child.children:
            node = _grown(node.child(position).child(0), inner).parent().parent()
    return node


Objects = tuple[tuple[object, ...], ...]
"""For each mark and band of a tree, parents first: the object of the mark, or the objects of the
members, `None` where a member has none."""


def objects_of(tree: TreeNode) -> Objects:
    """The objects of a tree, in order."""
    own: Objects = ()
    if isinstance(tree.content, BandMembers):
        own = (tree.content.objects,)
    elif tree.kind == "mark":
        own = ((tree.content,),)
    return sum((objects_of(child) for child in tree.children), own)


def with_objects(tree: TreeNode, objects: Objects) -> TreeNode:
    """The same tree with other objects."""
    remaining = iter(objects)

    def changed(node: TreeNode) -> TreeNode:
        content = node.content
        if isinstance(content, BandMembers):
            content = replace(content, objects=next(remaining))
        elif node.kind == "mark":
            (content,) = next(remaining)
        return replace(node, content=content, children=tuple(map(changed, node.children)))

    return changed(tree)


def with_member_objects(band: isl.ScheduleNode, objects: Sequence[object]) -> isl.ScheduleNode:
    """`band` with other objects, one a member; all else stays."""
    if band.is_subtree_anchored():
        return _rebuilt_with_objects(band, tuple(objects))
    schedule = band.band_get_partial_schedule()
    members = range(band.band_n_member())
    schedule = band_schedule([schedule.get_at(member) for member in members], objects)
    permutable, options = band.band_get_permutable(), band.band_get_ast_build_options()
    flags = [band.band_member_get_coincident(member) for member in members]
    band = band.delete().insert_partial_schedule(schedule).band_set_permutable(int(permutable))
    for member, flag in zip(members, flags, strict=True):
        band = band.band_member_set_coincident(member, int(flag))
    return band.band_set_ast_build_options(options)


def members_of_band(band: isl.ScheduleNode) -> list[isl.UnionPwAff]:
    """The functions of the members of a band."""
    schedule = band.band_get_partial_schedule()
    return [schedule.get_at(member) for member in range(band.band_n_member())]


def with_members(
    band: isl.ScheduleNode, functions: Mapping[int, isl.UnionPwAff]
) -> isl.ScheduleNode:
    """`band` with the members at some positions only, with other functions.

    What is below the band, if there are none. The tree must have no AST options that name loops.
    """
    objects, permutable = member_objects(band), band.band_get_permutable()
    flags = [band.band_member_get_coincident(member) for member in functions]
    kinds = [isl.ast_loop_type(band.band_member_get_ast_loop_type(each)) for each in functions]
    band = band.delete()
    if not functions:
        return band
    own = [objects[member] for member in functions]
    members = band_schedule(list(functions.values()), own)
    band = band.insert_partial_schedule(members).band_set_permutable(int(permutable))
    for member, (flag, kind) in enumerate(zip(flags, kinds, strict=True)):
        band = band.band_member_set_coincident(member, int(flag))
        band = band.band_member_set_ast_loop_type(member, kind)
    return band


def _rebuilt_with_objects(band: isl.ScheduleNode, objects: tuple[object, ...]) -> isl.ScheduleNode:
    """As `with_member_objects` where isl replaces no band: the whole tree is built again."""
    way = path_of(band)

    def changed(tree: TreeNode, way: Sequence[int]) -> TreeNode:
        if not way:
            assert isinstance(tree.content, BandMembers)
            return replace(tree, content=replace(tree.content, objects=objects))
        children = list(tree.children)
        children[way[0]] = changed(children[way[0]], way[1:])
        return replace(tree, children=tuple(children))

    node = build_tree(changed(describe_tree(band.get_schedule()), way)).get_root()
    for position in way:
        node = node.child(position)
    return node


_Kind = isl.schedule_node_type
