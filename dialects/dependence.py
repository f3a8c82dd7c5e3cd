"""Dependences between statement instances, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Self

import islpy as isl

from polyir.sets.lists import union_map


class DependenceKind(Enum):
    """What the two ends of a dependence do to the element that they share."""

    FLOW = "flow"
    """Write, then read."""
    ANTI = "anti"
    """Read, then write."""
    OUTPUT = "output"
    """Write, then write."""
    REDUCTION = "reduction"
    """Update, then update, by an associative operation: in any order, but not at once."""
    INPUT = "input"
    """Read, then read: orders nothing, but tells of reuse."""


@dataclass(frozen=True)
class Dependence:
    """All dependences of one kind, through one array, from one statement to another.

    `relation` is `{ source[i] -> target[j] }`: instance `i` of `source` runs before instance
    `j` of `target` in the original program.
    """

    kind: DependenceKind
    array: str
    relation: isl.Map

    @cached_property
    def is_empty(self) -> bool:
        """Whether there is no pair of instances."""
        return bool(self.relation.is_empty())

    @cached_property
    def source(self) -> str:
        """The name of the statement that runs first."""
        return self.relation.get_tuple_name(isl.dim_type.in_)

    @cached_property
    def target(self) -> str:
        """The name of the statement that runs second."""
        return self.relation.get_tuple_name(isl.dim_type.out)


@dataclass(frozen=True)
class Dependences:
    """The dependences of a scop, in a fixed order.

    `value_based` tells whether a read depends on the last write alone (array dataflow) or,
    memory-based, on every earlier write of the element. `order` is `{ S[i] -> [dates] }`, the
    order of the instances that the dependences were computed for: it respects them all, so that
    there is always an order to fall back on. It is `None` where nobody knows it.
    """

    value_based: bool
    items: tuple[Dependence, ...]
    order: isl.UnionMap | None = None

    def of_kind(self, *kinds: DependenceKind) -> tuple[Dependence, ...]:
        """The dependences of the given kinds, in order."""
        return tuple(item for item in self.items if item.kind in kinds)

    @cached_property
    def strict(self) -> tuple[Dependence, ...]:
        """Those that a schedule must respect: flow, anti and output."""
        return self.of_kind(DependenceKind.FLOW, DependenceKind.ANTI, DependenceKind.OUTPUT)

    @cached_property
    def reductions(self) -> tuple[Dependence, ...]:
        """Those between updates of an element, which a schedule may turn round.

        They have the direction that the schedule in force gives them (`polyir.model.reductions`).
        """
        return self.of_kind(DependenceKind.REDUCTION)

    def in_order(self) -> Self:
        """The same, with strict dependences in the place of reductions: nothing is turned round."""
        if not self.reductions:
            return self
        items = (
            replace(each, kind=DependenceKind.FLOW)
            if each.kind is DependenceKind.REDUCTION
            else each
            for each in self.items
        )
        return replace(self, items=tuple(items))

    @cached_property
    def ordering(self) -> tuple[Dependence, ...]:
        """The strict ones and the reductions: what the schedule in force orders.

        No two ends of one may run at the same time, and whoever changes no order that reductions
        have may treat all of them alike.
        """
        return tuple(each for each in self.items if each.kind is not DependenceKind.INPUT)


def union_of(dependences: Iterable[Dependence], space: isl.Space) -> isl.UnionMap:
    """The relations of `dependences` as one union map; `space` gives the parameters."""
    return union_map((each.relation for each in dependences), space)
