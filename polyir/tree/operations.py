"""The schedule tree as operations of the poly dialect, without loss either way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute
from xdsl.rewriter import Rewriter

from polyir.dialects.isl_attributes import (
    MultiUnionPwAffAttr,
    SetAttr,
    UnionMapAttr,
    UnionSetAttr,
)
from polyir.dialects.schedule_tree import (
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
from polyir.dialects.scop import ScopOp
from polyir.sets.lists import maps_of, sets_of, union_map, union_set
from polyir.tree.added import finished
from polyir.tree.isl_border import LOOP_KINDS
from polyir.tree.nodes import (
    LEAF,
    AddedBelow,
    Band,
    BandMember,
    Context,
    Domain,
    Expansion,
    Extension,
    Filter,
    Guard,
    Kind,
    Mark,
    Node,
    SequenceNode,
    SetNode,
    by_statement,
    joined,
)
from polyir.tree.schedule import Schedule, ScheduleNode

_KINDS = {name: kind for kind, name in LOOP_KINDS.items()}

Properties = dict[str, Attribute | None]


@dataclass(frozen=True)
class _Known:
    """The tree that operations print, and what they said when they were made or read."""

    schedule: Schedule
    said: tuple[object, ...]


def schedule_of(root: DomainOp) -> Schedule:
    """The tree that the operations from `root` down describe; they must verify.

    Read once: as long as nobody changes the operations, they and their copies have the same object.
    """
    said = _said(root)
    known = root.known.get("tree")
    if not isinstance(known, _Known) or known.said != said:
        known = root.known["tree"] = _Known(finished(_node(root)), said)
    return known.schedule


def operations_of(schedule: Schedule) -> DomainOp:
    """The tree as operations; raises `ValueError` if a mark has no attribute."""
    root, _ = _operation(schedule.root)
    assert isinstance(root, DomainOp)
    root.known["tree"] = _Known(schedule, _said(root))
    return root


def set_schedule(op: ScopOp, schedule: Schedule) -> None:
    """Put the operations of a tree in a scop, in the place of those that it has."""
    old = op.tree
    op.body.block.insert_op_before(operations_of(schedule), old)
    Rewriter.erase_op(old)


def _said(root: TreeOp) -> tuple[object, ...]:
    """All that operations say: attributes are compared by identity before their content."""
    return (
        type(root),
        tuple(root.properties.items()),
        *(_said(child) for child in root.children),
    )


def _node(op: TreeOp) -> Node:
    children = tuple(map(_node, op.children)) or (LEAF,)
    match op:
        case DomainOp():
            return Domain(children, op.instances.data)
        case FilterOp():
            return Filter(children, op.instances.data)
        case ContextOp():
            return Context(children, op.context.data)
        case GuardOp():
            return Guard(children, op.guard.data)
        case ExtensionOp():
            return Extension(children, op.extension.data)
        case ExpansionOp():
            return Expansion(children, op.contraction.data, op.expansion.data)
        case MarkOp():
            return Mark(children, op.mark)
        case BandOp():
            return replace(_band(op), children=children)
        case _:
            return (SequenceNode if isinstance(op, SequenceOp) else SetNode)(children)


def _band(op: BandOp) -> Band:
    schedule, count = op.schedule.data, len(op.coincident)
    kinds = ["default"] * count if op.loop_kinds is None else [each.data for each in op.loop_kinds]
    members = tuple(
        BandMember(
            schedule.get_at(position),
            bool(flag.value.data),
            _KINDS[kinds[position]],
            op.attributes_of_members[position],
        )
        for position, flag in enumerate(op.coincident)
    )
    options = None if op.options is None else op.options.data
    return Band((LEAF,), members, op.permutable is not None, options)


def _operation(node: ScheduleNode) -> tuple[TreeOp, frozenset[str]]:
    """The operation for `node`, no leaf, with all below it, and what extension nodes add there."""
    children: list[TreeOp] = []
    added: frozenset[str] = frozenset()
    for child in node.children():
        if child.kind is not Kind.LEAF:
            operation, below = _operation(child)
            children.append(operation)
            added |= below
    if node.kind is Kind.MARK and isinstance(node.attribute, AddedBelow):
        extension = UnionMapAttr(_extension(node, node.attribute))
        return ExtensionOp({"extension": extension}, children), added | node.attribute.statements
    make, properties = _properties(node.node, added)
    return make(dict(properties), children), added


def _properties(node: Node, added: frozenset[str]) -> tuple[type[TreeOp], Properties]:
    """The class of the operation of a node, and its properties without the `added` statements."""
    if added:
        return _made_properties(node, added)
    known = node.__dict__.get("_properties")
    if known is None:
        known = node.__dict__["_properties"] = _made_properties(node, added)
    return cast(tuple[type[TreeOp], Properties], known)


def _made_properties(node: Node, added: frozenset[str]) -> tuple[type[TreeOp], Properties]:
    match node:
        case Domain():
            return DomainOp, {"instances": UnionSetAttr(_without(node.instances, added))}
        case Filter():
            return FilterOp, {"instances": UnionSetAttr(_without(node.instances, added))}
        case Context():
            return ContextOp, {"context": SetAttr(node.context)}
        case Guard():
            return GuardOp, {"guard": SetAttr(node.guard)}
        case Mark(attribute=Attribute() as attribute):
            return MarkOp, {"mark": attribute}
        case Mark():
            raise ValueError(f"the mark '{node.attribute}' has no attribute")
        case Band():
            return BandOp, _band_properties(node, added)
        case _:
            return (SequenceOp if node.kind is Kind.SEQUENCE else SetOp), {}


def _band_properties(band: Band, added: frozenset[str]) -> Properties:
    kinds = [LOOP_KINDS[member.kind] for member in band.members]
    properties: Properties = {
        "schedule": MultiUnionPwAffAttr(_members_without(band, added)),
        "permutable": UnitAttr() if band.permutable else None,
        "coincident": ArrayAttr([BoolAttr.from_bool(each.is_coincident) for each in band.members]),
        "loop_kinds": None,
        "loop_attributes": None,
        "options": None if band.options is None else UnionSetAttr(band.options),
    }
    if any(kind != "default" for kind in kinds):
        properties["loop_kinds"] = ArrayAttr([StringAttr(kind) for kind in kinds])
    if any(member.attributes for member in band.members):
        attributes = [ArrayAttr(member.attributes) for member in band.members]
        properties["loop_attributes"] = ArrayAttr(attributes)
    return properties


def _extension(mark: ScheduleNode, item: AddedBelow) -> isl.UnionMap:
    """`{ [t] -> C[x] }`: the instances in each iteration of the loops around a mark."""
    around = mark.prefix_schedule.intersect_domain(mark.domain)
    added = (
        part.reverse()
        for part in maps_of(around)
        if part.get_tuple_name(isl.dim_type.in_) in item.statements
    )
    return union_map(added, around.get_space())


def _without(instances: isl.UnionSet, names: frozenset[str]) -> isl.UnionSet:
    """`instances` but for those of some statements."""
    if not names:
        return instances
    kept = (part for part in sets_of(instances) if part.get_tuple_name() not in names)
    return union_set(kept, instances.get_space())


def _members_without(band: Band, names: frozenset[str]) -> isl.MultiUnionPwAff:
    """The partial schedule of a band but for some statements."""
    if not names:
        return band.partial_schedule
    functions: list[isl.UnionPwAff] = []
    for member in band.members:
        kept = isl.UnionPwAff.empty(member.function.get_space().params())
        for name, piece in by_statement(member.function).items():
            if name not in names:
                kept = kept.union_add(isl.UnionPwAff.from_pw_aff(piece))
        functions.append(kept)
    return joined(functions)
