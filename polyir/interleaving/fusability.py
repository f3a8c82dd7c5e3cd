"""Which statements can share their next loop, by a schedule row for all of them.

Pouchet et al., "Loop Transformations: Convexity, Pruning and Optimization", 2011: the general
check of fusability, with the vertices of domains, for rows of any kind (section 3), and the one for
rows without negative coefficients, with a bound on the shift (section 4.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import lcm
from typing import Final, Literal

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.schedule.components import Component, Pair, strongly_connected_components
from polyir.schedule.constraints import ScheduledStatement, Spanned
from polyir.schedule.dependences import DependenceGraph
from polyir.schedule.farkas import Cone, dual_cone
from polyir.schedule.integer_program import Choice
from polyir.schedule.isl_style import PROXIMITY_FORM
from polyir.schedule.linear import Row
from polyir.schedule.pluto import HYPERPLANE_OBJECTIVE
from polyir.schedule.row_problem import RowForm, RowProblem, RowValue
from polyir.schedule.tree import BoundedHyperplane
from polyir.sets.values import isl_value

RowKind = Literal["forward", "any"]
"""The rows by which statements may be fused.

`forward`: coefficients of iterators are not negative, and those of parameters are zero. `any`:
iterators may run backward, and parameters may shift statements.
"""

LARGE: Final = 16
"""Statements are fused if they are for all parameters that are at least this."""


@dataclass(frozen=True)
class FusionOptions:
    """When statements count as fused.

    With `forward` rows, the first iterations of any two statements differ by at most `shift` in
    the common loop. With `any` rows, some iteration of each runs before some iteration of the
    other. Raises `OptionError` for a negative `shift`.
    """

    rows: RowKind = "forward"
    shift: int = 16

    def __post_init__(self) -> None:
        if self.shift < 0:
            raise OptionError(f"shift must be 0 or more: shift={self.shift}")


class Fusability:
    """Decides which of some statements can share their next loop.

    `graph` has the dependences that the loops around it leave, and `spanned` the rows of those.
    Statements in a common cycle of dependences must share a loop; what is asked of a pair is asked
    only of those that could be apart.
    """

    def __init__(
        self,
        statements: Mapping[int, ScheduledStatement],
        context: isl.Set,
        graph: DependenceGraph,
        spanned: Spanned,
        options: FusionOptions,
    ) -> None:
        self._statements = statements
        self._context = context
        self.graph = graph
        self._spanned = spanned
        self._options = options
        self._problems: dict[Component, RowProblem] = {}
        self._rows: dict[object, BoundedHyperplane | None] = {}
        self._pairs: dict[Pair, frozenset[Pair]] = {}
        self._all_vertices: dict[int, tuple[_Vertex, ...]] = {}

    @cached_property
    def cycles(self) -> tuple[Component, ...]:
        """The strongly connected components of the statements, in topological order."""
        pairs = self.graph.ordered_pairs()
        return strongly_connected_components(tuple(self._statements), pairs)

    @cached_property
    def cycle_of(self) -> dict[int, int]:
        """For each statement, the number of its component."""
        return {each: number for number, cycle in enumerate(self.cycles) for each in cycle}

    def can_share(self, block: Component) -> bool:
        """Whether there is a row for all statements of a block under which they are fused."""
        return self.row(block) is not None

    def row(
        self, block: Component, loops: Mapping[int, int] | None = None
    ) -> BoundedHyperplane | None:
        """The best row of a block under which its statements are fused; `None` if there is none.

        With `loops`, the row of each of some statements has one iterator, which is given.
        """
        key = block, tuple(sorted((loops or {}).items()))
        if key not in self._rows:
            self._rows[key] = self._found(block, loops or {})
        return self._rows[key]

    def _found(self, block: Component, loops: Mapping[int, int]) -> BoundedHyperplane | None:
        if any(not self._statements[each].depth for each in block):
            return None
        problem = self._problem(block)
        # A row that is independent of nothing is one that is not constant.
        choices = problem.independence(dict.fromkeys(block, ()))
        choices += problem.independence(self._spanned)
        choices += [(problem.permutes(*each),) for each in loops.items()]
        for first, second in combinations(block, 2):
            if self.cycle_of[first] != self.cycle_of[second]:
                choices += self._fused(problem, first, second)
        return problem.solve(choices)

    def _problem(self, block: Component) -> RowProblem:
        if block not in self._problems:
            members = [self._statements[each] for each in block]
            form = RowForm(HYPERPLANE_OBJECTIVE, signed=False, parametric=False)
            if self._options.rows == "any":
                form = PROXIMITY_FORM
            problem = RowProblem(members, self._parameter_count, form)
            problem.limit_coefficients()
            problem.add_edges(self.graph.within(block).edges)
            self._problems[block] = problem
        return self._problems[block]

    @property
    def _parameter_count(self) -> int:
        return int(self._context.dim(isl.dim_type.param))

    # What it means that two statements are fused

    def _fused(self, problem: RowProblem, first: int, second: int) -> list[Choice]:
        if self._options.rows == "forward":
            # Forward rows are least where all iterators are.
            starts = [_least_point(self._statements[each]) for each in (first, second)]
            return [
                (problem.apart_by(one, other, -self._options.shift, self._parameters),)
                for one, other in (starts, starts[::-1])
            ]
        return [
            tuple(
                problem.apart_by(later.value, earlier.value, 1, parameters)
                for later, earlier in product(self._vertices(one), self._vertices(other))
                if (parameters := later.parameters_with(earlier)) is not None
            )
            for one, other in ((first, second), (second, first))
        ]

    @cached_property
    def _parameters(self) -> Cone:
        """The forms that are not negative for all parameters."""
        return _forms_on(self._context)

    def _vertices(self, position: int) -> Sequence[_Vertex]:
        if position not in self._all_vertices:
            domain = self._statements[position].domain
            self._all_vertices[position] = tuple(_vertices_of(position, domain, self._context))
        return self._all_vertices[position]

    # Permutations

    def permutations(self, first: int, second: int) -> frozenset[Pair]:
        """The pairs of iterators, one of each statement, by which two statements are fused."""
        if (first, second) not in self._pairs:
            depths = (range(self._statements[each].depth) for each in (first, second))
            self._pairs[first, second] = frozenset(
                (one, other)
                for one, other in product(*depths)
                if self.row(tuple(sorted((first, second))), {first: one, second: other})
            )
        return self._pairs[first, second]

    def common_permutations(self, block: Component) -> Iterator[dict[int, int]]:
        """An iterator for each statement of a block, such that all its pairs can be fused by them.

        These are the compatible permutations of section 4.3. A block may be fused without them, by
        skewed rows, and shifts that suit all pairs need not suit the block: `row` decides.
        """
        chosen: dict[int, int] = {}

        def choose(number: int) -> Iterator[dict[int, int]]:
            if number == len(block):
                yield dict(chosen)
                return
            here = block[number]
            for iterator in range(self._statements[here].depth):
                others = block[:number]
                if all(
                    (chosen[each], iterator) in self.permutations(each, here) for each in others
                ):
                    chosen[here] = iterator
                    yield from choose(number + 1)
                    del chosen[here]

        return choose(0)


@dataclass(frozen=True)
class _Vertex:
    """A vertex of a domain, and the parameters for which it is one."""

    value: RowValue
    parameters: isl.Set

    def parameters_with(self, other: _Vertex) -> Cone | None:
        """The forms that are not negative where both are vertices; `None` if they never are."""
        both = self.parameters.intersect(other.parameters)
        return None if both.is_empty() else _forms_on(both)


def _vertices_of(position: int, domain: isl.Set, context: isl.Set) -> Iterator[_Vertex]:
    for piece in domain.get_basic_sets():
        found: list[isl.Vertex] = []
        piece.remove_divs().compute_vertices().foreach_vertex(found.append)
        for vertex in found:
            parameters = isl.Set.from_basic_set(vertex.get_domain()).params()
            parameters = _large(parameters.intersect(context))
            if not parameters.is_empty():
                yield _Vertex(_value_of(position, vertex.get_expr()), parameters)


def _large(parameters: isl.Set) -> isl.Set:
    for place in range(parameters.dim(isl.dim_type.param)):
        parameters = parameters.lower_bound_val(isl.dim_type.param, place, isl_value(LARGE))
    return parameters


def _value_of(position: int, point: isl.MultiAff) -> RowValue:
    coordinates = [_fractions(point.get_at(place)) for place in range(point.dim(isl.dim_type.out))]
    denominator = lcm(*(each.denominator for row in coordinates for each in row))
    return RowValue(
        position,
        tuple(tuple(int(denominator * each) for each in row) for row in coordinates),
        denominator,
    )


def _fractions(function: isl.Aff) -> tuple[Fraction, ...]:
    """The constant and the coefficients of the parameters."""
    parameter = isl.dim_type.param
    places = range(function.dim(parameter))
    coefficients = (function.get_coefficient_val(parameter, place) for place in places)
    return tuple(Fraction(each.to_str()) for each in (function.get_constant_val(), *coefficients))


def _least_point(statement: ScheduledStatement) -> RowValue:
    """The point whose coordinates are the least values of the iterators, if these are affine.

    Otherwise, a coordinate is zero.
    """
    kinds = isl.dim_type
    coordinates: list[Row] = []
    for iterator in range(statement.depth):
        pieces = [each for _, each in statement.domain.dim_min(iterator).get_pieces()]
        row: Row = (0,) * (1 + statement.domain.dim(kinds.param))
        if len(pieces) == 1 and not pieces[0].dim(kinds.div):
            row = tuple(map(int, _fractions(pieces[0])))
        coordinates.append(row)
    return RowValue(statement.position, tuple(coordinates))


def _forms_on(parameters: isl.Set) -> Cone:
    """The affine forms of the parameters that are not negative for some of their values."""
    hull = parameters.from_params().simple_hull().remove_divs().remove_redundancies()
    cone = dual_cone(hull)
    assert cone is not None, "contexts have few constraints"
    return cone
