"""The loops of a schedule tree that carry nothing but reductions (`polyir.model.reductions`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, TypeVar

from polyir.model.reductions import updates_of
from polyir.model.scop import Scop
from polyir.transform.reassociation.partial_results import NoReductionError
from polyir.transform.walk import BAND
from polyir.tree import ScheduleNode
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import Active, below, separates, still_active, strict_ones

Plan = TypeVar("Plan")


class ReductionLoops(ABC, Generic[Plan]):
    """Goes through a tree, plans what to do with such loops, and notes why it is not done."""

    left_out: ClassVar[str]
    """What is said of a loop for which there is no plan."""

    def __init__(self, scop: Scop) -> None:
        self.reasons: list[str] = []
        self._scop = scop
        self._updates = updates_of(scop).found

    def visit(self, node: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[Plan]:
        """The plans from `node` down, in the order of the tree: of nested loops, the outermost.

        `actives` are the dependences that the loops around `node` do not carry.
        """
        if node.kind is BAND:
            if self._is_left(node, actives):
                return
            left = actives
            for position, member in enumerate(node.band.functions_by_statement):
                carried = [each for each in left if separates(each, member)]
                if self._ends(node, position, carried):
                    return
                if carried and not strict_ones(carried):
                    found = self._tried(node, position, carried)
                    if found is not None:
                        yield found
                        return
                left = still_active(left, member)
        for position, inner in enumerate(below(node, actives)):
            yield from self.visit(node.child(position), inner)

    def _tried(self, band: ScheduleNode, position: int, carried: Sequence[Active]) -> Plan | None:
        try:
            if band.is_subtree_anchored:
                raise NoReductionError("AST options at or below it name the loops around them")
            return self._planned(band, position, carried)
        except NoReductionError as error:
            loop = band.schedule_depth + position + 1
            names = name_list(statements_of(band))
            self.reasons.append(f"loop {loop} around {names} {self.left_out}: {error}")
            return None

    def _is_left(self, band: ScheduleNode, actives: tuple[Active, ...]) -> bool:
        """Whether neither a band nor what is inside it is looked at."""
        return False

    def _ends(self, band: ScheduleNode, position: int, carried: Sequence[Active]) -> bool:
        """Whether neither a member of a band, with what it carries, nor loops inside it are."""
        return False

    @abstractmethod
    def _planned(self, band: ScheduleNode, position: int, carried: Sequence[Active]) -> Plan:
        """What to do with a member that carries these reductions; raises `NoReductionError`."""
