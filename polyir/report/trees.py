"""Schedule trees as nested lines for a page, with an answer for each loop that is not parallel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.dependence import Dependence, Dependences
from polyir.model.scop import Scop
from polyir.proofs.legality import Violation, first_ordered
from polyir.sets.lists import functions_of, text_of
from polyir.transform.walk import BAND
from polyir.tree import AddedBelow, BandMember, Kind, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopPosition, TreePath
from polyir.tree.names import statements_of
from polyir.tree.nodes import by_statement
from polyir.tree.order import Active, Member, all_active, backward, below, forward, still_active


@dataclass(frozen=True)
class Carried:
    """A dependence that a loop carries: its number in the table, and a pair as an example.

    `number` is the position of the dependence among those of the scop.
    """

    number: int
    example: str


@dataclass(frozen=True)
class LoopView:
    """A loop: its addresses (`S0.1`), the values that it has for each statement, and what holds.

    `stride` is the distance between values, more than 1 for a loop over tiles. `carried` are the
    dependences that keep its iterations in order; with none, the loop is parallel where it
    stands. It is `None` where that is not known.
    """

    addresses: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    stride: int
    is_coincident: bool
    kind: str
    attributes: tuple[str, ...]
    carried: tuple[Carried, ...] | None

    @property
    def is_parallel(self) -> bool | None:
        """Whether iterations may run at the same time; `None` if nobody knows."""
        if self.is_coincident:
            return True
        return None if self.carried is None else not self.carried


@dataclass(frozen=True)
class NodeView:
    """A node of a tree: its kind, the statements that reach it, the loops of a band.

    `text` is what a mark, a context or a guard says.
    """

    kind: str
    statements: tuple[str, ...]
    text: str
    is_permutable: bool
    loops: tuple[LoopView, ...]
    children: tuple[NodeView, ...]


def tree_view(scop: Scop, dependences: Dependences | None) -> NodeView:
    """The tree of a scop in force, with what its loops carry if the dependences are known."""
    return _Viewer(scop.schedule, dependences).view()


class _Viewer:
    def __init__(self, schedule: Schedule, dependences: Dependences | None) -> None:
        self._root = schedule.root
        self._directory = Directory(schedule)
        self._items = dependences.items if dependences is not None else ()
        self._actives = all_active(dependences.ordering) if dependences else None

    def view(self) -> NodeView:
        """The node of the whole tree."""
        return self._node(self._root, (), self._actives)

    def _node(
        self, node: ScheduleNode, path: TreePath, actives: tuple[Active, ...] | None
    ) -> NodeView:
        kind = node.kind
        loops: tuple[LoopView, ...] = ()
        if kind is BAND:
            loops = tuple(self._loops(node, path, actives))
        count = node.n_children
        inner = [None] * count if actives is None else below(node, actives)
        # What reaches the root is nothing, and a filter is about what passes it.
        inside = node if count == 0 or kind is BAND else node.child(0)
        return NodeView(
            kind.value,
            statements_of(inside),
            _said_by(node),
            kind is BAND and node.permutable,
            loops,
            tuple(
                self._node(node.child(position), (*path, position), inner[position])
                for position in range(count)
            ),
        )

    def _loops(
        self, band: ScheduleNode, path: TreePath, actives: tuple[Active, ...] | None
    ) -> Iterator[LoopView]:
        members = band.band.functions_by_statement
        for position, loop in enumerate(band.members):
            carried = None
            if actives is not None:
                found = (self._carried(each, members[position]) for each in actives)
                carried = tuple(each for each in found if each is not None)
                actives = still_active(actives, members[position])
            yield LoopView(
                self._directory.addresses_of(LoopPosition(path, position)),
                tuple(_values(loop)),
                _stride(loop),
                loop.is_coincident,
                "" if loop.kind is isl.ast_loop_type.default else loop.kind.name,
                tuple(map(str, loop.attributes)),
                carried,
            )

    def _carried(self, active: Active, member: Member) -> Carried | None:
        """What a loop carries of a dependence, with an example unless that is hard to find."""
        found = within_operations(
            budgets.SHOWN_DEPENDENCE,
            lambda: first_ordered([active], member, (forward, backward)) or (),
        )
        if found == ():
            return None
        example = found.pair.example if isinstance(found, Violation) else ""
        return Carried(self._number(active.dependence), example)

    def _number(self, dependence: Dependence) -> int:
        return next(n for n, each in enumerate(self._items) if each is dependence)


def _values(loop: BandMember) -> Iterator[tuple[str, str]]:
    """`("S0", "[i, j] -> i + j")` for each statement in a loop."""
    for name, piece in by_statement(loop.function).items():
        text = text_of(isl.UnionPwAff.from_pw_aff(piece))
        yield name, text[text.index("{") + 1 : text.rindex("}")].strip().removeprefix(name)


def _stride(loop: BandMember) -> int:
    """The greatest number of which all differences of a loop's values are multiples."""
    values = (isl.Map.from_pw_aff(each).range() for each in functions_of(loop.function))
    return gcd(*(int(each.get_stride(0).to_python()) for each in values))


def _said_by(node: ScheduleNode) -> str:
    """What a mark, a context or a guard says; "" for other nodes."""
    match node.kind:
        case Kind.MARK:
            match node.attribute:
                case AddedBelow(statements=added):
                    return f"adds {', '.join(sorted(added))}"
                case attribute:
                    return str(attribute)
        case Kind.CONTEXT:
            return str(node.condition)
        case Kind.GUARD:
            return str(node.condition)
        case _:
            return ""
