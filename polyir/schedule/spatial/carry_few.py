"""The row that carries as few groups of reuse as possible: paper 001, section 4.4, formula (4)."""

from __future__ import annotations

from collections.abc import Sequence

from polyir.schedule.dependences import Dependence
from polyir.schedule.spatial.locality_graph import LocalityGroup, by_priority
from polyir.schedule.spatial.rows import Choice, RowQuestion, minimum, vanish
from polyir.schedule.tree import Hyperplane

PARAMETERS, ITERATORS = range(2)


def row_carrying_few(question: RowQuestion, groups: Sequence[LocalityGroup]) -> Hyperplane | None:
    """The row whose distances along the reuse of `groups` are zero, as far as can be.

    Formula (4) minimises a bound on the distances of each group, first the temporal and then the
    spatial one, in the order of rank and multiplicity. The first one that is not zero is taken
    out, and the minimum is sought again, until all that are left are zero. That is to say: in
    this order each is demanded to be zero if it can be, with those demanded before. So it is done
    here, without unknowns for the bounds. What is then left to choose is the smallest sum of the
    parameters' coefficients, and of the iterators'.

    `None` if there is no row at all.
    """
    rows = question.program(PARAMETERS, ITERATORS)
    choices = question.independence(rows, slack=True)
    solution = minimum(rows, choices)
    if solution is None:
        return None
    for part in _parts(groups):
        demand: Choice = (tuple(c for each in part for c in rows.zero_distance(each)),)
        if vanish(part, rows.decode(solution)):
            # The solution is the smallest one of fewer demands, and meets this one.
            choices.append(demand)
            continue
        other = minimum(rows, [*choices, demand])
        if other is not None:
            choices.append(demand)
            solution = other
    return rows.decode(solution)


def _parts(groups: Sequence[LocalityGroup]) -> list[tuple[Dependence, ...]]:
    """What is to be zero, the most important first."""
    ordered = by_priority(groups)
    return [part for group in ordered for part in (group.temporal, group.spatial) if part]
