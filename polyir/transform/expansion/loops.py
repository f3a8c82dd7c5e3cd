"""The loops that temporaries serialise falsely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import islpy as isl

from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.model.dataflow import ArrayFlow
from polyir.model.scop import Scop
from polyir.sets.lists import union_set
from polyir.tree import Kind, ScheduleNode
from polyir.tree.order import Active, Member, all_active, below, separates, still_active

Loops = Literal["needed", "all"]
"""`needed`: the loops that are parallel with private copies; `all`: each that allows copies."""


@dataclass(frozen=True)
class PrivateLoop:
    """A loop that gets copies of a temporary: its number from the outermost, its function."""

    number: int
    member: Member


def false_loops(
    scop: Scop, dependences: Dependences, flows: Mapping[str, ArrayFlow], loops: Loops
) -> dict[str, tuple[PrivateLoop, ...]]:
    """For each temporary of `flows` the loops to have copies for, outer ones first.

    Such a loop is around all accesses to the temporary, carries anti or output dependences
    through it, and no value. If `loops` is `needed`, it must be parallel once all temporaries
    that allow it have copies, or only carry reductions: else the copies would cost memory for
    nothing.
    """
    chooser = _Chooser(scop, flows, loops)
    ordering = dependences.ordering
    if loops == "all":
        ordering = tuple(each for each in ordering if each.array in flows)
    chooser.visit(scop.schedule.root, all_active(ordering))
    return {name: tuple(chosen) for name, chosen in chooser.chosen.items()}


class _Chooser:
    """Walks the tree and notes the loops of each temporary."""

    def __init__(self, scop: Scop, flows: Mapping[str, ArrayFlow], loops: Loops) -> None:
        self.chosen: dict[str, list[PrivateLoop]] = {name: [] for name in flows}
        self._flows = flows
        self._loops = loops
        self._instances = {name: _instances(scop, flow.statements) for name, flow in flows.items()}

    def visit(self, node: ScheduleNode, actives: tuple[Active, ...]) -> None:
        """Look at the bands from `node` down, given what is active at `node`."""
        if not actives:
            return
        if node.kind is Kind.BAND:
            inside = node.domain
            whole = [name for name, part in self._instances.items() if part.is_subset(inside)]
            inner = actives
            for position, member in enumerate(node.band.functions_by_statement):
                self._look_at(node.schedule_depth + position + 1, member, inner, whole)
                inner = still_active(inner, member)
        for position, inner in enumerate(below(node, actives)):
            self.visit(node.child(position), inner)

    def _look_at(
        self, number: int, member: Member, actives: tuple[Active, ...], whole: list[str]
    ) -> None:
        carried = [active.dependence for active in actives if separates(active, member)]
        private = [
            name
            for name in dict.fromkeys(dependence.array for dependence in carried)
            if name in whole and keeps_values(self._flows[name], member)
        ]
        if self._loops == "needed" and any(_is_true(each, private) for each in carried):
            return
        for name in private:
            self.chosen[name].append(PrivateLoop(number, member))


def keeps_values(flow: ArrayFlow, member: Member) -> bool:
    """Does every value of the array stay in one iteration of the loop?

    The loop must be one affine function for each statement.
    """
    if any(len(member[name].get_pieces()) != 1 for name in flow.statements):
        return False
    return all(
        sources.is_subset(
            member[sources.get_tuple_name(isl.dim_type.in_)].eq_map(
                member[sources.get_tuple_name(isl.dim_type.out)]
            )
        )
        for read in flow.reads
        for sources in read.sources
    )


def _is_true(dependence: Dependence, private: list[str]) -> bool:
    """Would the dependence be there with copies of the arrays `private`?

    Those of reductions are none where parts of the loop have partial results.
    """
    if dependence.kind is DependenceKind.REDUCTION:
        return False
    return dependence.kind is DependenceKind.FLOW or dependence.array not in private


def _instances(scop: Scop, names: tuple[str, ...]) -> isl.UnionSet:
    found = (each.domain for each in scop.statements if each.name in names)
    return union_set(found, scop.context.get_space())
