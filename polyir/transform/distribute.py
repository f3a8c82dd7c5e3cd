"""Distribution of the statements of a nest over nests of their own, by request."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.tree_loops import leaves
from polyir.sets.lists import sets_of
from polyir.sets.maps import universe
from polyir.transform.bands import listed
from polyir.transform.loop_attributes import settled
from polyir.transform.walk import BAND
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopAddress, StatementAddress
from polyir.tree.names import check_statements, names_in, statements_of


@dataclass(frozen=True)
class DistributeOptions:
    """Which statements get nests of their own, named in one of two ways.

    Those of `statements`, of whose loops the `keep` outermost stay common; or those of `loops`,
    the addresses of the first loop that each is to have for itself: S1.1 stands for S1 with
    its outermost loop kept.

    Raises `OptionError` where `keep` is negative, there is nothing to distribute, and where both
    ways are mixed.
    """

    statements: tuple[str, ...] = ()
    keep: int = 0
    loops: tuple[LoopAddress, ...] = ()

    def __post_init__(self) -> None:
        if self.keep < 0:
            raise OptionError(f"keep must be 0 or more: keep={self.keep}")
        if self.loops and (self.statements or self.keep):
            raise OptionError("loops cannot be combined with statements or keep")
        if not self.statements and not self.loops:
            raise OptionError("give a statement to distribute, as in statements=S0")

    @property
    def addresses(self) -> tuple[LoopAddress, ...]:
        """The first loop that each statement is to have for itself."""
        named = (LoopAddress(StatementAddress(name), self.keep) for name in self.statements)
        return self.loops or tuple(named)


def distribute(schedule: Schedule, dependences: Dependences, options: DistributeOptions) -> Outcome:
    """Give each of the given statements, or parts of statements, a nest of its own.

    The statements that run before it in an iteration of the nest come before, those that run
    after it come after, with S1 as the given statement:

        band [i]                              sequence
          sequence                              filter S0
            filter S0                             band [i]
            filter S1             =>            filter S1
            filter S2                             band [i]
                                                filter S2
                                                  band [i]

    The loops outside the one that is named are not distributed. All flags of the result are
    exact.

    Raises `OptionError` for names of no statement and addresses of no loop, `LegalityError` if a
    dependence is violated.
    """
    check_statements([address.statement for address in options.addresses], schedule)
    for address in options.loops:
        Directory(schedule).loop(address)
    done: list[str] = []
    missed: list[str] = []
    result = schedule
    for address in options.addresses:
        chosen = _chosen(schedule, address)
        band = _shared_band(result.root.child(0), chosen, address.loop)
        if band is None:
            beyond = f" beyond the first {address.loop}" if address.loop else ""
            missed.append(f"{address.reference} was not distributed: it shares no loop{beyond}")
            continue
        others = listed(name for name in statements_of(band) if name != address.statement)
        result = _separate(band, chosen).schedule
        apart = others or f"the rest of {address.statement}"
        done.append(f"separated {address.reference} from {apart}: it now has its own loop nest")
    if not done:
        return Outcome(schedule, (), tuple(missed), name="not-split")
    what = f"distributing {listed(options.loops or options.statements)}"
    return settled(schedule, result, dependences, what, done, missed, name="not-split")


def _chosen(schedule: Schedule, address: LoopAddress) -> isl.UnionSet:
    """The instances that get a nest of their own: a part's, or all that there could be."""
    (first, *_) = Directory(schedule).parts_of(address.reference) or (None,)
    if first is None:
        return isl.UnionSet("{ }")
    if address.reference.part is None:
        return universe(first.instances.get_space())
    return isl.UnionSet.from_set(first.instances)


def _shared_band(node: ScheduleNode, chosen: isl.UnionSet, keep: int) -> ScheduleNode | None:
    """The outermost band around `chosen` and other instances, below `keep` loops around them.

    A band with some of the loops to keep is split after them.
    """
    while node.n_children > 0 and not node.domain.is_subset(chosen):
        if node.kind is BAND:
            members = len(node.members)
            if keep < members:
                return node if keep == 0 else node.split(keep).child(0)
            keep -= members
        child = _child_with(node, chosen)
        if child is None:
            return None
        node = child
    return None


def _child_with(node: ScheduleNode, chosen: isl.UnionSet) -> ScheduleNode | None:
    """What is below `node`, or below the first of its filters that lets some of `chosen` pass."""
    if node.n_children == 1:
        return node.child(0)
    inner = (node.child(position).child(0) for position in range(node.n_children))
    return next((child for child in inner if not child.domain.is_disjoint(chosen)), None)


def _separate(band: ScheduleNode, chosen: isl.UnionSet) -> ScheduleNode:
    """`band` once for what runs before `chosen`, once for it, once for what runs after it.

    Before run the statements whose first leaf is before the first one of `chosen`; of the
    statement that `chosen` is of, only the instances there.
    """
    own = names_in(chosen)
    earlier: dict[str, isl.Set] = {}
    for leaf in leaves(band):
        if not leaf.domain.is_disjoint(chosen):
            break
        for part in sets_of(leaf.domain):
            name = part.get_tuple_name()
            whole = part if name in own else isl.Set.universe(part.get_space())
            earlier[name] = earlier[name].union(whole) if name in earlier else whole
    if earlier:
        parts = map(isl.UnionSet.from_set, earlier.values())
        band = band.order_before(reduce(isl.UnionSet.union, parts))
    return band if band.domain.is_subset(chosen) else band.order_before(chosen)
