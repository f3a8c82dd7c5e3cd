"""The schedule tree as operations and as `isl.Schedule`, without loss either way.

Inside polyir, schedules have no extension nodes: the instances that such a node adds are in the
domain, and the bands and filters around it know them, so that every transformation treats them as
any others. A mark, `AddedBelow`, remembers where the node stands:

    domain { S[i] }                          domain { S[i]; C[t, x] }
      band [S: 8 floor(i/8)]                   band [S: 8 floor(i/8); C: t]
        extension { [t] -> C[t, x] : ... }       mark AddedBelow({C})
          sequence                                 sequence
            filter { C[t, x] }            <=>        filter { C[t, x] }
            filter { S[i] }                          filter { S[i] }

Expansion nodes are not changed: isl can only read them from text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, cast

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from polyir.dialects.isl_attributes import (
    IslAttribute,
    MultiUnionPwAffAttr,
    SetAttr,
    UnionMapAttr,
    UnionPwMultiAffAttr,
    UnionSetAttr,
)
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.dialects.schedule_tree import (
    LOOP_KINDS,
    BandOp,
    ContextOp,
    DomainOp,
    ExpansionOp,
    ExtensionOp,
    FilterOp,
    GuardOp,
    MarkOp,
    SequenceOp,
    SetOp,
    TreeOp,
    walk_tree,
)
from polyir.isl_trees import (
    BandMembers,
    TreeNode,
    build_tree,
    mark_id,
    mark_object,
    member_objects,
    node_type,
)
from polyir.sets.lists import maps_of, sets_of

_LOOP_TYPES = {
    isl.ast_loop_type.default: "default",
    isl.ast_loop_type.atomic: "atomic",
    isl.ast_loop_type.separate: "separate",
    isl.ast_loop_type.unroll: "unroll",
}


@dataclass(frozen=True)
class AddedBelow:
    """The object of a mark in the place of an extension node: the statements that it adds."""

    statements: frozenset[str]


def schedule_from_tree(root: DomainOp) -> isl.Schedule:
    """The `isl.Schedule` that the operations from `root` down describe.

    Attributes of marks and band members are the objects of `polyir.isl_trees`. The operations
    must verify.
    """
    if any(isinstance(node, ExpansionOp) for node in walk_tree(root)):
        return isl.Schedule.read_from_str(isl.DEFAULT_CONTEXT, _text(root))
    return build_tree(without_extensions(_described(root)))


def without_extensions(tree: TreeNode) -> TreeNode:
    """A tree with extension nodes as one with `AddedBelow` marks."""
    changed, _ = _without_extensions(tree, 0)
    return changed


def _described(node: TreeOp) -> TreeNode:
    kind = node.name.removeprefix("poly.")
    return TreeNode(kind, _content(node), tuple(map(_described, node.children)))


def _content(node: TreeOp) -> object:
    match node:
        case DomainOp() | FilterOp():
            return node.instances.data
        case ContextOp():
            return node.context.data
        case GuardOp():
            return node.guard.data
        case ExtensionOp():
            return node.extension.data
        case MarkOp():
            return node.mark
        case BandOp():
            options = _loop_kind_options(node)
            if node.options is not None:
                options = options.union(node.options.data)
            objects = tuple(attributes or None for attributes in node.attributes_of_members)
            coincident = tuple(bool(flag.value.data) for flag in node.coincident)
            permutable = node.permutable is not None
            return BandMembers(node.schedule.data, objects, permutable, coincident, options)
        case _:
            return None


@dataclass(frozen=True)
class _AddedStatement:
    """The instances that extension nodes add, and the loops around: `{ C[x] -> [t] }`."""

    iterations: isl.Map

    @cached_property
    def instances(self) -> isl.Set:
        """What is added."""
        return self.iterations.domain()

    @cached_property
    def loops(self) -> isl.PwMultiAff:
        """The iterations as functions, which are said for all of C, not for the instances only.

        isl does not see that a constraint is there twice, and works for each.
        """
        # Mostly the loops are iterators of C, which isl need not find out piece by piece.
        hull = isl.Map.from_basic_map(self.iterations.affine_hull())
        loops = isl.PwMultiAff.from_map(hull if hull.is_single_valued() else self.iterations)
        return loops.gist(self.instances)

    def union(self, other: _AddedStatement, depth: int) -> _AddedStatement:
        """What is added in two children of a node, with the `depth` loops around both."""
        one, another = (
            each.iterations.project_out(
                isl.dim_type.out, depth, each.iterations.dim(isl.dim_type.out) - depth
            )
            for each in (self, other)
        )
        return _AddedStatement(one.union(another))


_Added = Mapping[str, _AddedStatement]


def _without_extensions(node: TreeNode, depth: int) -> tuple[TreeNode, _Added]:
    """The node without extension nodes from it down, and what those add.

    `depth` is the schedule depth of the node.
    """
    inner = depth
    if isinstance(node.content, BandMembers):
        inner += node.content.schedule.dim(isl.dim_type.set)
    below = [_without_extensions(child, inner) for child in node.children]
    children = _with_instances_of_parts(below)
    added: dict[str, _AddedStatement] = {}
    for _, inside in below:
        for name, each in inside.items():
            added[name] = each if name not in added else added[name].union(each, inner)
    content, kind = node.content, node.kind
    if kind == "extension":
        assert isinstance(content, isl.UnionMap)
        own = {part.get_tuple_name(isl.dim_type.out): part for part in maps_of(content)}
        added |= {name: _AddedStatement(part.reverse()) for name, part in own.items()}
        kind, content = "mark", AddedBelow(frozenset(own))
    elif kind in ("domain", "filter") and added:
        assert isinstance(content, isl.UnionSet)
        instances = [each.instances for each in added.values()]
        if kind == "filter":
            instances = [isl.Set.universe(each.get_space()) for each in instances]
        content = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, instances), content)
    elif isinstance(content, BandMembers) and added:
        content = replace(content, schedule=_with_added(content.schedule, added, depth))
    return TreeNode(kind, content, children), added


def _with_instances_of_parts(below: Sequence[tuple[TreeNode, _Added]]) -> tuple[TreeNode, ...]:
    """The children of a node, each of which lets pass what is added in it.

    Splitting a loop splits what is added in it: several children add instances of a statement.
    Where only one does, its filter needs no condition.
    """
    counts = Counter(name for _, added in below for name in added)
    children: list[TreeNode] = []
    for child, added in below:
        content = child.content
        for name, each in added.items():
            if counts[name] > 1:
                assert isinstance(content, isl.UnionSet)
                part = isl.UnionSet.from_set(each.instances)
                content = content.subtract(part.universe()).union(part)
        children.append(replace(child, content=content))
    return tuple(children)


def _with_added(schedule: isl.MultiUnionPwAff, added: _Added, depth: int) -> isl.MultiUnionPwAff:
    """The members of a band at `depth`, for what extension nodes inside add too."""
    for member in range(schedule.dim(isl.dim_type.set)):
        function = schedule.get_at(member)
        for each in added.values():
            values = isl.UnionPwAff.from_pw_aff(each.loops.get_at(depth + member))
            function = function.union_add(values)
        schedule = schedule.set_at(member, function)
    return schedule


def once_each(statement: isl.Set) -> isl.Map:
    """`{ [t] -> S[t] }`: what an extension node says that adds S[t] in each iteration t."""
    return statement.identity().reset_tuple_id(isl.dim_type.in_)


def added_statements(schedule: isl.Schedule) -> frozenset[str]:
    """The statements that extension nodes of a tree add."""
    names: set[str] = set()

    def visit(node: isl.ScheduleNode) -> None:
        if node_type(node) is isl.schedule_node_type.mark:
            item = mark_object(node)
            if isinstance(item, AddedBelow):
                names.update(item.statements)
        for position in range(node.n_children()):
            visit(node.child(position))

    visit(schedule.get_root())
    return frozenset(names)


def tree_from_schedule(schedule: isl.Schedule) -> DomainOp:
    """The schedule tree of `schedule` as operations.

    Raises `ValueError` if the root is not a domain node (isl also has trees that start in an
    extension; they are fragments, not schedules of a scop), or if a mark has no attribute.
    """
    root, _ = _node_to_op(schedule.get_root())
    if not isinstance(root, DomainOp):
        raise ValueError("a scop's schedule tree starts in a domain node")
    return root


def _node_to_op(node: isl.ScheduleNode) -> tuple[TreeOp, frozenset[str]]:
    """The operation for `node`, no leaf, with all below it, and what extension nodes add there."""
    children: list[TreeOp] = []
    added: frozenset[str] = frozenset()
    for position in range(node.n_children()):
        child = node.get_child(position)
        if node_type(child) is not isl.schedule_node_type.leaf:
            operation, below = _node_to_op(child)
            children.append(operation)
            added |= below
    match node_type(node):
        case isl.schedule_node_type.mark:
            item = mark_object(node)
            if isinstance(item, AddedBelow):
                extension = UnionMapAttr(_extension(node, item))
                return ExtensionOp({"extension": extension}, children), added | item.statements
            return MarkOp({"mark": attribute_of_mark(node)}, children), added
        case isl.schedule_node_type.band:
            return _band_to_op(node, children, added), added
        case isl.schedule_node_type.domain:
            instances = _without(node.domain_get_domain(), added)
            return DomainOp({"instances": UnionSetAttr(instances)}, children), added
        case isl.schedule_node_type.filter:
            instances = _without(node.filter_get_filter(), added)
            return FilterOp({"instances": UnionSetAttr(instances)}, children), added
        case kind:
            return _CONVERTERS[kind](node, children), added


def _extension(mark: isl.ScheduleNode, item: AddedBelow) -> isl.UnionMap:
    """`{ [t] -> C[x] }`: the instances in each iteration of the loops around a mark."""
    around = mark.get_prefix_schedule_union_map().intersect_domain(mark.get_domain())
    added = isl.UnionMap.empty(around.get_space())
    for part in maps_of(around):
        if part.get_tuple_name(isl.dim_type.in_) in item.statements:
            added = added.union(isl.UnionMap.from_map(part.reverse()))
    return added


def _without(instances: isl.UnionSet, names: frozenset[str]) -> isl.UnionSet:
    """`instances` but for those of some statements."""
    if not names:
        return instances
    kept = isl.UnionSet.empty(instances.get_space())
    for part in sets_of(instances):
        if part.get_tuple_name() not in names:
            kept = kept.union(isl.UnionSet.from_set(part))
    return kept


def _band_to_op(
    node: isl.ScheduleNode, children: Sequence[TreeOp], added: frozenset[str]
) -> BandOp:
    members = range(node.band_n_member())
    kinds = [_loop_kind(node, member) for member in members]
    options = _other_options(node.band_get_ast_build_options())
    flags = [bool(node.band_member_get_coincident(member)) for member in members]
    properties: dict[str, Attribute | None] = {
        "schedule": MultiUnionPwAffAttr(_members_without(node, added)),
        "permutable": UnitAttr() if node.band_get_permutable() else None,
        "coincident": ArrayAttr([BoolAttr.from_bool(flag) for flag in flags]),
        "loop_kinds": None,
        "loop_attributes": None,
        "options": None if options.is_empty() else UnionSetAttr(options),
    }
    if any(kind != "default" for kind in kinds):
        properties["loop_kinds"] = ArrayAttr([StringAttr(kind) for kind in kinds])
    attributes = attributes_of_members(node)
    if any(attributes):
        properties["loop_attributes"] = ArrayAttr(map(ArrayAttr, attributes))
    return BandOp(properties, children)


def _members_without(band: isl.ScheduleNode, names: frozenset[str]) -> isl.MultiUnionPwAff:
    """The partial schedule of a band but for some statements."""
    schedule = band.band_get_partial_schedule()
    for member in range(band.band_n_member()) if names else ():
        functions = schedule.get_at(member).get_pw_aff_list()
        kept = isl.UnionPwAff.empty(schedule.get_space().params())
        for position in range(functions.n_pw_aff()):
            function = functions.get_at(position)
            if function.get_domain_space().get_tuple_name(isl.dim_type.set) not in names:
                kept = kept.union_add(isl.UnionPwAff.from_pw_aff(function))
        schedule = schedule.set_at(member, kept)
    return schedule


def attributes_of_members(band: isl.ScheduleNode) -> tuple[LoopAttributes, ...]:
    """The attributes of each member of a band node."""
    return tuple(cast(LoopAttributes, item or ()) for item in member_objects(band))


def attribute_of_mark(mark: isl.ScheduleNode) -> Attribute:
    """The attribute of a mark node; raises `ValueError` if it has none."""
    attribute = mark_object(mark)
    if not isinstance(attribute, Attribute):
        raise ValueError(f"the mark '{mark.mark_get_id().get_name()}' has no attribute")
    return attribute


def insert_mark(node: isl.ScheduleNode, item: object) -> isl.ScheduleNode:
    """The mark of an attribute, or another object, above `node`, which is returned."""
    return node.insert_mark(mark_id(item))


def _loop_kind(node: isl.ScheduleNode, member: int) -> str:
    return _LOOP_TYPES[isl.ast_loop_type(node.band_member_get_ast_loop_type(member))]


def _other_options(options: isl.UnionSet) -> isl.UnionSet:
    """AST build options without the loop kinds, which a band says member by member."""
    others = isl.UnionSet.empty(options.get_space())
    for option in sets_of(options):
        is_wrapped = option.is_wrapping()
        if is_wrapped or option.get_tuple_name() not in LOOP_KINDS:
            others = others.union(isl.UnionSet.from_set(option))
    return others


_Converter = Callable[[isl.ScheduleNode, Sequence[TreeOp]], TreeOp]

_CONVERTERS: dict[isl.schedule_node_type, _Converter] = {
    isl.schedule_node_type.sequence: lambda node, children: SequenceOp({}, children),
    isl.schedule_node_type.set: lambda node, children: SetOp({}, children),
    isl.schedule_node_type.context: lambda node, children: ContextOp(
        {"context": SetAttr(node.context_get_context())}, children
    ),
    isl.schedule_node_type.guard: lambda node, children: GuardOp(
        {"guard": SetAttr(node.guard_get_guard())}, children
    ),
    isl.schedule_node_type.extension: lambda node, children: ExtensionOp(
        {"extension": UnionMapAttr(node.extension_get_extension())}, children
    ),
    isl.schedule_node_type.expansion: lambda node, children: ExpansionOp(
        {
            "contraction": UnionPwMultiAffAttr(node.expansion_get_contraction()),
            "expansion": UnionMapAttr(node.expansion_get_expansion()),
        },
        children,
    ),
}


def _text(node: TreeOp) -> str:
    """isl's text of the tree from `node` down, in YAML's flow style, without attributes."""
    children = [_text(child) for child in node.children]
    if isinstance(node, SequenceOp | SetOp):
        key = "sequence" if isinstance(node, SequenceOp) else "set"
        return f"{{ {key}: [ {', '.join(children)} ] }}"
    # isl's reader wants to be told of a leaf below a mark, context, guard or extension.
    (child,) = children or ["{ leaf }"]
    return f"{{ {', '.join([*_fields(node), f'child: {child}'])} }}"


def _fields(node: TreeOp) -> list[str]:
    """The `key: value` pairs of isl's text for a node with one child at most."""
    if isinstance(node, BandOp):
        return _band_fields(node)
    if isinstance(node, MarkOp):
        return [_field("mark", node.mark.name)]
    keys = {"instances": node.name.removeprefix("poly.")}
    objects = ((name, node.properties[name]) for name in node.HEAD)
    return [
        _field(keys.get(name, name), cast(IslAttribute[Any], attribute).data)
        for name, attribute in objects
    ]


def _band_fields(band: BandOp) -> list[str]:
    fields = [_field("schedule", band.schedule.data)]
    if band.permutable is not None:
        fields.append("permutable: 1")
    flags = ", ".join("1" if flag.value.data else "0" for flag in band.coincident)
    if flags:
        fields.append(f"coincident: [ {flags} ]")
    options = _loop_kind_options(band)
    if band.options is not None:
        options = options.union(band.options.data)
    if not options.is_empty():
        fields.append(_field("options", options))
    return fields


def _loop_kind_options(band: BandOp) -> isl.UnionSet:
    kinds = [] if band.loop_kinds is None else [kind.data for kind in band.loop_kinds]
    parts = [f"{kind}[{position}]" for position, kind in enumerate(kinds) if kind != "default"]
    return isl.UnionSet(f"{{ {'; '.join(parts)} }}")


def _field(key: str, value: object) -> str:
    return f"{key}: {json.dumps(str(value))}"
