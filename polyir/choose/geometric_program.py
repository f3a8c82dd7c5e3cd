"""Geometric programs with integer variables.

A posynomial is a sum of monomials, products of powers of positive variables with positive
coefficients. A geometric program minimises a posynomial under posynomials that are at most 1; in
the logarithms of the variables it is convex. Integers are found by branch and bound
(Renganarayanan and Rajopadhye, "Computations on Iteration Spaces", section 15.3.1.2.2).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, product
from math import ceil, floor, inf, log, prod
from typing import Any, Final


@dataclass(frozen=True)
class Monomial:
    """`coefficient`, which is positive, times powers of variables."""

    coefficient: float
    powers: tuple[tuple[str, float], ...] = ()

    def value(self, point: Mapping[str, float]) -> float:
        """The value where the variables have the given ones."""
        return self.coefficient * prod([float(point[name] ** power) for name, power in self.powers])

    def __mul__(self, other: Monomial) -> Monomial:
        powers = dict(self.powers)
        for name, power in other.powers:
            powers[name] = powers.get(name, 0.0) + power
        left = tuple((name, power) for name, power in sorted(powers.items()) if power)
        return Monomial(self.coefficient * other.coefficient, left)

    def __str__(self) -> str:
        shown = [f"{self.coefficient:.4g}"]
        shown += (name if power == 1 else f"{name}^{power:g}" for name, power in self.powers)
        return " ".join(shown)


@dataclass(frozen=True)
class Posynomial:
    """A sum of monomials; none is zero."""

    terms: tuple[Monomial, ...] = ()

    def value(self, point: Mapping[str, float]) -> float:
        """The value where the variables have the given ones."""
        return sum(each.value(point) for each in self.terms)

    @property
    def grows(self) -> bool:
        """Whether no larger value of a variable makes it smaller."""
        return all(power >= 0 for each in self.terms for _, power in each.powers)

    def __add__(self, other: Posynomial) -> Posynomial:
        total: dict[tuple[tuple[str, float], ...], float] = {}
        for each in (*self.terms, *other.terms):
            total[each.powers] = total.get(each.powers, 0.0) + each.coefficient
        return Posynomial(tuple(Monomial(factor, powers) for powers, factor in total.items()))

    def __mul__(self, other: Posynomial) -> Posynomial:
        products = (a * b for a in self.terms for b in other.terms)
        return sum((Posynomial((each,)) for each in products), Posynomial())

    def __str__(self) -> str:
        return " + ".join(map(str, self.terms)) or "0"


def constant(value: float) -> Posynomial:
    """A posynomial without variables; zero has no terms."""
    return Posynomial((Monomial(value),)) if value else Posynomial()


def variable(name: str, power: float = 1.0) -> Posynomial:
    """A power of a variable."""
    return Posynomial((Monomial(1.0, ((name, power),)),))


Bounds = Mapping[str, tuple[int, int]]
"""The least and the greatest value of each variable."""


@dataclass(frozen=True)
class GeometricProgram:
    """The integers within `bounds` for which `objective` is the least.

    Each of `at_most_one`, which have names, is at most 1.
    """

    bounds: Bounds
    objective: Posynomial
    at_most_one: Mapping[str, Posynomial]

    def is_feasible(self, point: Mapping[str, float]) -> bool:
        """Whether a point obeys the constraints, apart from rounding errors."""
        return all(each.value(point) <= 1 + TOLERANCE for each in self.at_most_one.values())

    def solve(self) -> dict[str, int] | None:
        """The best integers, `None` if there are none.

        By cvxpy, with branch and bound, if it is installed, else by a search.
        """
        try:
            import cvxpy  # noqa: F401
        except ImportError:
            return self.searched()
        return self.branched()

    def __str__(self) -> str:
        lines = [f"minimise {self.objective}"]
        lines += (f"{name}: {each} <= 1" for name, each in self.at_most_one.items())
        lines += (f"{low} <= {name} <= {high}" for name, (low, high) in self.bounds.items())
        return "\n".join(lines)

    # By cvxpy

    def branched(self) -> dict[str, int] | None:
        """The best integers by branch and bound on the continuous program (needs cvxpy)."""
        order = count()
        queue: list[tuple[float, int, Bounds, dict[str, float]]] = []

        def push(bounds: Bounds) -> None:
            relaxed = self._relaxed(bounds)
            if relaxed is not None:
                value, point = relaxed
                heapq.heappush(queue, (value, next(order), bounds, point))

        push(self.bounds)
        best, found = inf, None
        while queue:
            value, _, bounds, point = heapq.heappop(queue)
            if value >= best * (1 - TOLERANCE):
                break
            rounded = {name: round(number) for name, number in point.items()}
            apart = {name: abs(number - rounded[name]) for name, number in point.items()}
            name = max(apart, key=apart.__getitem__)
            low, high = bounds[name]
            if apart[name] > INTEGRAL:
                push({**bounds, name: (low, floor(point[name]))})
                push({**bounds, name: (ceil(point[name]), high)})
            elif self.is_feasible(rounded):
                if self.objective.value(rounded) < best:
                    best, found = self.objective.value(rounded), rounded
            else:
                # The solver was a little outside: the best integers are near, but others.
                for name, (low, high) in bounds.items():
                    if low < high:
                        push({**bounds, name: (low, rounded[name] - 1)})
                        push({**bounds, name: (rounded[name] + 1, high)})
                        push({**bounds, name: (rounded[name], rounded[name])})
                        break
        return found

    def _relaxed(self, bounds: Bounds) -> tuple[float, dict[str, float]] | None:
        """The least value within bounds, and where, if the variables need not be integers."""
        import cvxpy

        if any(low > high for low, high in bounds.values()):
            return None
        least = {name: float(low) for name, (low, _) in bounds.items()}
        if not all(each.value(least) <= 1 or not each.grows for each in self.at_most_one.values()):
            return None
        free = {n: cvxpy.Variable(pos=True) for n, (low, high) in bounds.items() if low < high}
        fixed = {name: float(low) for name, (low, high) in bounds.items() if low == high}

        if not free:
            return (self.objective.value(fixed), fixed) if self.is_feasible(fixed) else None

        def expression(posynomial: Posynomial, scale: float = 1.0) -> Any:
            total: Any = 0.0
            for each in posynomial.terms:
                factor, term = each.coefficient / scale, 1.0
                for name, power in each.powers:
                    if name in fixed:
                        factor *= fixed[name] ** power
                    else:
                        term = term * free[name] ** power
                total = total + factor * term
            return total

        constraints = [
            expression(each) <= 1
            for each in self.at_most_one.values()
            if any(name in free for term in each.terms for name, _ in term.powers)
        ]
        for name, each in free.items():
            constraints += [each >= bounds[name][0], each <= bounds[name][1]]
        # Solvers are exact to so many digits of numbers near 1.
        scale = self.objective.value(least)
        problem = cvxpy.Problem(cvxpy.Minimize(expression(self.objective, scale)), constraints)
        try:
            problem.solve(gp=True)
        except cvxpy.error.SolverError:
            return None
        if problem.status not in ("optimal", "optimal_inaccurate"):
            return None
        point = {**fixed, **{name: float(each.value) for name, each in free.items()}}
        return self.objective.value(point), point

    # By a search

    def searched(self) -> dict[str, int] | None:
        """Good integers without a solver: the best of a grid, and then the best near it.

        The grid has some sizes of each power of two. Where the best point has better neighbours,
        the search goes on there, by smaller and smaller steps.
        """
        names = list(self.bounds)
        grids = [list(_grid(*self.bounds[name])) for name in names]
        points = (dict(zip(names, values, strict=True)) for values in product(*grids))
        best = min(filter(self.is_feasible, points), key=self.objective.value, default=None)
        if best is None:
            return None
        step = {name: max(1, best[name] // 8) for name in names}
        while True:
            near = min(
                filter(self.is_feasible, self._neighbours(best, step)), key=self.objective.value
            )
            if self.objective.value(near) < self.objective.value(best):
                best = near
            elif all(each == 1 for each in step.values()):
                return best
            else:
                step = {name: max(1, each // 2) for name, each in step.items()}

    def _neighbours(
        self, point: Mapping[str, int], step: Mapping[str, int]
    ) -> Iterator[dict[str, int]]:
        """The point, and those one step away from it in some variables, within the bounds."""
        for directions in product((-1, 0, 1), repeat=len(point)):
            moved = {
                name: value + direction * step[name]
                for (name, value), direction in zip(point.items(), directions, strict=True)
            }
            if all(low <= moved[name] <= high for name, (low, high) in self.bounds.items()):
                yield moved


TOLERANCE: Final = 1e-6
"""How far a constraint may be above 1, and a value above the best one, by rounding."""

INTEGRAL: Final = 1e-4
"""How far a number that the solver finds may be from the integer that it stands for."""


def _grid(low: int, high: int) -> Iterator[int]:
    """Integers from `low` to `high`, four of each power of two where there are so many."""
    found = {low, high}
    for power in range(floor(4 * log(max(low, 1), 2)), ceil(4 * log(max(high, 1), 2)) + 1):
        value = round(2 ** (power / 4))
        if low <= value <= high:
            found.add(value)
    yield from sorted(found)
