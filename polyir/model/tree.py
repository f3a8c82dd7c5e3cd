"""The schedule tree as operations and as `isl.Schedule`, without loss either way.

isl has no call that inserts an extension or expansion node as such, so the way to isl goes
through isl's own text of a tree: one print and one parse, well under a millisecond.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from polyir.dialects.isl_attributes import (
    MultiUnionPwAffAttr,
    SetAttr,
    UnionMapAttr,
    UnionPwMultiAffAttr,
    UnionSetAttr,
)
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
)
from polyir.isl_lists import sets_of

_LOOP_TYPES = {
    isl.ast_loop_type.default: "default",
    isl.ast_loop_type.atomic: "atomic",
    isl.ast_loop_type.separate: "separate",
    isl.ast_loop_type.unroll: "unroll",
}


def schedule_from_tree(root: DomainOp) -> isl.Schedule:
    """The `isl.Schedule` that the operations from `root` down describe."""
    return isl.Schedule.read_from_str(isl.DEFAULT_CONTEXT, _text(root))


def tree_from_schedule(schedule: isl.Schedule) -> DomainOp:
    """The schedule tree of `schedule` as operations.

    Raises `ValueError` if the root is not a domain node (isl also has trees that start in an
    extension; they are fragments, not schedules of a scop).
    """
    root = _node_to_op(schedule.get_root())
    if not isinstance(root, DomainOp):
        raise ValueError("a scop's schedule tree starts in a domain node")
    return root


def _text(node: TreeOp) -> str:
    """isl's text of the tree from `node` down, in YAML's flow style."""
    children = [_text(child) for child in node.children]
    if isinstance(node, SequenceOp | SetOp):
        key = "sequence" if isinstance(node, SequenceOp) else "set"
        return f"{{ {key}: [ {', '.join(children)} ] }}"
    # isl's reader wants to be told of a leaf below a mark, context, guard or extension.
    (child,) = children or ["{ leaf }"]
    return f"{{ {', '.join([*_fields(node), f'child: {child}'])} }}"


def _fields(node: TreeOp) -> list[str]:
    """The `key: value` pairs of isl's text for a node with one child at most."""
    match node:
        case DomainOp():
            return [_field("domain", node.instances.data)]
        case FilterOp():
            return [_field("filter", node.instances.data)]
        case BandOp():
            return _band_fields(node)
        case MarkOp():
            return [_field("mark", node.mark.data)]
        case ContextOp():
            return [_field("context", node.context.data)]
        case GuardOp():
            return [_field("guard", node.guard.data)]
        case ExtensionOp():
            return [_field("extension", node.extension.data)]
        case ExpansionOp():
            return [
                _field("contraction", node.contraction.data),
                _field("expansion", node.expansion.data),
            ]
        case _:
            raise AssertionError(f"no text for {node.name}")


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


def _node_to_op(node: isl.ScheduleNode) -> TreeOp:
    """The operation for `node`, which is no leaf, with all that is below it."""
    children = [
        _node_to_op(child)
        for child in (node.get_child(position) for position in range(node.n_children()))
        if node_type(child) is not isl.schedule_node_type.leaf
    ]
    return _CONVERTERS[node_type(node)](node, children)


def node_type(node: isl.ScheduleNode) -> isl.schedule_node_type:
    """The type of a schedule node (islpy returns the enumeration; its stub says `int`)."""
    return isl.schedule_node_type(node.get_type())


_Children = Sequence[TreeOp]


def _band_to_op(node: isl.ScheduleNode, children: _Children) -> BandOp:
    members = range(node.band_n_member())
    kinds = [_loop_kind(node, member) for member in members]
    options = _other_options(node.band_get_ast_build_options())
    flags = [bool(node.band_member_get_coincident(member)) for member in members]
    properties: dict[str, Attribute | None] = {
        "schedule": MultiUnionPwAffAttr(node.band_get_partial_schedule()),
        "permutable": UnitAttr() if node.band_get_permutable() else None,
        "coincident": ArrayAttr([BoolAttr.from_bool(flag) for flag in flags]),
        "loop_kinds": None,
        "options": None if options.is_empty() else UnionSetAttr(options),
    }
    if any(kind != "default" for kind in kinds):
        properties["loop_kinds"] = ArrayAttr([StringAttr(kind) for kind in kinds])
    return BandOp(properties, children)


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


_CONVERTERS: dict[isl.schedule_node_type, Callable[[isl.ScheduleNode, _Children], TreeOp]] = {
    isl.schedule_node_type.domain: lambda node, children: DomainOp(
        {"instances": UnionSetAttr(node.domain_get_domain())}, children
    ),
    isl.schedule_node_type.filter: lambda node, children: FilterOp(
        {"instances": UnionSetAttr(node.filter_get_filter())}, children
    ),
    isl.schedule_node_type.band: _band_to_op,
    isl.schedule_node_type.sequence: lambda node, children: SequenceOp({}, children),
    isl.schedule_node_type.set: lambda node, children: SetOp({}, children),
    isl.schedule_node_type.mark: lambda node, children: MarkOp(
        {"mark": StringAttr(node.mark_get_id().get_name())}, children
    ),
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
