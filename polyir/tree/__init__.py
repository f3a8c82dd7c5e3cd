"""The schedule tree: an immutable value, its cursor, and its borders to operations and to isl."""

from polyir.tree.nodes import (
    LEAF,
    AddedBelow,
    Band,
    Context,
    Domain,
    Expansion,
    Extension,
    Filter,
    Guard,
    Kind,
    Leaf,
    Mark,
    Member,
    Node,
    Sequence,
    Set,
)
from polyir.tree.schedule import Schedule, ScheduleNode, mapped_children

__all__ = [
    "LEAF",
    "AddedBelow",
    "Band",
    "Context",
    "Domain",
    "Expansion",
    "Extension",
    "Filter",
    "Guard",
    "Kind",
    "Leaf",
    "Mark",
    "Member",
    "Node",
    "Schedule",
    "ScheduleNode",
    "Sequence",
    "Set",
    "mapped_children",
]
