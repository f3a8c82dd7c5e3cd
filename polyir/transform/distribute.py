"""Distribution of the statements of a nest over nests of their own, by request."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.isl_lists import sets_of
from polyir.model.bands import annotate_bands
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.tree import node_type
from polyir.transform.walk import BAND, check_statements, require_own_instances, statements_of


@dataclass(frozen=True)
class DistributeOptions:
    """Which statements get nests of their own; `keep` outermost loops stay common.

    Raises `OptionError` where `keep` is negative or there is no statement.
    """

    statements: tuple[str, ...]
    keep: int = 0

    def __post_init__(self) -> None:
        if self.keep < 0:
            raise OptionError(f"keep must be 0 or more: keep={self.keep}")
        if not self.statements:
            raise OptionError("distribution needs a statement, as in statements=S0")


def distribute(
    schedule: isl.Schedule, dependences: Dependences, options: DistributeOptions
) -> Outcome:
    """Give each of the given statements a nest of its own.

    The statements that run before it in an iteration of the nest come before, those that run
    after it come after, with S1 as the given statement:

        band [i]                              sequence
          sequence                              filter S0
            filter S0                             band [i]
            filter S1             =>            filter S1
            filter S2                             band [i]
                                                filter S2
                                                  band [i]

    The first `keep` of the loops that it shares with other statements are not distributed. All
    flags of the result are exact.

    Raises `OptionError` for names of no statement, `LegalityError` if a dependence is violated,
    and for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, "distribution")
    check_statements(options.statements, schedule)
    done: list[str] = []
    missed: list[str] = []
    result = schedule
    for statement in options.statements:
        band = _shared_band(result.get_root().child(0), statement, options.keep)
        if band is None:
            beyond = f" beyond the first {options.keep}" if options.keep else ""
            missed.append(f"not distributed: {statement} shares no loop{beyond}")
            continue
        others = ", ".join(name for name in statements_of(band) if name != statement)
        result = _separate(band, statement).get_schedule()
        done.append(f"{statement} has a nest of its own, apart from {others}")
    require_legal(dependences, result, f"distributing {', '.join(options.statements)}")
    return Outcome(
        annotate_bands(result, dependences) if done else schedule, tuple(done), tuple(missed)
    )


def _shared_band(node: isl.ScheduleNode, statement: str, keep: int) -> isl.ScheduleNode | None:
    """The outermost band around `statement` and others, below `keep` loops around them.

    A band with some of the loops to keep is split behind them.
    """
    while node.n_children() > 0 and len(statements_of(node)) > 1:
        if node_type(node) is BAND:
            members = node.band_n_member()
            if keep < members:
                return node if keep == 0 else node.band_split(keep).child(0)
            keep -= members
        node = _child_with(node, statement)
    return None


def _child_with(node: isl.ScheduleNode, statement: str) -> isl.ScheduleNode:
    """What is below `node`, or below the first of its filters that lets `statement` pass."""
    if node.n_children() == 1:
        return node.child(0)
    inner = (node.child(position).child(0) for position in range(node.n_children()))
    return next(child for child in inner if statement in statements_of(child))


def _separate(band: isl.ScheduleNode, statement: str) -> isl.ScheduleNode:
    """`band` once for the statements before `statement`, once for it, once for those after."""
    order = _execution_order(band)
    position = order.index(statement)
    whole = {part.get_tuple_name(): part for part in sets_of(band.get_universe_domain())}
    for group in (order[:position], (statement,)):
        if 0 < len(group) < len(statements_of(band)):
            parts = [isl.UnionSet.from_set(whole[name]) for name in group]
            band = band.order_before(reduce(isl.UnionSet.union, parts))
    return band


def _execution_order(node: isl.ScheduleNode) -> tuple[str, ...]:
    """The statements below `node` in the order in which the leaves of the tree have them."""
    if node.n_children() < 2:
        return _execution_order(node.child(0)) if node.n_children() else statements_of(node)
    names: dict[str, None] = {}
    for position in range(node.n_children()):
        names |= dict.fromkeys(_execution_order(node.child(position).child(0)))
    return tuple(names)
