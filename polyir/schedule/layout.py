"""Which column of a hyperplane's integer program holds which unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyir.schedule.farkas import NonNegativeForms
from polyir.schedule.linear import Row


@dataclass(frozen=True)
class StatementColumns:
    """The columns of one statement's row: positive and negative parts, and the constant.

    `negative` is empty where coefficients are not negative.
    """

    positive: tuple[int, ...]
    negative: tuple[int, ...]
    constant: int


class Layout:
    """Which column of the integer program holds which unknown.

    The columns are, in the order in which they are minimised: the sum of u, u, w, then for each
    statement its iterator coefficients, innermost first, and its constant. Innermost first makes
    an outer loop the preferred one among equals, so that the original order is kept where the
    dependences do not care. With `signed`, a coefficient is the difference of two unknowns of
    which the negative part is minimised first. Statements are known by their position; `depths`
    gives their numbers of iterators.
    """

    def __init__(
        self, parameter_count: int, depths: Mapping[int, int], *, signed: bool = False
    ) -> None:
        self.bound_sum = 0
        self.bound_coefficients = tuple(range(1, 1 + parameter_count))
        self.bound_constant = 1 + parameter_count
        self.rows: dict[int, StatementColumns] = {}
        start = self.bound_constant + 1
        for position, depth in depths.items():
            inner_first = tuple(range(start + depth - 1, start - 1, -1))
            start += depth
            if signed:
                positive = tuple(column + depth for column in inner_first)
                start += depth
                self.rows[position] = StatementColumns(positive, inner_first, start)
            else:
                self.rows[position] = StatementColumns(inner_first, (), start)
            start += 1
        self.width = start

    def embedding(self, part: Layout) -> tuple[int, ...]:
        """For each column of `part`, a layout of some of the statements, the column here."""
        image = list(range(part.bound_constant + 1))
        for position in part.rows:
            columns = self.rows[position]
            image += [*sorted(columns.positive + columns.negative), columns.constant]
        return tuple(image)

    def add_row(
        self, result: list[int], position: int, sign: int, iterators: Sequence[int], constant: int
    ) -> None:
        """Add `sign` times the product of (iterators, constant) with a statement's row."""
        columns = self.rows[position]
        for column, entry in zip(columns.positive, iterators, strict=True):
            result[column] += sign * entry
        if columns.negative:
            for column, entry in zip(columns.negative, iterators, strict=True):
                result[column] -= sign * entry
        result[columns.constant] += sign * constant

    def distance_row(
        self,
        forms: NonNegativeForms,
        row: Row,
        source: int,
        target: int,
        *,
        sign: int,
        bounded: bool,
    ) -> list[int]:
        """A constraint on the coefficients of an affine form as one on the unknowns.

        The form is `sign` times the distance phi_target - phi_source, plus u.n + w if `bounded`;
        `row` is a constraint of `forms`. The last entry of the result, the constant, is zero.
        """
        constant, source_first = row[0], 1 + forms.parameter_count
        target_first = source_first + forms.source_depth
        result = [0] * (self.width + 1)
        self.add_row(result, target, sign, row[target_first:], constant)
        self.add_row(result, source, -sign, row[source_first:target_first], constant)
        if bounded:
            result[self.bound_constant] += constant
            for column, entry in zip(self.bound_coefficients, row[1:source_first], strict=True):
                result[column] += entry
        return result
