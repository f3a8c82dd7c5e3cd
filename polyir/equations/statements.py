"""The statements that compute a system, and what must run before what."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from types import MappingProxyType
from typing import Final

import islpy as isl

from polyir.equations.pieces import Definition, Piece, ReducedPiece
from polyir.equations.system import Constant, Dependence, Expression, Variable
from polyir.model.scop import unique_name
from polyir.sets.hulls import coalesced

Shared = Mapping[str, Collection[str]]
"""Outputs that are in the memory of inputs, with these."""

NOTHING_SHARED: Final[Shared] = MappingProxyType({})


class Effect(Enum):
    """What a statement does with its value and the element that it writes."""

    STORE = "stores the value"
    START = "stores the identity of the operator, which is its value"
    COMBINE = "stores the operator's value of the element and the value"


@dataclass(frozen=True)
class Computation:
    """A statement, which at each point of `domain`, whose tuple has its name, computes a value.

    It writes the element of `variable` to which `target` maps the point. `operator` is that of the
    reduction of which it is part, and `reduction` the number of that among all.
    """

    name: str
    variable: str
    domain: isl.Set
    target: isl.MultiAff
    value: Expression
    effect: Effect = Effect.STORE
    operator: str = ""
    is_external: bool = False
    reduction: int | None = None

    @property
    def writes(self) -> isl.Map:
        """From its points to those of the variable."""
        return _from_points(self.domain, self.target)

    @property
    def reads(self) -> Iterator[tuple[str, isl.Map]]:
        """The variables that its value has, each with a relation from points to its points."""
        for each in self.value.walk():
            if isinstance(each, Dependence) and isinstance(each.operand, Variable):
                yield each.operand.name, _from_points(self.domain, each.function)

    def restricted(self, name: str, domain: isl.Set) -> Computation:
        """The part of the statement at the points of `domain`, by another name."""
        return replace(self, name=name, domain=domain.set_tuple_name(name))


@dataclass(frozen=True)
class Computations:
    """The statements of a system, and `{ S[i] -> T[j] }`: S[i] must run before T[j]."""

    statements: tuple[Computation, ...]
    order: isl.UnionMap

    def split(self, parts: dict[str, Sequence[isl.Set]]) -> Computations:
        """The same with some statements divided into parts, whose domains are disjoint."""
        taken = {each.name for each in self.statements}
        renamed = isl.UnionMap.empty(self.order.get_space())
        statements: list[Computation] = []
        for each in self.statements:
            pieces = [each]
            if each.name in parts:
                names = _numbered(each.name, len(parts[each.name]), taken)
                pieces = [
                    each.restricted(name, domain)
                    for name, domain in zip(names, parts[each.name], strict=True)
                ]
            for piece in pieces:
                old = piece.domain.set_tuple_name(each.name)
                identity = old.identity().set_tuple_name(isl.dim_type.out, piece.name)
                renamed = renamed.union(isl.UnionMap.from_map(identity))
            statements += pieces
        order = self.order.apply_domain(renamed).apply_range(renamed)
        return Computations(tuple(statements), order)


def computations_of(
    definitions: Sequence[Definition],
    context: isl.Set,
    shared: Shared = NOTHING_SHARED,
) -> Computations:
    """The statements that compute the variables, for the parameters in `context`.

    An element of memory that variables are `shared` in is read before it is written.

    A reduction has statements that store the operator's identity and ones that combine, in
    lexicographic order of the points of its body. One by an external function starts with the first
    value instead.
    """
    planner = _Planner({each.variable.name for each in definitions}, context)
    for definition in definitions:
        planner.add(definition)
    planner.order_by_flow()
    for _, relation in overwritten(planner.statements, shared):
        planner.order_pairs(relation)
    return Computations(tuple(planner.statements), planner.order.coalesce())


class _Planner:
    """The statements so far, and their order."""

    def __init__(self, variables: set[str], context: isl.Set) -> None:
        self.statements: list[Computation] = []
        self.order = isl.UnionMap.empty(context.get_space())
        self._taken = set(variables)
        self._reductions = 0
        self._context = context

    def add(self, definition: Definition) -> None:
        """Add the statements of a definition."""
        for piece in definition.pieces:
            if isinstance(piece, Piece):
                # Parts that overlap, as the borders of a stencil, take later passes far longer.
                points = piece.domain.make_disjoint()
                self._add(definition, points, None, piece.value)
            else:
                self._add_reduction(definition, piece)

    def order_by_flow(self) -> None:
        """What writes a variable runs before what reads it."""
        writers: dict[str, list[Computation]] = {}
        for statement in self.statements:
            writers.setdefault(statement.variable, []).append(statement)
        for reader in self.statements:
            for variable, reads in reader.reads:
                for writer in writers.get(variable, ()):
                    self.order_pairs(writer.writes.apply_range(reads.reverse()))

    def order_pairs(self, relation: isl.Map) -> None:
        """`{ S[i] -> T[j] }`: S[i] runs before T[j]."""
        if not relation.is_empty():
            self.order = self.order.union(isl.UnionMap.from_map(relation))

    def _add(
        self,
        definition: Definition,
        points: isl.Set,
        target: isl.MultiAff | None,
        value: Expression,
        effect: Effect = Effect.STORE,
        reduction: ReducedPiece | None = None,
    ) -> Computation:
        name = unique_name(f"S_{definition.variable.name}", self._taken)
        self._taken.add(name)
        points = points.intersect_params(self._context)
        if target is None:
            target = isl.MultiAff.identity_on_domain_space(points.get_space())
            points = _with_names(points, definition.index_names)
        statement = Computation(
            name,
            definition.variable.name,
            points.set_tuple_name(name),
            target,
            value,
            effect,
            "" if reduction is None else reduction.operator,
            reduction is not None and reduction.is_external,
            None if reduction is None else self._reductions,
        )
        self.statements.append(statement)
        return statement

    def _add_reduction(self, definition: Definition, piece: ReducedPiece) -> None:
        self._reductions += 1
        started: list[Computation] = []
        combined: list[Computation] = []
        first = isl.Set.empty(piece.projection.get_domain_space())
        if piece.is_external:
            first = _first_points(piece)
        else:
            start = Constant(0)
            points = _disjoint(piece.domain)
            started.append(self._add(definition, points, None, start, Effect.START, piece))
        for body in piece.bodies:
            for points, effect, group in (
                (body.domain.intersect(first), Effect.STORE, started),
                (body.domain.subtract(first), Effect.COMBINE, combined),
            ):
                if not points.is_empty():
                    group.append(
                        self._add(
                            definition,
                            _disjoint(points),
                            piece.projection,
                            body.value,
                            effect,
                            piece,
                        )
                    )
        for later in combined:
            for other in started:
                self.order_pairs(other.writes.apply_range(later.writes.reverse()))
            for other in combined:
                together = other.writes.apply_range(later.writes.reverse())
                before = isl.Map.lex_lt(piece.projection.get_domain_space())
                before = before.set_tuple_name(isl.dim_type.in_, other.name)
                before = before.set_tuple_name(isl.dim_type.out, later.name)
                self.order_pairs(together.intersect(before))


def overwritten(statements: Sequence[Computation], shared: Shared) -> Iterator[tuple[str, isl.Map]]:
    """`{ S[i] -> T[j] }`: S[i] reads an element of an input, and T[j] is the first to write there.

    Each with the output that is in the memory of the input. An instance may read what it writes.
    """
    for writer in statements:
        if writer.variable not in shared or writer.effect is Effect.COMBINE:
            continue
        for reader in statements:
            for variable, reads in reader.reads:
                if variable in shared[writer.variable]:
                    relation = reads.apply_range(writer.writes.reverse())
                    if reader is writer:
                        relation = relation.subtract(isl.Map.identity(relation.get_space()))
                    if not relation.is_empty():
                        yield writer.variable, relation


def _first_points(piece: ReducedPiece) -> isl.Set:
    """For each result, the first point that contributes to it."""
    points = reduce(isl.Set.union, (each.domain for each in piece.bodies))
    contributions = isl.Map.from_multi_aff(piece.projection).intersect_domain(points)
    return contributions.reverse().lexmin().range()


def _from_points(domain: isl.Set, function: isl.MultiAff) -> isl.Map:
    relation = isl.Map.from_multi_aff(function)
    return relation.set_tuple_name(isl.dim_type.in_, domain.get_tuple_name()).intersect_domain(
        domain
    )


def _disjoint(points: isl.Set) -> isl.Set:
    """The same points in parts that do not overlap, whose divisions isl knows.

    Others, as after a projection of lattices, take schedulers, the analysis of dependences and
    code generation up to a hundred times as long.
    """
    return coalesced(points.compute_divs().make_disjoint())


def _with_names(points: isl.Set, names: Sequence[str] | None) -> isl.Set:
    for place, name in enumerate(names or ()):
        points = points.set_dim_name(isl.dim_type.set, place, name)
    return points


def _numbered(name: str, count: int, taken: set[str]) -> list[str]:
    names = []
    for _ in range(count):
        names.append(unique_name(name, taken))
        taken.add(names[-1])
    return names
