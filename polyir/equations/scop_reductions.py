"""Chains of updates in a scop that are reductions.

Statements `X[f] = X[f] op e` form chains: each update reads the element that the one before has
written. As long as nothing else reads the element in between, a chain is one value: what the
element was before, combined with e of all its updates, in whatever order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations_with_replacement
from typing import Final

import islpy as isl
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation

from polyir.dialects.reductions import Combiner
from polyir.equations.scop_flow import Read, ScopFlow, Write
from polyir.equations.scop_values import Values
from polyir.equations.system import Expression
from polyir.equations.system import Operation as Applied
from polyir.model.extrema import choice_of
from polyir.model.updates import Update, update_of
from polyir.sets.hulls import convex_if_possible
from polyir.sets.lists import pieces_of

_IN = isl.dim_type.in_


@dataclass(frozen=True)
class Link:
    """A statement of a chain: its store, the load of the element, and `{ S[i] -> [p] }`.

    Instances with the same p are of the same chain. `heads` are the instances that begin one.
    """

    update: Update
    write: Write
    load: Read
    projection: isl.MultiAff
    heads: isl.Set

    @property
    def domain(self) -> isl.Set:
        """The points of the store, without the name of the statement."""
        return convex_if_possible(self.write.domain.reset_tuple_id())

    @property
    def to_chain(self) -> isl.Map:
        """`{ S[i] -> [p] }`, from the instances of the statement."""
        name = self.write.statement.name
        relation = isl.Map.from_multi_aff(self.projection).set_tuple_name(_IN, name)
        return relation.intersect_domain(self.write.domain)


@dataclass(frozen=True)
class Chains:
    """The chains of updates of one array by one operator; each chain has a point p."""

    operator: str
    links: tuple[Link, ...]

    @property
    def points(self) -> isl.Set:
        """The points of all chains; their dimensions have the names of iterators."""
        points = reduce(isl.Set.union, (each.to_chain.range() for each in self.links)).coalesce()
        link = self.links[0]
        identity = isl.MultiAff.identity_on_domain_space(link.domain.get_space())
        for place in range(points.dim(isl.dim_type.set)):
            for iterator in range(link.domain.dim(isl.dim_type.set)):
                name = link.domain.get_dim_name(isl.dim_type.set, iterator)
                is_it = link.projection.get_at(place).plain_is_equal(identity.get_at(iterator))
                if is_it and name is not None:
                    points = points.set_dim_name(isl.dim_type.set, place, name)
        return points


@dataclass(frozen=True)
class Found:
    """The chains of a scop, and why other updates of an element are none, in words."""

    chains: tuple[Chains, ...]
    reasons: tuple[str, ...]


def chains_of(flow: ScopFlow, visible: Collection[str], reassociate: bool) -> Found:
    """The chains of updates of a scop.

    Values that are in the arrays `visible` at the end are read after the scop. Sums and products of
    floating-point numbers, which round, are recognised only with `reassociate`, and so are minima
    and maxima that do not treat NaN as those of equations do.
    """
    candidates: dict[tuple[str, str], list[_Candidate]] = {}
    reasons: list[str] = []
    for write in flow.writes:
        update = update_of(write.statement)
        if update is None or write.access.relation.is_injective():
            continue
        operator = _operator(update.combiner)
        if operator is None:
            continue
        if not reassociate and _rounds(update):
            reasons.append(
                f"{write.statement.name} updates {write.array} in order: a {update.combiner.name} "
                "of floating-point numbers in another order needs 'reassociate'"
            )
            continue
        load = next(each for each in flow.reads_of(write.statement) if each.access is update.load)
        candidates.setdefault((write.array, operator), []).append(_Candidate(update, write, load))
    found: list[Chains] = []
    for (array, operator), group in candidates.items():
        finder = _Finder(flow, array in visible)
        together = finder.links(group)
        if together is not None:
            found.append(Chains(operator, together))
            continue
        for each in group:
            alone = finder.links([each])
            if alone is not None:
                found.append(Chains(operator, alone))
            else:
                reasons.append(
                    f"{each.name} updates {array} in order: its elements are read in between"
                )
    return Found(tuple(found), tuple(reasons))


def contribution(update: Update, values: Values) -> Expression:
    """What an update combines with the element: `a - b` for `X[f] = X[f] + a - b`."""
    carried = update.chain.load.results[0]
    operator, inverse = _operator(update.combiner), update.combiner.inverse
    assert operator is not None
    total: Expression | None = None
    for step in update.chain.steps:
        choice = choice_of(step) if update.combiner.choice is not None else None
        operands = step.operands if choice is None else (choice.first, choice.second)
        (other,) = (values.of(each) for each in operands if each is not carried)
        is_taken = inverse is not None and isinstance(step, inverse)
        if total is not None:
            total = Applied((total, other), "-" if is_taken else operator)
        else:
            total = Applied((other,), "-") if is_taken else other
        carried = step.results[0]
    assert total is not None
    return total


@dataclass(frozen=True)
class _Candidate:
    update: Update
    write: Write
    load: Read

    @property
    def name(self) -> str:
        return self.write.statement.name

    @property
    def domain(self) -> isl.Set:
        return self.write.domain


class _Finder:
    """Finds the chains of statements that update one array."""

    def __init__(self, flow: ScopFlow, is_visible: bool) -> None:
        self._flow = flow
        self._is_visible = is_visible

    def links(self, group: Sequence[_Candidate]) -> tuple[Link, ...] | None:
        """The statements of a group with functions that tell chains apart; `None` without any."""
        ends = {each.name: self._ends(each, group) for each in group}
        following = [
            (source, reader, relation.reverse().subtract_domain(ends[source.name]))
            for source, reader, relation in _following(group)
        ]
        if all(relation.is_empty() for _, _, relation in following):
            return None
        for functions in _projections(group):
            if _tells_apart(functions, ends, following):
                break
        else:
            return None
        return tuple(
            Link(
                each.update,
                each.write,
                each.load,
                functions[each.name].reset_tuple_id(_IN),
                reduce(
                    isl.Set.subtract,
                    (relation.range() for _, reader, relation in following if reader is each),
                    each.domain,
                ),
            )
            for each in group
        )

    def _ends(self, candidate: _Candidate, group: Sequence[_Candidate]) -> isl.Set:
        """The instances whose value anything reads but the next update in the group, or nothing."""
        read = isl.Set.empty(candidate.domain.get_space())
        for source, _, relation in _following(group):
            if source is candidate:
                read = read.union(relation.range())
        ends = candidate.domain.subtract(read)
        loads = [each.load for each in group]
        for each in self._flow.reads:
            if each not in loads:
                for write, relation in each.sources:
                    if write is candidate.write:
                        ends = ends.union(relation.range())
        if self._is_visible:
            for write, relation in self._flow.last[candidate.write.array]:
                if write is candidate.write:
                    ends = ends.union(relation.range())
        return ends.coalesce()


def _following(
    group: Sequence[_Candidate],
) -> Iterator[tuple[_Candidate, _Candidate, isl.Map]]:
    """For two statements of a group, `{ T[j] -> S[i] }`: T[j] updates what S[i] has written."""
    for reader in group:
        for write, relation in reader.load.sources:
            for source in group:
                if source.write is write:
                    yield source, reader, relation


def _tells_apart(
    functions: dict[str, isl.MultiAff],
    ends: dict[str, isl.Set],
    following: Sequence[tuple[_Candidate, _Candidate, isl.Map]],
) -> bool:
    """Whether the functions have one value on each chain, and another one on each other chain.

    An update and the next one must have the same value. Each chain has one end, and ends must have
    different values: that is enough, since from each update the chain leads to an end.
    """
    maps = {name: isl.Map.from_multi_aff(each) for name, each in functions.items()}
    for source, reader, relation in following:
        same = maps[source.name].apply_range(maps[reader.name].reverse())
        if not relation.is_subset(same):
            return False
    for first, second in combinations_with_replacement(functions, 2):
        one = maps[first].intersect_domain(ends[first])
        other = maps[second].intersect_domain(ends[second])
        if first == second and not one.is_injective():
            return False
        if first != second and not one.range().is_disjoint(other.range()):
            return False
    return True


def _projections(group: Sequence[_Candidate]) -> Iterator[dict[str, isl.MultiAff]]:
    """Functions that may tell chains apart: the element, outer iterators, then both."""
    elements: dict[str, isl.MultiAff] = {}
    for each in group:
        function = _single_piece(each.write.access.relation)
        if function is not None:
            elements[each.name] = function.reset_tuple_id(isl.dim_type.out)
    if len(elements) == len(group):
        yield elements
    depth = min(each.domain.dim(isl.dim_type.set) for each in group)
    outer = [{each.name: _outer(each.domain, count) for each in group} for count in range(depth)]
    yield from outer
    if len(elements) == len(group):
        for functions in outer[1:]:
            yield {
                name: function.flat_range_product(elements[name])
                for name, function in functions.items()
            }


def _outer(domain: isl.Set, count: int) -> isl.MultiAff:
    """`{ S[i] -> [p] }`: the first iterators."""
    identity = isl.MultiAff.identity_on_domain_space(domain.get_space())
    dimensions = domain.dim(isl.dim_type.set)
    return identity.reset_tuple_id(isl.dim_type.out).drop_dims(
        isl.dim_type.out, count, dimensions - count
    )


def _single_piece(relation: isl.Map) -> isl.MultiAff | None:
    """A function that is one expression on its domain, on all points."""
    pieces = pieces_of(isl.PwMultiAff.from_map(relation.coalesce()))
    return pieces[0][1] if len(pieces) == 1 else None


def _operator(combiner: Combiner) -> str | None:
    """The operator of equations that combines, if there is one."""
    if combiner.choice is not None:
        return "min" if combiner.choice.is_least else "max"
    return _OPERATORS.get(combiner.operation)


def _rounds(update: Update) -> bool:
    """Whether the result depends on the order: all but integers, and IEEE's minima and maxima."""
    exact = (arith.MaximumfOp, arith.MinimumfOp)
    return isinstance(update.element_type, AnyFloat) and update.combiner.operation not in exact


_OPERATORS: Final[dict[type[Operation], str]] = {
    **dict.fromkeys((arith.AddfOp, arith.AddiOp), "+"),
    **dict.fromkeys((arith.MulfOp, arith.MuliOp), "*"),
    **dict.fromkeys((arith.MaximumfOp, arith.MaxnumfOp, arith.MaxSIOp), "max"),
    **dict.fromkeys((arith.MinimumfOp, arith.MinnumfOp, arith.MinSIOp), "min"),
}
