"""The integer program of one schedule row, which all schedulers of this package solve.

The unknowns are the coefficients of one row for every statement and, if distances are to be
bounded, the bound u.n + w on all of them. Farkas' lemma turns the conditions on dependences into
linear constraints. What differs between the schedulers is the objective, whether coefficients may
be negative, and which conditions are demanded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import lcm

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.schedule.constraints import ScheduledStatement, Spanned
from polyir.schedule.dependences import DependenceEdge
from polyir.schedule.farkas import Cone
from polyir.schedule.integer_program import Choice, lexicographic_minimum_of_choices
from polyir.schedule.linear import Row, matrix_of, orthogonal_complement, stacked
from polyir.schedule.tree import AffineRow, BoundedHyperplane, DistanceBound, Hyperplane

MINIMA_LIMIT = 400
"""How many integer programs one row may take, a round number.

A row that would need more is treated as one that does not exist. As this is a count, the result
does not depend on the machine. How long the whole search may take is up to the caller.
"""


class ObjectiveTerm(Enum):
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

    objective: tuple[ObjectiveTerm, ...]
    signed: bool
    parametric: bool


@dataclass(frozen=True)
class RowValue:
    """The value of a statement's row at a point, which may depend on the parameters.

    Each coordinate is a form (constant, coefficients of parameters) over the `denominator`.
    """

    position: int
    coordinates: tuple[Row, ...]
    denominator: int = 1


@dataclass(frozen=True)
class _Unknowns:
    """Integers: number k is the variable `positive[k]`, or `positive[k] - negative[k]`."""

    positive: tuple[int, ...]
    negative: tuple[int, ...] = ()

    @property
    def variables(self) -> tuple[int, ...]:
        return self.negative + self.positive

    def add_to(self, rows: Sequence[list[int]], factor: int) -> None:
        """Add `factor` times integer number k to `rows[k]`, for each k."""
        for row, variable in zip(rows, self.positive, strict=False):
            row[variable] += factor
        for row, variable in zip(rows, self.negative, strict=False):
            row[variable] -= factor

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
        self._parameter_count = parameter_count
        self._width = 0
        self._bound = _Unknowns(())
        self._terms: dict[ObjectiveTerm, int] = {}
        for term in form.objective:
            if term is ObjectiveTerm.BOUND_COEFFICIENTS:
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
        self._equalities: list[isl.Mat] = []
        self._inequalities: list[isl.Mat] = []
        self._solutions: isl.BasicSet | None = None
        self._distances: dict[tuple[int, int, int, bool, int], isl.Mat] = {}
        rows = self._rows.values()
        for term, variables in (
            (ObjectiveTerm.BOUND_SUM, self._bound.variables),
            (ObjectiveTerm.PARAMETER_SUM, [v for row in rows for v in row.parameters.variables]),
            (ObjectiveTerm.ITERATOR_SUM, [v for row in rows for v in row.iterators.variables]),
        ):
            if term in self._terms:
                entries = {self._terms[term]: -1, **dict.fromkeys(variables, 1)}
                self._equalities.append(self._constraint(entries))

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

    def limit_coefficients(self) -> None:
        """Exclude rows that coalesce loops (see `coefficient_bounds`)."""
        for statement in self._statements:
            iterators = self._rows[statement.position].iterators
            for variables in (iterators.positive, iterators.negative):
                # There are no negative parts without `signed`.
                for variable, bound in zip(variables, statement.coefficient_bounds, strict=False):
                    if bound is not None:
                        self._inequalities.append(self._constraint({variable: -1}, bound))
        self._solutions = None

    def add_edges(self, edges: Iterable[DependenceEdge], *, coincident: bool = False) -> None:
        """Demand of the row what `edges` ask for.

        Local edges get distance zero, and so do coincidence edges with `coincident`. On validity
        edges the distance is not negative, on proximity edges its absolute value is bounded, if
        the problem has a bound and the forms of the edge do.
        """
        has_bound = ObjectiveTerm.BOUND_CONSTANT in self._terms
        for edge in edges:
            if edge.local or (coincident and edge.coincidence):
                self._equalities += self._vanishing(edge)
                continue
            forms = [self._distance(edge)] if edge.validity else []
            if edge.proximity and has_bound and edge.forms.has_bounds:
                forms.append(self._distance(edge, -1, bounded=True))
                if not edge.validity:
                    forms.append(self._distance(edge, bounded=True))
            for form in forms:
                self._equalities.append(edge.forms.equality_matrix.product(form))
                self._inequalities.append(edge.forms.inequality_matrix.product(form))
        self._solutions = None

    def _vanishing(self, edge: DependenceEdge) -> list[isl.Mat]:
        """Equalities that say that the distance is zero.

        The zero forms are those in the cone of non-negative forms whose negative is there too.
        """
        form = self._distance(edge)
        matrices = (edge.forms.equality_matrix, edge.forms.inequality_matrix)
        return [matrix.product(form) for matrix in matrices]

    def _distance(
        self, edge: DependenceEdge, sign: int = 1, *, bounded: bool = False, less: int = 0
    ) -> isl.Mat:
        """`sign` times the distance, plus u.n + w if `bounded`, minus `less`, as a matrix.

        It has a row for each coefficient of the form (see `NonNegativeForms`) and a column for
        each unknown, and a last one for constants.
        """
        # It depends on the two statements alone.
        key = (edge.source, edge.target, sign, bounded, less)
        if key not in self._distances:
            rows = self._distance_rows(edge, sign)
            rows[0][-1] = -less
            if bounded:
                rows[0][self._terms[ObjectiveTerm.BOUND_CONSTANT]] += 1
                self._bound.add_to(rows[1:], 1)
            self._distances[key] = matrix_of(rows, self._width + 1)
        return self._distances[key]

    def _distance_rows(self, edge: DependenceEdge, sign: int) -> list[list[int]]:
        """The entries of the matrix of `sign` times the distance."""
        forms = edge.forms
        first_source = 1 + forms.parameter_count
        first_target = first_source + forms.source_depth
        rows = [[0] * (self._width + 1) for _ in range(forms.width)]
        for position, factor, first in (
            (edge.target, sign, first_target),
            (edge.source, -sign, first_source),
        ):
            unknowns = self._rows[position]
            rows[0][unknowns.constant] += factor
            unknowns.parameters.add_to(rows[1:], factor)
            unknowns.iterators.add_to(rows[first:], factor)
        return rows

    # Conditions for one solution

    def at_most(self, term: ObjectiveTerm, value: int) -> isl.BasicSet:
        """A term of the objective, which is a single unknown, is at most `value`."""
        return self._polyhedron([], [self._constraint({self._terms[term]: -1}, value)])

    def zero_distance(self, edges: Iterable[DependenceEdge]) -> isl.BasicSet:
        """All distances of `edges` are zero."""
        return self._polyhedron([each for edge in edges for each in self._vanishing(edge)], [])

    def carried(self, edges: Iterable[DependenceEdge], sign: int = 1) -> isl.BasicSet:
        """All distances of `edges`, times `sign`, are at least 1."""
        forms = [(edge.forms, self._distance(edge, sign, less=1)) for edge in edges]
        return self._polyhedron(
            [each.equality_matrix.product(form) for each, form in forms],
            [each.inequality_matrix.product(form) for each, form in forms],
        )

    def partly_carried(self, edges: Iterable[DependenceEdge]) -> isl.BasicSet:
        """Some validity edge has a distance that is not zero everywhere.

        By Farkas' lemma a distance that is nowhere negative is a non-negative combination of
        facets of its cone, and zero everywhere only if its product with each of them is zero.
        """
        products = [
            each.forms.inequality_matrix.product(self._distance(each))
            for each in edges
            if each.validity
        ]
        facets = stacked([*products, self._constraint({}, -1)], self._width + 1)
        ones = matrix_of([[1] * facets.rows()], facets.rows())
        return self._polyhedron([], [ones.product(facets)])

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
                choices.append((self._at_least_one(statement.position, 1, total),))
            else:
                choices.append(
                    tuple(
                        self._at_least_one(statement.position, sign, row)
                        for row in complement
                        for sign in (1, -1)
                    )
                )
        return choices

    def permutes(self, position: int, iterator: int) -> isl.BasicSet:
        """A statement's row has one iterator, whose coefficient is positive."""
        iterators = self._rows[position].iterators
        kept = iterators.positive[iterator]
        others = [each for each in iterators.variables if each != kept]
        equalities = [self._constraint({variable: 1}) for variable in others]
        return self._polyhedron(equalities, [self._constraint({kept: 1}, -1)])

    def apart_by(
        self, later: RowValue, earlier: RowValue, least: int, parameters: Cone
    ) -> isl.BasicSet:
        """One value of a row minus another one, maybe of another row, is at least `least`.

        That holds for all `parameters`, given as the cone of the forms that are not negative.
        """
        width = self._width + 1
        scale = lcm(later.denominator, earlier.denominator)
        rows = [[0] * width for _ in range(1 + self._parameter_count)]
        rows[0][-1] = -least * scale
        for value, sign in ((later, 1), (earlier, -1)):
            unknowns = self._rows[value.position]
            rows[0][unknowns.constant] += sign * scale
            unknowns.parameters.add_to(rows[1:], sign * scale)
            factor = sign * scale // value.denominator
            for iterator, coordinate in enumerate(value.coordinates):
                for row, entry in zip(rows, coordinate, strict=True):
                    row[unknowns.iterators.positive[iterator]] += factor * entry
                    if unknowns.iterators.negative:
                        row[unknowns.iterators.negative[iterator]] -= factor * entry
        form = matrix_of(rows, width)
        equalities, inequalities = (matrix_of(part, len(rows)) for part in parameters)
        return self._polyhedron([equalities.product(form)], [inequalities.product(form)])

    def _at_least_one(self, position: int, sign: int, vector: Row) -> isl.BasicSet:
        """`sign` times the product of `vector` with a statement's coefficients is at least 1."""
        iterators = self._rows[position].iterators
        entries = dict(zip(iterators.positive, (sign * entry for entry in vector), strict=True))
        entries |= zip(iterators.negative, (-sign * entry for entry in vector), strict=False)
        return self._polyhedron([], [self._constraint(entries, -1)])

    def _constraint(self, entries: Mapping[int, int], constant: int = 0) -> isl.Mat:
        row = [0] * (self._width + 1)
        for variable, entry in entries.items():
            row[variable] = entry
        row[-1] = constant
        return matrix_of([row], self._width + 1)

    def _polyhedron(
        self, equalities: Sequence[isl.Mat], inequalities: Sequence[isl.Mat]
    ) -> isl.BasicSet:
        kinds = isl.dim_type
        return isl.BasicSet.from_constraint_matrices(
            isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, self._width),
            stacked(equalities, self._width + 1),
            stacked(inequalities, self._width + 1),
            *(kinds.set, kinds.div, kinds.param, kinds.cst),
        )

    # Solutions

    def solve(self, choices: Sequence[Choice]) -> BoundedHyperplane | None:
        """The best row that meets one alternative of every choice, `None` if there is none."""
        if self._solutions is None:
            polyhedron = self._polyhedron(self._equalities, self._inequalities)
            orthant = isl.BasicSet.positive_orthant(polyhedron.get_space())
            self._solutions = _without_redundancies(orthant.intersect(polyhedron))
        solution = lexicographic_minimum_of_choices(self._solutions, choices, MINIMA_LIMIT)
        if solution is None:
            return None
        bound = None
        if ObjectiveTerm.BOUND_CONSTANT in self._terms:
            constant = solution[self._terms[ObjectiveTerm.BOUND_CONSTANT]]
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


def _without_redundancies(points: isl.BasicSet) -> isl.BasicSet:
    """The same points by fewer constraints, unless it takes too long to find the others.

    Each minimum then takes a fraction of the steps, and some would not end at all.
    """
    entries = (points.dim(isl.dim_type.set) + 1) * (points.n_constraint() + 1)
    budget = budgets.REDUNDANT_CONSTRAINTS.scaled(divisor=entries)
    found = within_operations(budget, points.remove_redundancies)
    return points if found is None else found
