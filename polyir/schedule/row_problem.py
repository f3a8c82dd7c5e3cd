"""The integer program of one schedule row, which all schedulers of this package solve.

The unknowns are the coefficients of one row for every statement and, if distances are to be
bounded, the bound u.n + w on all of them. Farkas' lemma turns the conditions on dependences into
linear constraints. What differs between the schedulers is the objective, whether coefficients may
be negative, and which conditions are demanded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from polyir.schedule.constraints import ScheduledStatement, Spanned
from polyir.schedule.dependences import DependenceEdge
from polyir.schedule.integer_program import (
    Choice,
    Constraints,
    IntegerProgram,
    lexicographic_minimum_of_choices,
)
from polyir.schedule.linear import Row, orthogonal_complement
from polyir.schedule.tree import AffineRow, BoundedHyperplane, DistanceBound, Hyperplane

MINIMA_LIMIT = 400
"""How many integer programs one row may take; reached only with many skewed statements."""


class Term(Enum):
    """What an objective is made of. Sums are of absolute values."""

    BOUND_SUM = auto()
    """The sum of u, the bound's coefficients of parameters."""
    BOUND_COEFFICIENTS = auto()
    """Each entry of u."""
    BOUND_CONSTANT = auto()
    """The bound's constant w."""
    PARAMETER_SUM = auto()
    """The sum of all rows' coefficients of parameters."""
    ITERATOR_SUM = auto()
    """The sum of all rows' coefficients of iterators."""


@dataclass(frozen=True)
class RowForm:
    """Which rows are considered, and which of them is preferred.

    The terms of `objective` are minimised in this order, and after them the coefficients of each
    statement: those of parameters, then those of iterators, innermost first, then the constant.
    Innermost first makes an outer loop the preferred one among equals, so that the original order
    of the loops is kept where the dependences leave a choice.

    With `signed`, coefficients of iterators may be negative; each is the difference of two
    unknowns. With `parametric`, rows have coefficients of parameters, and the bound may have
    negative ones. Those of the rows and the constants are never negative, for only their
    differences between statements matter.
    """

    objective: tuple[Term, ...]
    signed: bool
    parametric: bool


@dataclass(frozen=True)
class _Unknowns:
    """Integers: number k is the variable `positive[k]`, or `positive[k] - negative[k]`."""

    positive: tuple[int, ...]
    negative: tuple[int, ...] = ()

    @property
    def variables(self) -> tuple[int, ...]:
        return self.negative + self.positive

    def add_product(self, row: list[int], factor: int, entries: Sequence[int]) -> None:
        """Add `factor` times the product of the integers with `entries` to a constraint."""
        for variable, entry in zip(self.positive, entries, strict=True):
            row[variable] += factor * entry
        if self.negative:
            for variable, entry in zip(self.negative, entries, strict=True):
                row[variable] -= factor * entry

    def values(self, solution: Row) -> Row:
        if not self.negative:
            return tuple(solution[variable] for variable in self.positive)
        pairs = zip(self.positive, self.negative, strict=True)
        return tuple(solution[positive] - solution[negative] for positive, negative in pairs)


@dataclass(frozen=True)
class _RowUnknowns:
    """The unknowns of one statement's row; the iterators' in the order of the iterators."""

    parameters: _Unknowns
    iterators: _Unknowns
    constant: int


class RowProblem:
    """The integer program for one row of `statements`, to which conditions are added."""

    def __init__(
        self, statements: Sequence[ScheduledStatement], parameter_count: int, form: RowForm
    ) -> None:
        self._statements = tuple(statements)
        self._form = form
        self._width = 0
        self._bound = _Unknowns(())
        self._terms: dict[Term, int] = {}
        for term in form.objective:
            if term is Term.BOUND_COEFFICIENTS:
                self._bound = self._unknowns(parameter_count, signed=form.parametric)
            else:
                (self._terms[term],) = self._variables(1)
        self._rows: dict[int, _RowUnknowns] = {}
        for statement in statements:
            parameters = self._unknowns(parameter_count if form.parametric else 0, signed=False)
            inner_first = self._unknowns(statement.depth, signed=form.signed)
            iterators = _Unknowns(inner_first.positive[::-1], inner_first.negative[::-1])
            (constant,) = self._variables(1)
            self._rows[statement.position] = _RowUnknowns(parameters, iterators, constant)
        self._program = IntegerProgram(self._width)
        rows = self._rows.values()
        for term, variables in (
            (Term.BOUND_SUM, self._bound.variables),
            (Term.PARAMETER_SUM, [v for row in rows for v in row.parameters.variables]),
            (Term.ITERATOR_SUM, [v for row in rows for v in row.iterators.variables]),
        ):
            if term in self._terms:
                self._program.add_sum(self._terms[term], variables)

    def _variables(self, count: int) -> tuple[int, ...]:
        first = self._width
        self._width += count
        return tuple(range(first, self._width))

    def _unknowns(self, count: int, *, signed: bool) -> _Unknowns:
        if not signed:
            return _Unknowns(self._variables(count))
        variables = self._variables(2 * count)
        return _Unknowns(variables[1::2], variables[::2])

    # Conditions that always hold

    def bound_coefficients(self) -> None:
        """Exclude rows that coalesce loops (see `coefficient_bounds`)."""
        for statement in self._statements:
            iterators = self._rows[statement.position].iterators
            for variables in (iterators.positive, iterators.negative):
                if variables:
                    self._program.add_upper_bounds(variables, statement.coefficient_bounds)

    def add_edges(self, edges: Iterable[DependenceEdge], *, coincident: bool = False) -> None:
        """Demand of the row what `edges` ask for.

        Local edges get distance zero, and so do coincidence edges with `coincident`. On validity
        edges the distance is not negative, on proximity edges its absolute value is bounded, if
        the problem has a bound.
        """
        has_bound = Term.BOUND_CONSTANT in self._terms
        for edge in edges:
            if edge.local or (coincident and edge.coincidence):
                # The zero forms are those in the cone whose negative is there too.
                for row in (*edge.forms.equalities, *edge.forms.inequalities):
                    self._program.add_equality(self._distance(edge, row))
                continue
            if edge.validity:
                self._demand_non_negative(edge, 1, bounded=False)
            if edge.proximity and has_bound:
                self._demand_non_negative(edge, -1, bounded=True)
                if not edge.validity:
                    self._demand_non_negative(edge, 1, bounded=True)

    def _demand_non_negative(self, edge: DependenceEdge, sign: int, *, bounded: bool) -> None:
        """Demand that `sign` times the distance, plus u.n + w if `bounded`, is not negative."""
        for rows, add in (
            (edge.forms.equalities, self._program.add_equality),
            (edge.forms.inequalities, self._program.add_inequality),
        ):
            for row in rows:
                constraint = self._distance(edge, row, sign)
                if bounded:
                    constant, parameters, _, _ = edge.forms.parts(row)
                    constraint[self._terms[Term.BOUND_CONSTANT]] += constant
                    self._bound.add_product(constraint, 1, parameters)
                add(constraint)

    def _distance(self, edge: DependenceEdge, row: Row, sign: int = 1) -> list[int]:
        """The product of a row of the cone of `edge` with `sign` times the distance.

        The last entry of the result, the constant, is zero.
        """
        constant, parameters, source, target = edge.forms.parts(row)
        result = [0] * (self._width + 1)
        for position, factor, iterators in (
            (edge.target, sign, target),
            (edge.source, -sign, source),
        ):
            unknowns = self._rows[position]
            result[unknowns.constant] += factor * constant
            unknowns.iterators.add_product(result, factor, iterators)
            if self._form.parametric:
                unknowns.parameters.add_product(result, factor, parameters)
        return result

    # Conditions for one solution

    def at_most(self, term: Term, value: int) -> Constraints:
        """A term of the objective, which is a single unknown, is at most `value`."""
        row = [0] * (self._width + 1)
        row[self._terms[term]], row[-1] = -1, value
        return (tuple(row),)

    def zero_distance(self, edges: Iterable[DependenceEdge]) -> Constraints:
        """All distances of `edges` are zero."""
        return tuple(
            tuple(self._distance(edge, row, sign))
            for edge in edges
            for row in (*edge.forms.equalities, *edge.forms.inequalities)
            for sign in (1, -1)
        )

    def carried(self, edges: Iterable[DependenceEdge], sign: int = 1) -> Constraints:
        """All distances of `edges`, times `sign`, are at least 1."""
        constraints: list[Row] = []
        for edge in edges:
            for row in edge.forms.inequalities:
                form = self._distance(edge, row, sign)
                constraints.append((*form[:-1], -row[0]))
            for row in edge.forms.equalities:
                for side in (1, -1):
                    form = self._distance(edge, row, side * sign)
                    constraints.append((*form[:-1], -side * row[0]))
        return tuple(dict.fromkeys(constraints))

    def partly_carried(self, edges: Iterable[DependenceEdge]) -> Constraints:
        """Some validity edge has a distance that is not zero everywhere.

        By Farkas' lemma a distance that is nowhere negative is a non-negative combination of
        facets of its cone, and zero everywhere only if its product with each of them is zero.
        """
        total = [0] * (self._width + 1)
        for edge in edges:
            if edge.validity:
                for row in edge.forms.inequalities:
                    total = [a + b for a, b in zip(total, self._distance(edge, row), strict=True)]
        total[-1] = -1
        return (tuple(total),)

    def independence(self, spanned: Spanned, needing: int | None = None) -> list[Choice]:
        """For each statement that needs a row, the ways in which the row is a new one.

        Its product with some vector of the orthogonal complement of what is `spanned` must not be
        zero, with either sign (Bondhugula et al., 2007, section 4.1, needs both). If the products
        cannot be negative, one constraint on their sum is enough. With `needing`, nothing is
        asked of statements that need another number of rows.
        """
        choices: list[Choice] = []
        for statement in self._statements:
            complement = orthogonal_complement(spanned[statement.position], statement.depth)
            if not complement or needing not in (None, len(complement)):
                continue
            if not self._form.signed and all(entry >= 0 for row in complement for entry in row):
                total = tuple(map(sum, zip(*complement, strict=True)))
                choices.append(((self._at_least_one(statement.position, 1, total),),))
            else:
                choices.append(
                    tuple(
                        (self._at_least_one(statement.position, sign, row),)
                        for row in complement
                        for sign in (1, -1)
                    )
                )
        return choices

    def _at_least_one(self, position: int, sign: int, vector: Row) -> Row:
        result = [0] * (self._width + 1)
        self._rows[position].iterators.add_product(result, sign, vector)
        result[-1] = -1
        return tuple(result)

    # Solutions

    def solve(self, choices: Sequence[Choice]) -> BoundedHyperplane | None:
        """The best row that meets one alternative of every choice, `None` if there is none."""
        solution = lexicographic_minimum_of_choices(self._program, choices, MINIMA_LIMIT)
        if solution is None:
            return None
        bound = None
        if Term.BOUND_CONSTANT in self._terms:
            constant = solution[self._terms[Term.BOUND_CONSTANT]]
            bound = DistanceBound(self._bound.values(solution), constant)
        return BoundedHyperplane(self._hyperplane(solution), bound)

    def _hyperplane(self, solution: Row) -> Hyperplane:
        return {
            position: AffineRow(
                row.iterators.values(solution),
                solution[row.constant],
                row.parameters.values(solution),
            )
            for position, row in self._rows.items()
        }
