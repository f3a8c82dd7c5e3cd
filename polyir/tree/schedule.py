"""A schedule tree, and a cursor in it.

`ScheduleNode` is a node together with all above it, as in isl: what it gives of the nodes above
(which instances reach it, the loops around it) is computed once. Its edits return a cursor in
another tree; the old tree stays as it was, and shares with the new one what is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.sets.lists import sets_of
from polyir.sets.values import isl_value
from polyir.tree import nodes
from polyir.tree.nodes import (
    LEAF,
    Band,
    BandMember,
    Context,
    Domain,
    Expansion,
    Filter,
    Guard,
    Kind,
    Mark,
    Node,
    joined,
    restricted_to,
)

Answer = TypeVar("Answer")
Rest = ParamSpec("Rest")

_OF_PLACE = ("domain", "universe_domain", "prefix_schedule", "prefix_functions", "schedule_depth")
"""What depends on the nodes above alone: an edit of the node keeps it."""


class ScheduleNode:
    """A node of a schedule tree, and the way to it."""

    def __init__(
        self, node: Node, parent: ScheduleNode | None, position: int, schedule: Schedule | None
    ) -> None:
        self.node = node
        self.child_position = position
        """The position among the children of the parent."""
        self._parent = parent
        self._schedule = schedule
        self._children: dict[int, ScheduleNode] = {}
        self._answers: dict[Hashable, Any] = {}

    @property
    def kind(self) -> Kind:
        """The type of the node."""
        return self.node.kind

    # Navigation.

    @property
    def has_parent(self) -> bool:
        """Whether the node is not the root."""
        return self._parent is not None

    def parent(self) -> ScheduleNode:
        """The node above."""
        up = self._parent
        assert up is not None, "the root has no parent"
        children = up.node.children
        if children[self.child_position] is self.node:
            return up
        position = self.child_position
        changed = (*children[:position], self.node, *children[position + 1 :])
        return up.replaced(up.node.with_children(changed))

    def child(self, position: int) -> ScheduleNode:
        """The child at a position."""
        known = self._children.get(position)
        if known is None:
            known = ScheduleNode(self.node.children[position], self, position, None)
            self._children[position] = known
        return known

    @property
    def n_children(self) -> int:
        """How many children there are."""
        return len(self.node.children)

    def children(self) -> list[ScheduleNode]:
        """All children, in order."""
        return [self.child(position) for position in range(self.n_children)]

    def ancestor(self, generation: int) -> ScheduleNode:
        """The node so many levels above."""
        node = self
        for _ in range(generation):
            node = node.parent()
        return node

    @property
    def root(self) -> ScheduleNode:
        """The root of the tree."""
        node = self
        while node.has_parent:
            node = node.parent()
        return node

    @property
    def schedule(self) -> Schedule:
        """The tree."""
        root = self.root
        if root._schedule is None or root._schedule.tree is not root.node:
            assert isinstance(root.node, Domain)
            root._schedule = Schedule(root.node)
        return root._schedule

    @property
    def path(self) -> tuple[int, ...]:
        """The positions of children on the way from the root."""
        path: list[int] = []
        node = self
        while node._parent is not None:
            path.append(node.child_position)
            node = node._parent
        return tuple(reversed(path))

    @property
    def tree_depth(self) -> int:
        """How many nodes are above."""
        return 0 if self._parent is None else self._parent.tree_depth + 1

    def walk(self) -> Iterator[ScheduleNode]:
        """The node and all below it, parents first."""
        yield self
        for child in self.children():
            yield from child.walk()

    def every(self, holds: Callable[[ScheduleNode], bool]) -> bool:
        """Whether something holds for the node and all below it."""
        return all(map(holds, self.walk()))

    def has(self, kind: Kind) -> bool:
        """Whether the node or one below it is of a kind."""
        return any(node.kind is kind for node in self.node.walk())

    # What the nodes above say.

    @cached_property
    def domain(self) -> isl.UnionSet:
        """The instances that reach the node; those of a domain node itself."""
        up = self._parent
        if up is None:
            return self.filter
        match up.node:
            case Filter(instances=instances):
                return instances.intersect(up.domain)
            case Expansion(expansion=expansion):
                return up.domain.apply(expansion)
            case _:
                return up.domain

    @cached_property
    def universe_domain(self) -> isl.UnionSet:
        """The statements that reach the node, without conditions on their instances."""
        up = self._parent
        if up is None:
            return self.filter.universe()
        match up.node:
            case Filter(instances=instances):
                return up.universe_domain.intersect(instances.universe())
            case Expansion(expansion=expansion):
                return expansion.range().universe()
            case _:
                return up.universe_domain

    @cached_property
    def prefix_schedule(self) -> isl.UnionMap:
        """`{ S[i] -> [t] }`: all members around, for the statements that reach the node."""
        up = self._parent
        if up is None:
            return isl.UnionMap.from_domain(self.universe_domain)
        match up.node:
            case Filter(instances=instances):
                return up.prefix_schedule.intersect_domain(instances.universe())
            case Expansion(contraction=contraction):
                return up.prefix_schedule.preimage_domain_union_pw_multi_aff(contraction)
            case Band(members=members) as band if members:
                return up.prefix_schedule.flat_range_product(band.partial_schedule_map)
            case _:
                return up.prefix_schedule

    @cached_property
    def prefix_functions(self) -> isl.MultiUnionPwAff:
        """As `prefix_schedule`, as functions."""
        around = [member.function for member in self.members_around]
        if not around:
            return joined([]).intersect_domain(self.universe_domain)
        return joined(around).intersect_domain(self.universe_domain)

    @property
    def members_around(self) -> tuple[BandMember, ...]:
        """The members of all bands above, outermost first."""
        up = self._parent
        if up is None:
            return ()
        own = up.node.members if isinstance(up.node, Band) else ()
        return (*up.members_around, *own)

    @cached_property
    def schedule_depth(self) -> int:
        """How many members the bands above have."""
        up = self._parent
        if up is None:
            return 0
        own = len(up.node.members) if isinstance(up.node, Band) else 0
        return up.schedule_depth + own

    # What the node says.

    @property
    def filter(self) -> isl.UnionSet:
        """The instances of a domain node or a filter."""
        assert isinstance(self.node, Domain | Filter)
        return self.node.instances

    @property
    def attribute(self) -> object:
        """What a mark says."""
        assert isinstance(self.node, Mark)
        return self.node.attribute

    @property
    def condition(self) -> isl.Set:
        """What a context or a guard says."""
        match self.node:
            case Context(context=condition) | Guard(guard=condition):
                return condition
            case _:
                raise AssertionError(f"a {self.kind.value} node has no condition")

    @property
    def band(self) -> Band:
        """The node, which is a band."""
        assert isinstance(self.node, Band)
        return self.node

    @property
    def members(self) -> tuple[BandMember, ...]:
        """The members of a band."""
        return self.band.members

    @property
    def functions(self) -> tuple[isl.UnionPwAff, ...]:
        """The values of the members of a band."""
        return tuple(member.function for member in self.members)

    @property
    def coincident(self) -> tuple[bool, ...]:
        """The coincident flags of the members of a band."""
        return tuple(member.is_coincident for member in self.members)

    @property
    def loop_attributes(self) -> tuple[LoopAttributes, ...]:
        """The attributes of the members of a band."""
        return tuple(member.attributes for member in self.members)

    @property
    def permutable(self) -> bool:
        """Whether a band is permutable."""
        return self.band.permutable

    @property
    def options(self) -> isl.UnionSet:
        """The AST build options of a band, but for the kinds of its loops."""
        options = self.band.options
        return isl.UnionSet("{ }") if options is None else options

    @property
    def is_subtree_anchored(self) -> bool:
        """Whether some node from here down names loops around it by their positions."""
        return any(
            isinstance(node, Context | Guard)
            or (isinstance(node, Band) and node.options is not None)
            for node in self.node.walk()
        )

    @property
    def subtree_map(self) -> isl.UnionMap:
        """`{ S[i] -> [t] }`: when instances run below the node, in one iteration around it."""
        return _map_of(self.node, isl.UnionMap.from_domain(self.universe_domain))

    # Edits.

    def replaced(self, node: Node) -> ScheduleNode:
        """Another node in the place of this one."""
        other = ScheduleNode(node, self._parent, self.child_position, None)
        known = self.__dict__
        if self._parent is not None:
            other.__dict__.update({name: known[name] for name in _OF_PLACE if name in known})
        return other

    def changed(self, **properties: Any) -> ScheduleNode:
        """The node with other properties."""
        return self.replaced(replace(self.node, **properties))

    def delete(self) -> ScheduleNode:
        """The only child in the place of the node, which is not a filter of a sequence or set."""
        (below,) = self.node.children
        assert not self._is_choice, "a filter of a sequence must stay"
        return self.replaced(below)

    @property
    def _is_choice(self) -> bool:
        return self._parent is not None and self._parent.kind in (Kind.SEQUENCE, Kind.SET)

    def insert_band(self, members: Sequence[BandMember], permutable: bool = False) -> ScheduleNode:
        """A band above the node."""
        return self._inserted(Band((self.node,), tuple(members), permutable))

    def insert_mark(self, attribute: object) -> ScheduleNode:
        """A mark above the node."""
        return self._inserted(Mark((self.node,), attribute))

    def insert_sequence(self, filters: Iterable[isl.UnionSet]) -> ScheduleNode:
        """A sequence above the node, each child of which has what is below for its instances."""
        return self._inserted(nodes.SequenceNode(self._choices(filters)))

    def _choices(self, filters: Iterable[isl.UnionSet]) -> tuple[Node, ...]:
        return tuple(Filter((restricted_to(self.node, each),), each) for each in filters)

    def _inserted(self, node: Node) -> ScheduleNode:
        assert not self._is_choice, "nothing can stand between a sequence and its filters"
        assert self.has_parent, "the root is a domain node"
        return self.replaced(node)

    def order_before(self, instances: isl.UnionSet) -> ScheduleNode:
        """The node for the other instances, after `instances`, which get a copy of it.

        Both are in the sequence that the node is a child of, if there is one. If all instances are
        in `instances`, or none, nothing changes.
        """
        return self._ordered(instances, first=True)

    def order_after(self, instances: isl.UnionSet) -> ScheduleNode:
        """As `order_before`, with `instances` after the others."""
        return self._ordered(instances, first=False)

    def _ordered(self, instances: isl.UnionSet, first: bool) -> ScheduleNode:
        everything = self.domain
        chosen = instances.gist(everything)
        others = everything.subtract(chosen).gist(everything)
        if chosen.is_empty() or others.is_empty():
            return self
        up = self._parent
        sequence = None if up is None or up.kind is not Kind.FILTER else up._parent
        is_in_sequence = sequence is not None and sequence.kind is Kind.SEQUENCE
        if up is not None and is_in_sequence:
            chosen, others = (up.filter.intersect(part) for part in (chosen, others))
        pair = [Filter((restricted_to(self.node, part),), part) for part in (chosen, others)]
        if not first:
            pair.reverse()
        if up is None or sequence is None or not is_in_sequence:
            return self.replaced(nodes.SequenceNode(tuple(pair))).child(int(first)).child(0)
        position, children = up.child_position, sequence.node.children
        spliced = (*children[:position], *pair, *children[position + 1 :])
        sequence = sequence.replaced(sequence.node.with_children(spliced))
        return sequence.child(position + int(first)).child(0)

    def split(self, count: int) -> ScheduleNode:
        """A band cut in two: the first `count` members above the others."""
        band = self.band
        outer, inner = (None, None) if band.options is None else _split_options(band.options, count)
        below = Band(band.children, band.members[count:], band.permutable, inner)
        return self.replaced(Band((below,), band.members[:count], band.permutable, outer))

    def sink(self) -> ScheduleNode:
        """A band moved down to the leaves below it; what was below it stands in its place."""
        band = self.band

        def sunk(node: Node) -> Node:
            if node.kind is Kind.LEAF:
                return replace(band, children=(LEAF,))
            return node.with_children(map(sunk, node.children))

        return self.replaced(sunk(band.children[0]))

    def with_loop_attributes(self, loops: Sequence[LoopAttributes]) -> ScheduleNode:
        """A band with other attributes of its members."""
        pairs = zip(self.members, loops, strict=True)
        return self.changed(members=tuple(replace(one, attributes=own) for one, own in pairs))

    def with_member(self, position: int, **properties: Any) -> ScheduleNode:
        """A band with other properties of one member."""
        members = list(self.members)
        members[position] = replace(members[position], **properties)
        return self.changed(members=tuple(members))

    def with_members(self, functions: Mapping[int, isl.UnionPwAff]) -> ScheduleNode:
        """A band with the members at some positions only, with other functions.

        What is below the band, if there are none.
        """
        if not functions:
            return self.delete()
        members = (self.members[each].with_function(own) for each, own in functions.items())
        return self.changed(members=tuple(members))


def mapped_bottom_up(
    schedule: Schedule, change: Callable[[ScheduleNode], ScheduleNode]
) -> Schedule:
    """`schedule` with each node what `change` makes of it, children first."""

    def visit(node: ScheduleNode) -> ScheduleNode:
        return change(mapped_children(node, visit))

    return visit(schedule.root).schedule


def mapped_children(
    node: ScheduleNode, rewrite: Callable[[ScheduleNode], ScheduleNode]
) -> ScheduleNode:
    """`node` with `rewrite` applied to each child.

    `rewrite` returns the node that stands where its argument stood.
    """
    for position in range(node.n_children):
        node = rewrite(node.child(position)).parent()
    return node


def _split_options(
    options: isl.UnionSet, count: int
) -> tuple[isl.UnionSet | None, isl.UnionSet | None]:
    """The options of the first `count` members of a band, and of the others: what is isolated."""
    outer: isl.UnionSet | None = None
    inner: isl.UnionSet | None = None
    for option in sets_of(options):
        assert option.get_tuple_name() == "isolate", option
        isolated = option.unwrap()
        if isolated.has_tuple_name(isl.dim_type.out):
            # The kind of loop of the iterations that are isolated, by the position of its member.
            outer, inner = (
                _added_kind(outer, isolated, 0, count),
                _added_kind(inner, isolated, count),
            )
            continue
        members = isolated.dim(isl.dim_type.out)
        first = isolated.project_out(isl.dim_type.out, count, members - count)
        outer = _added_option(outer, first)
        inside = isolated.move_dims(
            isl.dim_type.in_, isolated.dim(isl.dim_type.in_), isl.dim_type.out, 0, count
        )
        inner = _added_option(inner, inside)
    return outer, inner


def _added_kind(
    options: isl.UnionSet | None, kinds: isl.Map, first: int, last: int | None = None
) -> isl.UnionSet | None:
    """`options` and the loop kinds `{ [] -> unroll[p] }` of the members from `first` on."""
    here = kinds.lower_bound_val(isl.dim_type.out, 0, isl_value(first))
    if last is not None:
        here = here.upper_bound_val(isl.dim_type.out, 0, isl_value(last - 1))
    if here.is_empty():
        return options
    name = kinds.get_tuple_name(isl.dim_type.out)
    moved = here.apply_range(isl.Map(f"{{ {name}[p] -> {name}[p - {first}] }}"))
    return _added_option(options, moved)


def _added_option(options: isl.UnionSet | None, isolated: isl.Map) -> isl.UnionSet:
    option = isl.UnionSet.from_set(isolated.wrap().set_tuple_name("isolate"))
    return option if options is None else options.union(option)


@dataclass(frozen=True, eq=False)
class Schedule:
    """A schedule tree. Two are equal if they are the same object."""

    tree: Domain

    @classmethod
    def from_domain(cls, instances: isl.UnionSet) -> Schedule:
        """The tree of instances without an order."""
        return cls(Domain((LEAF,), instances))

    @classmethod
    def from_map(cls, times: isl.UnionMap, instances: isl.UnionSet) -> Schedule:
        """The tree of one band: `times` are `{ S[i] -> [t] }`, functions of the instances."""
        return cls.from_functions(isl.MultiUnionPwAff.from_union_map(times), instances)

    @classmethod
    def from_functions(cls, functions: isl.MultiUnionPwAff, instances: isl.UnionSet) -> Schedule:
        """The tree of one band: `functions` are `{ S[i] -> [t] }`."""
        count = functions.dim(isl.dim_type.set)
        members = tuple(BandMember(functions.get_at(position)) for position in range(count))
        return cls(Domain((Band((LEAF,), members),), instances))

    @cached_property
    def root(self) -> ScheduleNode:
        """The domain node."""
        return ScheduleNode(self.tree, None, 0, self)

    @property
    def domain(self) -> isl.UnionSet:
        """All instances."""
        return self.tree.instances

    @cached_property
    def map(self) -> isl.UnionMap:
        """`{ S[i] -> [t] }`: when instances run, in lexicographic order.

        Sequences and sets count their children; shorter times are filled up with 0.
        """
        return _map_of(self.tree, isl.UnionMap.from_domain(self.tree.instances.universe()))

    def pulled_back(self, functions: isl.UnionPwMultiAff) -> Schedule:
        """The tree of other instances, `{ T[j] -> S[i] }`, which run when S[i] did."""

        def changed(node: Node) -> Node:
            node = node.with_children(map(changed, node.children))
            match node:
                case Domain() | Filter():
                    instances = node.instances.preimage_union_pw_multi_aff(functions)
                    return replace(node, instances=instances)
                case Band():
                    members = (
                        each.with_function(each.function.pullback_union_pw_multi_aff(functions))
                        for each in node.members
                    )
                    return replace(node, members=tuple(members))
                case _:
                    return node

        tree = changed(self.tree)
        assert isinstance(tree, Domain)
        return Schedule(tree)

    def within(self, instances: isl.UnionSet) -> Schedule:
        """The tree without all other instances."""
        if self.tree.instances.is_subset(instances):
            return self
        kept = self.tree.instances.intersect(instances)
        below = restricted_to(self.tree.children[0], kept)
        return Schedule(Domain((below,), kept))

    def __reduce__(self) -> Any:
        return Schedule, (self.tree,)

    @cached_property
    def as_isl(self) -> isl.Schedule:
        """The tree as isl's, made once."""
        from polyir.tree.isl_border import to_isl

        return to_isl(self)

    def __str__(self) -> str:
        return str(self.as_isl)


def _map_of(node: Node, reaching: isl.UnionMap) -> isl.UnionMap:
    """`{ S[i] -> [t] }` below a node, for the domain of `reaching`, `{ S[i] -> [] }`."""
    match node:
        case Band(members=members) if members:
            own = node.partial_schedule_map.intersect_domain(reaching.domain())
            return own.flat_range_product(_map_of(node.children[0], reaching))
        case nodes.SequenceNode() | nodes.SetNode():
            return _map_of_children(node, reaching)
        case Filter(instances=instances):
            return _map_of(node.children[0], reaching.intersect_domain(instances))
        case _ if node.children:
            return _map_of(node.children[0], reaching)
        case _:
            return reaching


def _map_of_children(node: Node, reaching: isl.UnionMap) -> isl.UnionMap:
    maps = [_map_of(child, reaching) for child in node.children]
    depths = [_depth_of(each) for each in maps]
    whole = isl.UnionMap.empty(reaching.get_space())
    for position, (part, depth) in enumerate(zip(maps, depths, strict=True)):
        if depth is None:
            continue
        filling = max(each for each in depths if each is not None) - depth
        number = _constants(part, [position])
        padded = number.flat_range_product(part)
        if filling:
            padded = padded.flat_range_product(_constants(part, [0] * filling))
        whole = whole.union(padded)
    return whole


def _depth_of(schedule: isl.UnionMap) -> int | None:
    """How many results a relation has; `None` if it is empty."""
    found: int | None = None
    for part in sets_of(schedule.range()):
        found = part.dim(isl.dim_type.set)
    return found


def _constants(schedule: isl.UnionMap, values: Sequence[int]) -> isl.UnionMap:
    """`{ S[i] -> [values] }` for the domain of `schedule`."""
    point = isl.UnionSet(f"{{ [{', '.join(map(str, values))}] }}")
    return isl.UnionMap.from_domain_and_range(schedule.domain().universe(), point)


def asked_once(
    find: Callable[Concatenate[ScheduleNode, Rest], Answer],
) -> Callable[Concatenate[ScheduleNode, Rest], Answer]:
    """Let a node keep what a function says of it, for each value of the further arguments."""

    @wraps(find)
    def ask(node: ScheduleNode, /, *rest: Rest.args, **named: Rest.kwargs) -> Answer:
        question = find, rest, tuple(named.items())
        if question not in node._answers:
            node._answers[question] = find(node, *rest, **named)
        answer: Answer = node._answers[question]
        return answer

    return ask
