"""The nodes of schedule trees, as immutable values.

The node types are those of Verdoolaege, Guelton, Grosser, Cohen: Schedule Trees (IMPACT 2014).
In a `Schedule` there are no extension and expansion nodes: the instances that such a node adds are
in the domain, and the bands and filters above know them, so that every transformation treats them
as any others. Trees that are read or built may have them (`polyir.tree.added.finished`); a mark
with `AddedBelow` remembers where an extension node stood.

A node is a value: two trees may share it, and what was computed from it is kept with it.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, TypeVar

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.sets.lists import functions_of


class Kind(enum.Enum):
    """The type of a node."""

    DOMAIN = "domain"
    BAND = "band"
    SEQUENCE = "sequence"
    SET = "set"
    FILTER = "filter"
    CONTEXT = "context"
    GUARD = "guard"
    MARK = "mark"
    EXTENSION = "extension"
    EXPANSION = "expansion"
    LEAF = "leaf"


Self = TypeVar("Self", bound="Node")


@dataclass(frozen=True, eq=False)
class Node:
    """A node and all below it. Every node but a leaf has children; a sequence and a set have
    filters, all others one child."""

    children: tuple[Node, ...]

    kind: ClassVar[Kind]

    def with_children(self: Self, children: Iterable[Node]) -> Self:
        """The same node above other children; itself, if they are the same."""
        below = tuple(children)
        if len(below) == len(self.children) and all(map(operator.is_, below, self.children)):
            return self
        return replace(self, children=below)

    def walk(self) -> Iterator[Node]:
        """The node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __reduce__(self) -> Any:
        # What was computed from the node stays here.
        return type(self), tuple(getattr(self, each.name) for each in fields(self))


@dataclass(frozen=True, eq=False)
class Leaf(Node):
    """The end of a branch: the instances that reach it have no order."""

    kind = Kind.LEAF

    def __reduce__(self) -> Any:
        return "LEAF"


LEAF: Final = Leaf(())


@dataclass(frozen=True, eq=False)
class Domain(Node):
    """The root: all instances of the tree."""

    instances: isl.UnionSet

    kind = Kind.DOMAIN


@dataclass(frozen=True, eq=False)
class Filter(Node):
    """The instances that go on below."""

    instances: isl.UnionSet

    kind = Kind.FILTER


@dataclass(frozen=True, eq=False)
class SequenceNode(Node):
    """Filters, whose instances run in this order."""

    kind = Kind.SEQUENCE


@dataclass(frozen=True, eq=False)
class SetNode(Node):
    """Filters, whose instances run in any order."""

    kind = Kind.SET


@dataclass(frozen=True, eq=False)
class Context(Node):
    """What holds for the parameters, and the loops around."""

    context: isl.Set

    kind = Kind.CONTEXT


@dataclass(frozen=True, eq=False)
class Guard(Node):
    """A condition on the parameters, and the loops around, under which all below runs."""

    guard: isl.Set

    kind = Kind.GUARD


@dataclass(frozen=True, eq=False)
class Extension(Node):
    """Adds instances below: `{ [t] -> C[x] }`, in each iteration of the loops around."""

    relation: isl.UnionMap

    kind = Kind.EXTENSION


@dataclass(frozen=True, eq=False)
class Expansion(Node):
    """Several instances in the place of each one that reaches the node.

    `contraction` is `{ S[i] -> G[x] }`, and `expansion` is `{ G[x] -> S[i] }`.
    """

    contraction: isl.UnionPwMultiAff
    expansion: isl.UnionMap

    kind = Kind.EXPANSION


@dataclass(frozen=True)
class AddedBelow:
    """What a mark in the place of an extension node says: the statements that it adds."""

    statements: frozenset[str]


@dataclass(frozen=True, eq=False)
class Mark(Node):
    """Something that is said of all below: an attribute, such as the one of a GPU kernel."""

    attribute: object

    kind = Kind.MARK


@dataclass(frozen=True)
class BandMember:
    """A member of a band: its values, what is known of it, and how its loop is generated.

    `function` is `{ S[i] -> [t] }`, for each statement that reaches the band.
    """

    function: isl.UnionPwAff
    is_coincident: bool = False
    kind: isl.ast_loop_type = isl.ast_loop_type.default
    attributes: LoopAttributes = ()

    def with_function(self, function: isl.UnionPwAff) -> BandMember:
        """The same loop over other values."""
        return replace(self, function=function)


@dataclass(frozen=True, eq=False)
class Band(Node):
    """Loops directly inside each other, outermost first.

    `options` are isl's AST build options but for the kinds of loops, which the members have.
    """

    members: tuple[BandMember, ...]
    permutable: bool = False
    options: isl.UnionSet | None = None

    kind = Kind.BAND

    def __post_init__(self) -> None:
        if self.options is not None and self.options.is_empty():
            object.__setattr__(self, "options", None)

    @cached_property
    def partial_schedule(self) -> isl.MultiUnionPwAff:
        """The functions of the members as one: `{ S[i] -> [t] }`."""
        return joined([member.function for member in self.members])

    @cached_property
    def partial_schedule_map(self) -> isl.UnionMap:
        """The functions of the members as one relation, if there is a member."""
        return isl.UnionMap.from_multi_union_pw_aff(self.partial_schedule)

    @cached_property
    def functions_by_statement(self) -> tuple[dict[str, isl.PwAff], ...]:
        """For each member, the function of each statement."""
        return tuple(by_statement(member.function) for member in self.members)


def attribute_of(node: Node) -> object:
    """What a mark says; `None` for other nodes."""
    return node.attribute if isinstance(node, Mark) else None


def is_same(one: Node, other: Node) -> bool:
    """Whether two nodes, and all below them, say the same."""
    if one is other:
        return True
    return (
        type(one) is type(other)
        and len(one.children) == len(other.children)
        and _say_the_same(one, other)
        and all(map(is_same, one.children, other.children))
    )


def _say_the_same(one: Any, other: Any) -> bool:
    """Whether two dataclasses, without their children, tuples or other values are equal."""
    if one is other:
        return True
    if is_dataclass(one) and type(one) is type(other):
        names = [each.name for each in fields(one) if each.name != "children"]
        return all(_say_the_same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_say_the_same, one, other))
    if isinstance(one, isl.UnionPwAff) and isinstance(other, isl.UnionPwAff):
        return bool(one.plain_is_equal(other))
    if isinstance(one, isl.UnionSet) and isinstance(other, isl.UnionSet):
        return bool(one.is_equal(other))
    if isinstance(one, isl.Set) and isinstance(other, isl.Set):
        return bool(one.is_equal(other))
    # isl does not compare its objects with `None`, such as options that a band does not have.
    return one is not None and other is not None and bool(one == other)


def joined(functions: Sequence[isl.UnionPwAff]) -> isl.MultiUnionPwAff:
    """Functions as one with several results."""
    if not functions:
        return isl.MultiUnionPwAff("[]")
    schedule = isl.MultiUnionPwAff.from_union_pw_aff(functions[0])
    for function in functions[1:]:
        schedule = schedule.flat_range_product(isl.MultiUnionPwAff.from_union_pw_aff(function))
    return schedule


def by_statement(function: isl.UnionPwAff) -> dict[str, isl.PwAff]:
    """A function of instances, by statement."""
    pieces = functions_of(function)
    return {each.get_domain_space().get_tuple_name(isl.dim_type.set): each for each in pieces}


def restricted_to(node: Node, instances: isl.UnionSet) -> Node:
    """`node` for some of the instances that reach it: what says nothing of these is left out."""
    match node:
        case Band():
            members = tuple(
                member.with_function(member.function.gist(instances)) for member in node.members
            )
            return replace(
                node, members=members, children=(restricted_to(node.children[0], instances),)
            )
        case SequenceNode() | SetNode():
            return _restricted_children(node, instances)
        case Filter():
            inner = instances.intersect(node.instances)
            return Filter((restricted_to(node.children[0], inner),), node.instances.gist(instances))
        case _:
            return node.with_children(restricted_to(each, instances) for each in node.children)


def _restricted_children(node: Node, instances: isl.UnionSet) -> Node:
    """A sequence or set without children that nothing reaches; one child is not a choice."""
    kept: list[Node] = []
    for child in node.children:
        assert isinstance(child, Filter)
        inner = instances.intersect(child.instances)
        if not inner.is_empty():
            below = restricted_to(child.children[0], inner)
            kept.append(Filter((below,), child.instances.gist(instances)))
    if len(kept) > 1:
        return node.with_children(kept)
    return kept[0].children[0] if kept else LEAF
