"""The choice among ways to compute a reduction, by dynamic programming.

Gautam and Rajopadhye, "Simplifying Reductions" (POPL 2006), section 7: what a step leaves to
compute are reductions again, over fewer points, which are simplified in turn. All finitely many
choices are compared by the degree of the number of operations; the plan of each reduction is made
once. A search ends early at a degree that no plan can have less of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import islpy as isl

from polyir.equations.simplification import decomposition, sharing
from polyir.equations.simplification.complexity import degree
from polyir.equations.simplification.core import Step, step_along
from polyir.equations.simplification.options import IDEMPOTENT, Options
from polyir.equations.simplification.plans import (
    Keep,
    Nested,
    Plan,
    Recurrence,
    Same,
    Together,
)
from polyir.equations.simplification.reductions import Reduction
from polyir.equations.system import Operation
from polyir.schedule.linear import Row

MOST_PARTS = 8
"""How many convex parts of a domain are simplified on their own."""

MOST_CUTS = 3
"""How often a part that is not less work than the whole is simplified on its own."""


class Search:
    """Plans of reductions.

    `allows` says whether results of the reduction for which the search is made may depend on those
    that are a vector before them.
    """

    def __init__(self, options: Options, allows: Callable[[Row], bool]) -> None:
        self._options = options
        self._allows = allows
        self._plans: dict[tuple[str, int], Plan] = {}
        self._effort = 0

    @property
    def gave_up(self) -> bool:
        """Whether the effort that is allowed was not enough for all choices."""
        return self._effort > self._options.effort

    def best(self, reduction: Reduction, cuts: int = MOST_CUTS) -> Plan:
        """The plan of least degree that was found; of several, the first."""
        key = (reduction.key, cuts)
        known = self._plans.get(key)
        if known is None:
            known = self._plans[key] = self._best(reduction, cuts)
        return known

    def sum_of(self, parts: list[Reduction], cuts: int = MOST_CUTS) -> Plan:
        """A plan for reductions with one projection, on disjoint domains, together."""
        plan = self.best(parts[0], cuts)
        for part in parts[1:]:
            both = part.on(plan.reduction.domain.union(part.domain))
            plan = Together(both, plan, self.best(part, cuts), part.operator)
        return plan

    def _best(self, reduction: Reduction, cuts: int) -> Plan:
        best: Plan = Keep(reduction)
        self._effort += reduction.domain.n_basic_set()
        if best.degree <= reduction.least_degree or not reduction.domain.is_bounded():
            return best
        for plan in self._choices(reduction, best, cuts):
            if plan.degree < best.degree:
                best = plan
            if best.degree <= reduction.least_degree or self.gave_up:
                break
        return best

    def _choices(self, reduction: Reduction, keep: Plan, cuts: int) -> Iterator[Plan]:
        if self._options.scans_only:
            yield from self._recurrences(reduction, keep.degree, cuts)
            return
        if reduction.shared and reduction.operator in IDEMPOTENT and not reduction.is_external:
            yield Same(reduction, reduction.shared, self.best(sharing.once(reduction), cuts))
            return
        yield from self._recurrences(reduction, keep.degree, cuts)
        yield from self._operands(reduction, cuts)
        yield from self._counted(reduction, cuts)
        yield from self._pieces(reduction, cuts)
        yield from self._nests(reduction, cuts)

    def _recurrences(self, reduction: Reduction, limit: int, cuts: int) -> Iterator[Plan]:
        """Along each direction; those with nothing to take back first."""
        inverse = self._options.inverse(reduction)
        steps = []
        for direction in reduction.directions():
            move = reduction.owner_moves(direction)
            if move is None or not self._allows(move):
                continue
            self._effort += reduction.domain.n_basic_set()
            step = None if self.gave_up else step_along(reduction, direction, inverse is not None)
            if step is not None:
                steps.append(step)
        later = []
        for step in sorted(steps, key=lambda step: not step.subtracted.is_empty()):
            if degree(step.initial) < limit:
                yield from self._recurrence(reduction, step, inverse, limit, cuts)
            else:
                later.append(step)
        for step in later:
            # Only without an inverse are there results that could be computed from a neighbour,
            # and are not. They are fewer each time, but not by degree.
            if cuts > 0 and step.initial.is_strict_subset(reduction.domain):
                yield from self._recurrence(reduction, step, inverse, limit, cuts - 1)

    def _recurrence(
        self, reduction: Reduction, step: Step, inverse: str | None, limit: int, cuts: int
    ) -> Iterator[Plan]:
        if max(degree(step.added), degree(step.subtracted)) >= limit:
            return
        initial, added, subtracted = (
            None if points.is_empty() else self.best(reduction.on(points), cuts)
            for points in (step.initial, step.added, step.subtracted)
        )
        yield Recurrence(
            reduction,
            step.direction,
            step.move,
            step.recurring,
            inverse,
            initial,
            added,
            subtracted,
        )

    def _operands(self, reduction: Reduction, cuts: int) -> Iterator[Plan]:
        """A sum of sums is that of the sums of each."""
        value = reduction.value
        if not isinstance(value, Operation) or value.is_external or reduction.is_external:
            return
        is_difference = value.operator == "-" and len(value.parts) == 2
        if value.operator == reduction.operator or (
            is_difference and reduction.operator == "+" and self._options.is_exact
        ):
            first, *others = value.parts
            rest = others[0] if len(others) == 1 else replace(value, parts=tuple(others))
            yield Together(
                reduction,
                self.best(replace(reduction, value=first), cuts),
                self.best(replace(reduction, value=rest), cuts),
                value.operator,
            )

    def _pieces(self, reduction: Reduction, cuts: int) -> Iterator[Plan]:
        """Each convex part of the domain for itself."""
        count = reduction.domain.n_basic_set()
        if not 2 <= count <= MOST_PARTS:
            return
        parts, rest = [], reduction.domain
        for piece in sorted(reduction.domain.get_basic_sets(), key=_order_of_pieces):
            part = isl.Set.from_basic_set(piece).intersect(rest)
            rest = rest.subtract(part)
            if not part.is_empty():
                parts.append(reduction.on(part))
        if len(parts) > 1 and all(part.key != reduction.key for part in parts):
            yield self.sum_of(parts, cuts)

    def _counted(self, reduction: Reduction, cuts: int) -> Iterator[Plan]:
        """Equal values, so many times."""
        if reduction.is_external:
            return
        for line in sharing.shared_lines(reduction):
            if reduction.operator == "+" and self._options.is_exact:
                parts = sharing.times(reduction, line)
                if parts:
                    yield Same(reduction, (line,), self.sum_of(parts, cuts))
            if reduction.operator == "xor":
                odd = sharing.odd(reduction, line)
                if odd is not None:
                    yield Same(reduction, (line,), self.best(odd, cuts))

    def _nests(self, reduction: Reduction, cuts: int) -> Iterator[Plan]:
        """Reductions over the results of reductions."""
        for operator in self._options.distributes(reduction):
            for space in decomposition.factor_spaces(reduction, operator):
                nest = decomposition.distributed(reduction, space, operator)
                if nest is not None:
                    yield from self._nest(reduction, nest, True, cuts)
        if reduction.reuse:
            for space in decomposition.inner_spaces(reduction):
                nest = decomposition.nested(reduction, space)
                yield from self._nest(reduction, nest, False, cuts)

    def _nest(
        self, reduction: Reduction, nest: decomposition.Nest, distributed: bool, cuts: int
    ) -> Iterator[Plan]:
        worst = reduction.degree
        if max(nest.outer.degree, nest.inner.least_degree) < worst:
            inner = self.best(nest.inner, cuts)
            if inner.degree < worst:
                outer = self.best(nest.outer, cuts)
                yield Nested(reduction, nest.name, inner, outer, distributed)


def _order_of_pieces(piece: isl.BasicSet) -> tuple[int, str]:
    """Those of the highest degree first, so that they stay convex."""
    return -degree(isl.Set.from_basic_set(piece)), str(piece)
