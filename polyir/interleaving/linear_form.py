"""The linear conditions on binary variables whose solutions are the interleavings.

For two statements i < j at level k, p(i, j) says that i precedes j, and e(i, j) that both are in
one block; else j precedes i. The conditions are those of Pouchet et al., "Loop Transformations:
Convexity, Pruning and Optimization", 2011, section 3: one of the three is true, and all of them
are transitive; what is apart at a level is apart below it, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, permutations
from typing import Final

import islpy as isl

from polyir.interleaving.point import Interleaving, Level
from polyir.interleaving.preorders import Restrictions
from polyir.schedule.integer_program import lexicographic_minimum
from polyir.schedule.linear import Row, matrix_of
from polyir.sets.values import isl_value


@dataclass(frozen=True, order=True)
class Variable:
    """A decision on the statements `first < second` at a level, which counts from 1.

    It is 1 if they are in one block (`together`), or else if `first` precedes `second`.
    """

    level: int
    first: int
    second: int
    together: bool


@dataclass(frozen=True)
class Condition:
    """An affine form of variables that is not negative: products with coefficients, a constant."""

    coefficients: Mapping[Variable, int]
    constant: int = 0

    def holds(self, values: Mapping[Variable, int]) -> bool:
        """Whether it is true; variables without a value are zero."""
        products = (each * values.get(name, 0) for name, each in self.coefficients.items())
        return self.constant + sum(products) >= 0

    def __add__(self, other: Condition) -> Condition:
        total = dict(self.coefficients)
        for name, each in other.coefficients.items():
            total[name] = total.get(name, 0) + each
        nonzero = {name: each for name, each in total.items() if each}
        return Condition(nonzero, self.constant + other.constant)

    def __sub__(self, other: Condition) -> Condition:
        negative = {name: -each for name, each in other.coefficients.items()}
        return self + Condition(negative, -other.constant)


_ONE = Condition({}, 1)


def _together(level: int, one: int, other: int) -> Condition:
    return Condition({Variable(level, min(one, other), max(one, other), True): 1})


def _precedes(level: int, one: int, other: int) -> Condition:
    if one < other:
        return Condition({Variable(level, one, other, False): 1})
    return _ONE - _together(level, one, other) - _precedes(level, other, one)


@dataclass(frozen=True)
class LinearForm:
    """Some of the `variables` have `fixed` values, and the `conditions` are on the others.

    Each of `complements` is 1 minus another variable, which is in the conditions instead.
    """

    variables: tuple[Variable, ...]
    conditions: tuple[Condition, ...]
    complements: Mapping[Variable, Variable]
    fixed: Mapping[Variable, int] = field(default_factory=dict)
    is_empty: bool = False

    @cached_property
    def open_variables(self) -> tuple[Variable, ...]:
        """The variables whose values are to be chosen."""
        known = self.fixed.keys() | self.complements.keys()
        return tuple(each for each in self.variables if each not in known)

    def with_conditions(self, conditions: Iterable[Condition]) -> LinearForm:
        """The form with further conditions."""
        return replace(self, conditions=(*self.conditions, *conditions)).simplified()

    def simplified(self) -> LinearForm:
        """The form with all values fixed that follow from one condition and the known values."""
        form = self
        while True:
            fixed, left = dict(form.fixed), dict[object, Condition]()
            for condition in map(form._reduced, form.conditions):
                entries = condition.coefficients.values()
                most = condition.constant + sum(each for each in entries if each > 0)
                least = condition.constant + sum(each for each in entries if each < 0)
                if most < 0:
                    return replace(form, conditions=(), is_empty=True)
                for name, each in condition.coefficients.items():
                    if most < abs(each):
                        fixed[name] = int(each > 0)
                if least < 0:
                    left[frozenset(condition.coefficients.items()), condition.constant] = condition
            if len(fixed) == len(form.fixed):
                return replace(form, conditions=tuple(left.values()))
            form = replace(form, conditions=tuple(left.values()), fixed=fixed)

    def _reduced(self, condition: Condition) -> Condition:
        """The same condition on the open variables alone."""
        total = Condition({}, condition.constant)
        for name, each in condition.coefficients.items():
            if name in self.complements:
                total += Condition({self.complements[name]: -each}, each)
            else:
                total += Condition({name: each})
        known = total.coefficients.keys() & self.fixed.keys()
        return Condition(
            {name: each for name, each in total.coefficients.items() if name not in known},
            total.constant + sum(total.coefficients[name] * self.fixed[name] for name in known),
        )

    @staticmethod
    def values(point: Interleaving) -> dict[Variable, int]:
        """The variables of a point that are 1."""
        found: dict[Variable, int] = {}
        for number, level in enumerate(point.levels, 1):
            place = {each: index for index, block in enumerate(level) for each in block}
            for first, second in combinations(sorted(place), 2):
                if place[first] <= place[second]:
                    together = place[first] == place[second]
                    found[Variable(number, first, second, together)] = 1
        return found

    def __contains__(self, point: Interleaving) -> bool:
        values = self.values(point)

        def is_known(name: Variable, value: int) -> bool:
            return values.get(name, 0) == value

        return (
            not self.is_empty
            and all(is_known(name, value) for name, value in self.fixed.items())
            and all(is_known(a, 1 - values.get(b, 0)) for a, b in self.complements.items())
            and all(each.holds(values) for each in self.conditions)
        )

    def point(self, values: Mapping[Variable, int]) -> Interleaving:
        """The interleaving that has the given values of the open variables."""
        known = {**self.fixed, **values}
        known |= {name: 1 - known.get(other, 0) for name, other in self.complements.items()}
        count = 1 + max((each.second for each in self.variables), default=0)
        depth = max((each.level for each in self.variables), default=1)
        return Interleaving(tuple(self._level(each, count, known) for each in range(1, depth + 1)))

    @staticmethod
    def _level(level: int, count: int, known: Mapping[Variable, int]) -> Level:
        # Blocks differ in how many statements precede theirs.
        blocks: dict[int, list[int]] = {}
        for each in range(count):
            forms = (_precedes(level, other, each) for other in range(count) if other != each)
            before = sum((form - _ONE).holds(known) for form in forms)
            blocks.setdefault(before, []).append(each)
        return tuple(tuple(blocks[before]) for before in sorted(blocks))

    # Optimisation

    def as_set(self) -> isl.BasicSet:
        """The points as a set of isl, whose dimensions are the open variables in their order."""
        rows = [self._row(each) for each in self.conditions]
        width = len(self.open_variables) + 1
        if self.is_empty:
            rows.append((*(0,) * (width - 1), -1))
        for place in range(width - 1):
            for sign, constant in ((1, 0), (-1, 1)):
                bound = [0] * width
                bound[place], bound[-1] = sign, constant
                rows.append(tuple(bound))
        kinds = isl.dim_type
        return isl.BasicSet.from_constraint_matrices(
            isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, width - 1),
            matrix_of([], width),
            matrix_of(rows, width),
            *(kinds.set, kinds.div, kinds.param, kinds.cst),
        )

    def _row(self, condition: Condition) -> Row:
        entries = (condition.coefficients.get(name, 0) for name in self.open_variables)
        return (*entries, condition.constant)

    def maximum(self, weights: Mapping[Variable, int]) -> dict[Variable, int] | None:
        """The open variables of a point with the largest weighted sum; `None` if there is none.

        Large programs are solved by HiGHS, if the package `highspy` is installed.
        """
        if self.is_empty:
            return None
        weights = self._reduced(Condition(weights)).coefficients
        if len(self.open_variables) > MOST_FOR_ISL:
            try:
                return self._maximum_by_highs(weights)
            except ImportError:
                pass
        return self._maximum_by_isl(weights)

    def _maximum_by_isl(self, weights: Mapping[Variable, int]) -> dict[Variable, int] | None:
        kinds = isl.dim_type
        costs = [-weights.get(name, 0) for name in self.open_variables]
        points = self.as_set().insert_dims(kinds.set, 0, 1)
        # The cost comes first, so that the lexicographic minimum has the least cost.
        equality = isl.Constraint.alloc_equality(isl.LocalSpace.from_space(points.get_space()))
        equality = equality.set_coefficient_val(kinds.set, 0, -1)
        for place, cost in enumerate(costs, 1):
            equality = equality.set_coefficient_val(kinds.set, place, isl_value(cost))
        best = lexicographic_minimum(points.add_constraint(equality))
        if best is None:
            return None
        values = (
            best.get_coordinate_val(kinds.set, place).to_python()
            for place in range(1, len(costs) + 1)
        )
        return dict(zip(self.open_variables, values, strict=True))

    def _maximum_by_highs(self, weights: Mapping[Variable, int]) -> dict[Variable, int] | None:
        import highspy

        solver = highspy.Highs()
        solver.silent()
        columns = {name: solver.addBinary() for name in self.open_variables}
        for condition in self.conditions:
            terms = (each * columns[name] for name, each in condition.coefficients.items())
            solver.addConstr(sum(terms) >= -condition.constant)
        solver.maximize(sum(weights.get(name, 0) * column for name, column in columns.items()))
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return {name: round(solver.val(column)) for name, column in columns.items()}


MOST_FOR_ISL: Final = 30
"""isl solves programs with as many variables; HiGHS takes far less time for larger ones."""


def linear_form(count: int, restrictions: Sequence[Restrictions]) -> LinearForm:
    """The interleavings of the statements 0 to `count` - 1, with the restrictions of each level."""
    depth = len(restrictions)
    variables = tuple(
        Variable(level, first, second, together)
        for level in range(1, depth + 1)
        for first, second in combinations(range(count), 2)
        for together in (False, True)
    )
    forms: list[Condition] = []
    for level, each in enumerate(restrictions, 1):
        forms += _of_preorder(level, count)
        forms += _of_restrictions(level, each)
        if level < depth:
            forms += _between_levels(level, count)
    # One that never precedes an earlier one is with it or after it.
    complements = {
        Variable(1, first, second, False): Variable(1, first, second, True)
        for second, first in restrictions[0].never_before
        if first < second
    }
    return LinearForm(variables, tuple(forms), complements).simplified()


def _of_preorder(level: int, count: int) -> Iterator[Condition]:
    """What makes the variables of a level a total preorder."""
    for first, second in combinations(range(count), 2):
        yield _ONE - _precedes(level, first, second) - _together(level, first, second)
    for one, middle, last in permutations(range(count), 3):
        precedes, together = _precedes(level, one, last), _together(level, one, last)
        pairs = [(_precedes, _precedes), (_precedes, _together), (_together, _precedes)]
        for left, right in pairs:
            yield _ONE + precedes - left(level, one, middle) - right(level, middle, last)
        if one < last:
            yield (_ONE + together - _together(level, one, middle) - _together(level, middle, last))


def _of_restrictions(level: int, restrictions: Restrictions) -> Iterator[Condition]:
    for group in sorted(restrictions.apart, key=sorted):
        total = Condition({}, len(group) - 2)
        for first, second in pairwise(sorted(group)):
            total -= _together(level, first, second)
        yield total
    for first, second in sorted(restrictions.never_before):
        apart = Condition({}) if level == 1 else _ONE - _together(level - 1, first, second)
        yield apart - _precedes(level, first, second)


def _between_levels(level: int, count: int) -> Iterator[Condition]:
    """What is apart at a level is apart, in the same order, at the next one."""
    for first, second in combinations(range(count), 2):
        yield _precedes(level + 1, first, second) - _precedes(level, first, second)
        yield _precedes(level + 1, second, first) - _precedes(level, second, first)
