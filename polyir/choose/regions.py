"""Integer points between bounds, numerically: ranges of affine forms, and their numbers of values.

All parameters have numbers here, so that everything is arithmetic on floats. Bounds are propagated
through the constraints, which is exact for boxes, triangles and skewed boxes. Points of triangles
are counted by Gauss's quadrature with two nodes, which is exact for polynomials of degree three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

Terms = tuple[tuple[int, float], ...]
"""Variables, by number, and their coefficients, which are not 0."""

FAR: Final = 1e9
"""Stands for no bound."""

_ROUNDS: Final = 8
_NODE: Final = 0.5 / 3**0.5


@dataclass(frozen=True)
class Form:
    """An affine form of a statement's iterators."""

    terms: Terms
    constant: float = 0.0


Constraint = tuple[Terms, float]
"""What is not negative: the sum of terms and a constant."""


class Region:
    """The points that satisfy some constraints, with the bounds of each variable."""

    __slots__ = ("_links", "_ranges", "constraints", "high", "is_empty", "low")

    def __init__(
        self, constraints: tuple[Constraint, ...], low: Sequence[float], high: Sequence[float]
    ) -> None:
        self.constraints = constraints
        self.low = list(low)
        self.high = list(high)
        self.is_empty = not self._propagate()
        self._links: list[frozenset[int]] | None = None
        self._ranges: dict[Terms, tuple[float, float]] = {}

    def _propagate(self) -> bool:
        """Tighten the bounds of all variables; false if no point is left."""
        low, high = self.low, self.high
        for _ in range(_ROUNDS):
            changed = False
            for terms, constant in self.constraints:
                most = constant
                for variable, factor in terms:
                    most += factor * (high[variable] if factor > 0 else low[variable])
                if most < -1e-6:
                    return False
                for variable, factor in terms:
                    if factor > 0:
                        bound = high[variable] - most / factor
                        if bound > low[variable] + 1e-6:
                            low[variable] = bound
                            changed = True
                    else:
                        bound = low[variable] - most / factor
                        if bound < high[variable] - 1e-6:
                            high[variable] = bound
                            changed = True
            if not changed:
                break
        return all(a <= b + 1e-6 for a, b in zip(low, high, strict=True))

    def within(self, form: Form, low: float, high: float) -> Region:
        """The points where `form` is from `low` to `high`."""
        if len(form.terms) == 1 and form.terms[0][1] == 1:
            variable = form.terms[0][0]
            lows, highs = list(self.low), list(self.high)
            lows[variable] = max(lows[variable], low - form.constant)
            highs[variable] = min(highs[variable], high - form.constant)
            return Region(self.constraints, lows, highs)
        negative = tuple((variable, -factor) for variable, factor in form.terms)
        added = ((form.terms, form.constant - low), (negative, high - form.constant))
        return Region((*self.constraints, *added), self.low, self.high)

    def range(self, form: Form) -> tuple[float, float]:
        """The least and the greatest value of `form`."""
        known = self._ranges.get(form.terms)
        if known is None:
            known = self._ranges[form.terms] = self._range(form.terms)
        return known[0] + form.constant, known[1] + form.constant

    def _range(self, terms: Terms) -> tuple[float, float]:
        """The least and the greatest value of a sum of terms."""
        least = most = 0.0
        for variable, factor in terms:
            if factor > 0:
                least += factor * self.low[variable]
                most += factor * self.high[variable]
            else:
                least += factor * self.high[variable]
                most += factor * self.low[variable]
        if len(terms) > 1:
            for constraint in self.constraints:
                if len(constraint[0]) > 1:
                    most = min(most, self._bounded(terms, constraint, 1.0))
                    least = max(least, -self._bounded(terms, constraint, -1.0))
        return least, most

    def _bounded(self, terms: Terms, constraint: Constraint, sign: float) -> float:
        """A bound from above of `sign` times a sum: a multiple of a constraint is added to it.

        The multiple is one that makes a variable vanish (a step of Fourier and Motzkin's method).
        """
        factors = dict(constraint[0])
        best = FAR * FAR
        for variable, factor in terms:
            scale = -sign * factor / factors[variable] if variable in factors else 0.0
            if scale <= 0:
                continue
            most = scale * constraint[1]
            rest = {other: scale * own for other, own in constraint[0]}
            for other, own in terms:
                rest[other] = rest.get(other, 0.0) + sign * own
            for other, own in rest.items():
                if abs(own) > 1e-9:
                    most += own * (self.high[other] if own > 0 else self.low[other])
            best = min(best, most)
        return best

    def extent(self, form: Form) -> float:
        """How many integers are between the least and the greatest value of `form`."""
        least, most = self.range(form)
        return max(0.0, most - least + 1)

    def are_linked(self, forms: Sequence[Form]) -> bool:
        """Whether the range of one form may depend on the value of another."""
        if self._links is None:
            bound = (terms for terms, _ in self.constraints if self._binds(terms))
            self._links = [frozenset(variable for variable, _ in terms) for terms in bound]
        groups = [{variable for variable, _ in form.terms} for form in forms]
        return any(
            one & other or any(one & link and other & link for link in self._links)
            for one, other in combinations(groups, 2)
        )

    def _binds(self, terms: Terms) -> bool:
        """Whether two or more variables of a constraint still vary."""
        return sum(self.high[variable] - self.low[variable] > 0.5 for variable, _ in terms) > 1


def nodes(low: float, high: float) -> tuple[tuple[float, float], ...]:
    """Values between the bounds, and how many integers each stands for (Gauss's quadrature)."""
    extent = high - low + 1
    middle = (low + high) / 2
    if extent < 2:
        return ((middle, max(0.0, extent)),)
    return ((middle - extent * _NODE, extent / 2), (middle + extent * _NODE, extent / 2))


def count(region: Region, forms: Sequence[Form], spread: Sequence[float] = ()) -> float:
    """How many different values the forms take together, about.

    With `spread`, form k takes also the next `spread[k]` values after each.
    """
    if region.is_empty:
        return 0.0
    spread = spread or (0.0,) * len(forms)
    if len(forms) < 2 or not region.are_linked(forms):
        total = 1.0
        for form, more in zip(forms, spread, strict=True):
            total *= region.extent(form) + more
        return total
    low, high = region.range(forms[0])
    total = 0.0
    for node, weight in nodes(low, high):
        # Of two values, the nodes are a bit beyond both.
        value = min(max(node, low), high)
        total += weight * count(region.within(forms[0], value, value), forms[1:], spread[1:])
    # The border that the spread adds is as long as the average of what is inside.
    extent = high - low + 1
    return total * (extent + spread[0]) / extent if extent > 0 else total
