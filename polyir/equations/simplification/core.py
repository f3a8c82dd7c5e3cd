"""One step along a vector of the reuse space.

Gautam and Rajopadhye, "Simplifying Reductions" (POPL 2006), section 4: the domain of a reduction
is compared with itself, moved by a vector along which values are reused. Where both have points
that contribute to a result, the result is that of the neighbour, with what entered and without
what left.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.equations.simplification.reductions import Reduction, translated
from polyir.schedule.linear import Row
from polyir.sets.hulls import simplified


@dataclass(frozen=True)
class Step:
    """The parts of a reduction by a step along `direction`.

    `X[x] = X[x - move] + added - subtracted` at the points x of `recurring`, and `initial`
    elsewhere. The three sets are of points of the reduction's space, by the result to which they
    contribute: `subtracted` is not part of the domain.
    """

    direction: Row
    move: Row
    recurring: isl.Set
    initial: isl.Set
    added: isl.Set
    subtracted: isl.Set


def step_along(reduction: Reduction, direction: Row, has_inverse: bool) -> Step | None:
    """The step, or `None` if no result is computed from its neighbour.

    Without an inverse, those results from whose neighbour something would have to be taken back
    are computed like the first ones: `subtracted` is empty.
    """
    move = reduction.moves(direction)
    if move is None or not any(move):
        return None
    domain = reduction.domain
    neighbour = translated(domain, direction)
    recurring = reduction.image(domain.intersect(neighbour))
    left = neighbour.subtract(domain)
    if not has_inverse:
        recurring = simplified(recurring.subtract(reduction.image(left)))
    if recurring.is_empty():
        return None
    used = reduction.contributing(recurring)
    return Step(
        direction,
        move,
        recurring,
        simplified(domain.subtract(used)),
        simplified(domain.subtract(neighbour).intersect(used)),
        simplified(left.intersect(used)),
    )


def to_take_back(reduction: Reduction, direction: Row) -> isl.Set:
    """The points whose contributions a step along the vector would have to take back."""
    neighbour = translated(reduction.domain, direction)
    recurring = reduction.image(reduction.domain.intersect(neighbour))
    used = reduction.contributing(recurring)
    return neighbour.subtract(reduction.domain).intersect(used).coalesce()
