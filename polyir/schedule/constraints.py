"""The input of a scheduler: statement instances, and relations between them.

It knows nothing of IR, arrays or loops: it is isl objects and names only, so that every scheduler
in this package can be called, tested and compared without a program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from polyir.base.diagnostics import PolyirError
from polyir.schedule.linear import Row, constraint_rows, rank
from polyir.sets.boxes import ends_of
from polyir.sets.lists import maps_of, sets_of, union_map


class SchedulingError(PolyirError):
    """There is no schedule of the requested form, or the scheduler did not find one."""

    name = "no-schedule"


@dataclass(frozen=True)
class ConditionalOrder:
    """Relations of live-range reordering for one array.

    `live_ranges` relates each write of the array to the reads of its value. `order` relates
    instances of which the first must run before the second, unless every live range that touches
    one of the two is kept inside one iteration of the loops that change the order. See
    Verdoolaege and Cohen, "Live-Range Reordering", 2016.
    """

    array: str
    live_ranges: isl.UnionMap
    order: isl.UnionMap


@dataclass(frozen=True)
class ScheduleConstraints:
    """What a schedule must respect and what it is judged by; the relations are those of isl.

    `domain` holds all statement instances and `context` what is known of the parameters.
    `validity` maps a source instance to every target instance that must come after it (flow,
    anti and output dependences, instance by instance). `proximity` maps instances whose distance
    should be small: usually the validity relation, and input dependences if reuse of read-only
    data counts too. `statements` names every statement, in program order. `coincidence` maps
    instances that must run in the same iteration of a loop if the loop is to be parallel.
    `conditional` is what live-range reordering leaves open; it is empty if all false dependences
    are in `validity`. See Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial
    Locality", 2017, section 3.1.
    """

    domain: isl.UnionSet
    context: isl.Set
    validity: isl.UnionMap
    proximity: isl.UnionMap
    statements: tuple[str, ...]
    coincidence: isl.UnionMap
    conditional: tuple[ConditionalOrder, ...] = ()

    @property
    def parameter_space(self) -> isl.Space:
        """The space of all parameters of all relations, in one order."""
        space = self.context.get_space().params()
        for part in (self.domain, self.validity, self.proximity, self.coincidence):
            space = space.align_params(part.get_space().params())
        return space

    def live_ranges(self) -> isl.UnionMap:
        """The live ranges of all arrays, each end tagged: `{ [S[i] -> A[]] -> [T[j] -> A[]] }`."""
        return self._tagged([(each.array, each.live_ranges) for each in self.conditional])

    def conditional_order(self) -> isl.UnionMap:
        """The conditional order of all arrays, tagged in the same way."""
        return self._tagged([(each.array, each.order) for each in self.conditional])

    def _tagged(self, relations: list[tuple[str, isl.UnionMap]]) -> isl.UnionMap:
        space = self.validity.get_space()
        tagged: list[isl.Map] = []
        for array, relation in relations:
            tag = isl.Set.universe(space.params().add_named_tuple_id_ui(isl.Id(array), 0))
            loop = isl.Map.identity(tag.get_space().map_from_set())
            tagged += [piece.product(loop) for piece in maps_of(relation)]
        return union_map(tagged, space)


@dataclass(frozen=True)
class ScheduledStatement:
    """A statement as the schedulers see it.

    `position` is its place in program order. `affine_hull` has the iterator coefficients of the
    equalities that hold for all its instances: the domain does not extend in these directions, so
    no schedule row is needed for them.
    """

    position: int
    name: str
    domain: isl.Set
    affine_hull: tuple[Row, ...]

    @property
    def depth(self) -> int:
        """The number of iterators."""
        return self.domain.dim(isl.dim_type.set)

    @cached_property
    def coefficient_bounds(self) -> tuple[int | None, ...]:
        """For each iterator, the largest coefficient that does not coalesce loops."""
        return coefficient_bounds(self.domain)


Spanned = Mapping[int, tuple[Row, ...]]
"""For each statement, by its position, the directions in which it needs no further row."""


def scheduled_statements(constraints: ScheduleConstraints) -> tuple[ScheduledStatement, ...]:
    """The statements of `constraints` in program order, restricted to its context.

    Raises `SchedulingError` if the domain has instances of a statement that is not named.
    """
    parameters = constraints.parameter_space
    context = constraints.context.align_params(parameters)
    by_name: dict[str, isl.Set] = {}
    for instances in sets_of(constraints.domain):
        piece = instances.align_params(parameters).intersect_params(context)
        by_name[piece.get_tuple_name() or ""] = piece
    for name in by_name:
        if name not in constraints.statements:
            raise SchedulingError(f"the domain contains unknown statement '{name}'")
    return tuple(
        ScheduledStatement(position, name, by_name[name], equality_directions(by_name[name]))
        for position, name in enumerate(each for each in constraints.statements if each in by_name)
    )


def equality_directions(domain: isl.Set) -> tuple[Row, ...]:
    """The iterator coefficients of the equalities that hold on `domain`.

    Equalities that need existentially quantified variables are left out.
    """
    equalities, _ = constraint_rows(domain.affine_hull().remove_divs())
    first = 1 + domain.dim(isl.dim_type.param)
    return tuple(row[first:] for row in equalities)


def rows_left(statements: Sequence[ScheduledStatement], spanned: Spanned) -> int:
    """The largest number of rows that any of `statements` still needs."""
    needs = (each.depth - rank(spanned[each.position], each.depth) for each in statements)
    return max(needs, default=0)


def coefficient_bounds(domain: isl.Set) -> tuple[int | None, ...]:
    """For each iterator of `domain`, the largest absolute value of a coefficient in a row.

    If an iterator j has at most 26 values, the row 26 i + j runs through all of (i, j). It
    respects any order, and so makes any two loops a permutable band. But its tiles are rows of
    the original loops, its large numbers make code generation slow, and the next loop inside has
    nothing to do. As isl does (option `treat_coalescing`), such rows are excluded by bounds: half
    the number of values of any other iterator, rounded up, for all parameters. There is no bound
    (`None`) if the numbers of values of all other iterators depend on unbounded parameters.
    """
    halves = [_half_extent(domain, position) for position in range(domain.dim(isl.dim_type.set))]
    bounds: list[int | None] = []
    for position in range(len(halves)):
        others = [*halves[:position], *halves[position + 1 :]]
        bounds.append(min((each for each in others if each is not None), default=None))
    return tuple(bounds)


def _half_extent(domain: isl.Set, position: int) -> int | None:
    """Half the number of values of an iterator, rounded up and at least 1; `None` if unbounded."""
    least, greatest = ends_of(domain, position)
    if least is None or greatest is None:
        return None
    return max((greatest - least + 2) // 2, 1)
