"""The unknowns of schedule rows with coefficients of either sign, and of parameters.

Paper 001, section 3.2: an iterator's coefficient c is the difference c+ - c- of two
non-negative unknowns. Coefficients of parameters and constants stay non-negative, since only
their differences between statements matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polyir.schedule.dependences import Dependence
from polyir.schedule.integer_program import Constraints, IntegerProgram
from polyir.schedule.linear import Row
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.tree import AffineRow, Hyperplane


@dataclass(frozen=True)
class RowColumns:
    """The columns of one statement's row; the iterators' ones in the order of the iterators."""

    parameters: tuple[int, ...]
    negative: tuple[int, ...]
    positive: tuple[int, ...]
    constant: int

    @property
    def iterators(self) -> tuple[int, ...]:
        """All columns of parts of iterator coefficients."""
        return self.negative + self.positive


class SignedRows:
    """An integer program whose unknowns are `leading` ones and then a row for each statement.

    The rows come behind the leading unknowns, in the order of the statements: the coefficients
    of parameters, then for each iterator, the last one first, its negative and its positive
    part, then the constant. So where all else is equal the lexicographic minimum prefers
    coefficients that are positive and belong to outer loops.
    """

    def __init__(
        self, statements: Sequence[ScheduledStatement], parameter_count: int, leading: int
    ) -> None:
        self.columns: dict[int, RowColumns] = {}
        start = leading
        for statement in statements:
            depth = statement.depth
            parameters = tuple(range(start, start + parameter_count))
            start += parameter_count
            negative = tuple(start + 2 * (depth - 1 - iterator) for iterator in range(depth))
            positive = tuple(column + 1 for column in negative)
            start += 2 * depth
            self.columns[statement.position] = RowColumns(parameters, negative, positive, start)
            start += 1
        self.program = IntegerProgram(start)

    @property
    def width(self) -> int:
        """The number of unknowns."""
        return self.program.width

    def define_sum(self, total: int, columns: Iterable[int]) -> None:
        """Make the unknown `total` the sum of the unknowns `columns`."""
        row = [0] * (self.width + 1)
        row[total] = -1
        for column in columns:
            row[column] += 1
        self.program.add_equality(row)

    def define_coefficient_sums(self, parameters: int, iterators: int) -> None:
        """Two leading unknowns: the sums of all coefficients, taken without their signs."""
        self.define_sum(parameters, (c for each in self.columns.values() for c in each.parameters))
        self.define_sum(iterators, (c for each in self.columns.values() for c in each.iterators))

    def limit_coefficients(self, statements: Sequence[ScheduledStatement]) -> None:
        """Keep coefficients below those that coalesce loops."""
        for statement in statements:
            columns = self.columns[statement.position]
            self.program.limit(columns.positive, statement.coefficient_limits)
            self.program.limit(columns.negative, statement.coefficient_limits)

    def distance_row(self, dependence: Dependence, row: Row, sign: int = 1) -> list[int]:
        """The product of a row of the cone of `dependence` with `sign` times the distance.

        The last entry of the result, the constant, is zero.
        """
        forms = dependence.forms
        first_source = 1 + forms.parameter_count
        first_target = first_source + forms.source_depth
        result = [0] * (self.width + 1)
        for position, factor, iterators in (
            (dependence.target, sign, row[first_target:]),
            (dependence.source, -sign, row[first_source:first_target]),
        ):
            columns = self.columns[position]
            result[columns.constant] += factor * row[0]
            for column, entry in zip(columns.parameters, row[1:first_source], strict=True):
                result[column] += factor * entry
            self._add_iterators(result, position, factor, iterators)
        return result

    def demand_zero_distance(self, dependence: Dependence) -> None:
        """Let the distance of `dependence` be zero.

        Zero forms are those in the cone together with their negative.
        """
        for row in (*dependence.forms.equalities, *dependence.forms.inequalities):
            self.program.add_equality(self.distance_row(dependence, row))

    def demand_order(self, dependence: Dependence) -> None:
        """Let the distance of `dependence` be nowhere negative."""
        for row in dependence.forms.equalities:
            self.program.add_equality(self.distance_row(dependence, row))
        for row in dependence.forms.inequalities:
            self.program.add_inequality(self.distance_row(dependence, row))

    def zero_distance(self, dependence: Dependence) -> Constraints:
        """The demand that the distance of `dependence` is zero, as inequalities."""
        rows = (*dependence.forms.equalities, *dependence.forms.inequalities)
        return tuple(
            tuple(self.distance_row(dependence, row, sign)) for row in rows for sign in (1, -1)
        )

    def at_least_one(self, dependence: Dependence, sign: int = 1) -> Constraints:
        """The demand that `sign` times the distance of `dependence` is at least 1 everywhere."""
        constraints: list[Row] = []
        for row in dependence.forms.inequalities:
            constraints.append(_less_one(self.distance_row(dependence, row, sign), row[0]))
        for row in dependence.forms.equalities:
            for side in (1, -1):
                form = self.distance_row(dependence, row, side * sign)
                constraints.append(_less_one(form, side * row[0]))
        return tuple(constraints)

    def non_zero(self, position: int, vectors: Sequence[Row]) -> tuple[Constraints, ...]:
        """The alternatives that make the product with some vector positive, or negative."""
        return tuple(
            (self._at_least_one(position, sign, vector),) for vector in vectors for sign in (1, -1)
        )

    def decode(self, solution: Row) -> Hyperplane:
        """The rows of a solution."""
        return {
            position: AffineRow(
                tuple(
                    solution[positive] - solution[negative]
                    for positive, negative in zip(columns.positive, columns.negative, strict=True)
                ),
                solution[columns.constant],
                tuple(solution[column] for column in columns.parameters),
            )
            for position, columns in self.columns.items()
        }

    def _add_iterators(
        self, result: list[int], position: int, factor: int, iterators: Sequence[int]
    ) -> None:
        columns = self.columns[position]
        parts = zip(columns.positive, columns.negative, iterators, strict=True)
        for positive, negative, entry in parts:
            result[positive] += factor * entry
            result[negative] -= factor * entry

    def _at_least_one(self, position: int, sign: int, vector: Row) -> Row:
        result = [0] * (self.width + 1)
        self._add_iterators(result, position, sign, vector)
        result[-1] = -1
        return tuple(result)


def _less_one(constraint: list[int], factor: int) -> Row:
    """A constraint on the form `distance` as one on `distance - 1`."""
    constraint[-1] -= factor
    return tuple(constraint)
