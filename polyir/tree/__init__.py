"""The schedule tree: an immutable value, its cursor, and its borders to operations and to isl."""

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
    Leaf,
    Mark,
    Node,
    SequenceNode,
    SetNode,
)
from polyir.tree.schedule import Schedule, ScheduleNode, mapped_bottom_up, mapped_children

__all__ = [
    "LEAF",
    "AddedBelow",
    "Band",
    "BandMember",
    "Context",
    "Domain",
    "Expansion",
    "Extension",
    "Filter",
    "Guard",
    "Kind",
    "Leaf",
    "Mark",
    "Node",
    "Schedule",
    "ScheduleNode",
    "SequenceNode",
    "SetNode",
    "mapped_bottom_up",
    "mapped_children",
]
