"""The memory, the statements and the schedule trees of loops whose parts have their own results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import islpy as isl
from xdsl.dialects.builtin import IndexType
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from polyir.dialects.isl_attributes import SetAttr
from polyir.dialects.scop import ScopOp
from polyir.model.affine_maps import Valued
from polyir.model.scop import Scop
from polyir.model.updates import Update
from polyir.sets.lists import sets_of
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.temporaries import StatementValues
from polyir.transform.reassociation.builder import PartialResultsBuilder
from polyir.transform.reassociation.partial_results import Namer, PartialResults, single
from polyir.transform.reassociation.private_results import Privatization
from polyir.transform.reassociation.tree import (
    changed_at,
    filter_around,
    filter_of_new,
    iterator_of,
    parallel_band,
    united,
)
from polyir.transform.tile import tile_values
from polyir.tree import Band, BandMember, Filter, Node, Schedule, SequenceNode
from polyir.tree.addresses import node_at
from polyir.tree.nodes import by_statement
from polyir.tree.operations import set_schedule


@dataclass(frozen=True)
class NewStatements:
    """What an array needs: `initial` sets partial results to the neutral element, `result` adds
    them to the elements. The domains are `{ T[v, p, c] }` and `{ T[v, c] }`.
    """

    array: PartialResults
    initial: isl.Set
    result: isl.Set


@dataclass(frozen=True)
class PrivateRewriting:
    """What to do to a scop for a loop whose parts have results of their own.

        band [i]                        sequence
          S[i]: X[f] += e                 filter init, S: band [p]  parallel
                                =>          sequence
                                              filter init: P[p, c] = neutral element
                                              filter S: band [i]
                                                P[p, f] += e
                                          filter result: X[c] = X[c] + (P[0, c] + P[1, c] + ...)

    S[i] becomes S[p, i] with the part p of i. e does not read X, nor does anything else access X
    inside the loop. Parts depend on the iterations alone, and their results are combined in order:
    so the result does not depend on the number of threads.
    """

    plan: Privatization
    statements: tuple[NewStatements, ...]

    @property
    def _domains(self) -> tuple[isl.Set, ...]:
        initial = tuple(each.initial for each in self.statements)
        return (*initial, *(each.result for each in self.statements))

    def in_order(self) -> Schedule:
        """The tree with all instances in the order that they had."""
        return self._changed(in_parts=False)

    def in_parts(self) -> Schedule:
        """The tree in which parts are parallel."""
        return self._changed(in_parts=True)

    @cached_property
    def expanded(self) -> Mapping[str, isl.Set]:
        """`{ S[p, i] }` for each statement that updates an array: p is the part of S[i]."""
        plan = self.plan
        parts = by_statement(plan.parts.of(plan.values))
        domains = {each.get_tuple_name(): each for each in sets_of(plan.schedule.domain)}
        names = (each.statement.name for array in plan.arrays for each in array.updates)
        return {name: _with_part(parts[name], domains[name]) for name in names}

    @cached_property
    def _schedule(self) -> Schedule:
        """The tree with parts as iterators of the statements that update an array."""
        domain = isl.UnionSet.empty(self.plan.schedule.domain.get_space())
        functions = isl.UnionPwMultiAff.empty(domain.get_space())
        for each in sets_of(self.plan.schedule.domain):
            name = each.get_tuple_name()
            new = self.expanded.get(name, each)
            space = isl.Space.map_from_set(new.get_space())
            function = isl.MultiAff.identity(space)
            if name in self.expanded:
                function = function.drop_dims(isl.dim_type.out, 0, 1)
                function = function.set_tuple_name(isl.dim_type.out, name)
            domain = domain.union(isl.UnionSet.from_set(new))
            pw = isl.PwMultiAff.from_multi_aff(function)
            functions = functions.union_add(isl.UnionPwMultiAff.from_pw_multi_aff(pw))
        return self.plan.schedule.pulled_back(functions).within(domain)

    @cached_property
    def _values(self) -> isl.UnionPwAff:
        """The values of the loop in the tree with parts as iterators."""
        band = node_at(self._schedule, self.plan.path)
        return band.members[0].function

    def _changed(self, in_parts: bool) -> Schedule:
        plan = self.plan

        def change(band: Node) -> Node:
            loop = self._loop_in_parts(band) if in_parts else self._loop(band)
            results = [filter_of_new(each.result, plan.depth) for each in self.statements]
            return SequenceNode((*loop, *results))

        return changed_at(self._schedule, plan.path, self._domains, change)

    def _loop(self, band: Node) -> list[Filter]:
        """The loop as it was, after what sets partial results."""
        initial = [filter_of_new(each.initial, self.plan.depth) for each in self.statements]
        return [*initial, Filter((band,), self._old)]

    def _loop_in_parts(self, band: Node) -> list[Filter]:
        """A parallel loop over parts around all that they do."""
        plan = self.plan
        inside = band
        if plan.block > 1:
            inside = parallel_band([tile_values(self._values, plan.parts.turn)], band)
        initial = [filter_of_new(each.initial, plan.depth + 1) for each in self.statements]
        filters = [*initial, Filter((inside,), self._old)]
        part = united(
            [*self._parts, *(iterator_of(each.initial, plan.depth) for each in self.statements)]
        )
        # Else, isl makes a loop of its own for parts without iterations.
        loop = BandMember(part, is_coincident=True, kind=isl.ast_loop_type.atomic)
        below = SequenceNode(tuple(filters))
        return [filter_around(filters, Band((below,), (loop,), permutable=True))]

    @property
    def _parts(self) -> list[isl.PwAff]:
        """`{ S[i] -> [p] }`: the part of each instance."""
        parts = by_statement(self.plan.parts.of(self._values))
        return [
            iterator_of(self.expanded[name], 0) if name in self.expanded else part
            for name, part in parts.items()
        ]

    @property
    def _old(self) -> isl.UnionSet:
        return self._values.domain().universe()


def _with_part(part: isl.PwAff, domain: isl.Set) -> isl.Set:
    """`{ S[p, i] }` for the instances S[i] and the part of each."""
    name = domain.get_tuple_name()
    pairs = isl.Map.from_pw_aff(part).intersect_domain(domain).reverse()
    expanded = pairs.wrap().flatten().set_tuple_name(name)
    expanded = expanded.set_dim_name(isl.dim_type.set, 0, "p")
    for position in range(domain.dim(isl.dim_type.set)):
        iterator = domain.get_dim_name(isl.dim_type.set, position)
        if iterator is not None:
            expanded = expanded.set_dim_name(isl.dim_type.set, position + 1, iterator)
    return expanded


def plan_private_rewriting(scop: Scop, plan: Privatization) -> PrivateRewriting:
    """The new statements for a loop in parts; raises `NoReductionError`."""
    for values in by_statement(plan.values).values():
        single(values)
    statements: list[NewStatements] = []
    for array in plan.arrays:
        namer = Namer(scop, array.updates[0].statement.name)
        initial = array.domain(namer("init"), {"p": plan.parts.count}, array.depth)
        statements.append(NewStatements(array, initial, array.domain(namer("result"), {})))
    return PrivateRewriting(plan, tuple(statements))


def apply_private_rewriting(op: ScopOp, scop: Scop, rewriting: PrivateRewriting, line: int) -> None:
    """Rewrite the operations of a scop, with all instances in the order that they had.

    Partial results of a scalar are `line` elements apart, so that threads share no cache line. Its
    dependences are out of date after it.
    """
    allocator = Allocator(op)
    parts = rewriting.plan.parts.count

    def part_of(update: Update, values: StatementValues) -> Valued:
        operation = update.statement.op
        operation.domain = SetAttr(rewriting.expanded[update.statement.name])
        part = operation.body.block.insert_arg(IndexType(), 0)
        part.name_hint = "p"
        values.values.append(part)
        return (AffineDimExpr(len(values.values) - 1),)

    for new in rewriting.statements:
        builder = PartialResultsBuilder(op, scop, new.array, padding=line)
        builder.allocate(allocator, parts)
        builder.accumulate(part_of)
        depth = new.array.depth
        first = builder.partial(new.initial, (AffineDimExpr(depth),), depth + 1)
        values = [
            builder.partial(new.result, (AffineConstantExpr(number),), depth)
            for number in range(parts)
        ]
        total = builder.combination(new.result, builder.result(new.result), values, updates=True)
        builder.insert([builder.initial(new.initial, first), total])
    set_schedule(op, rewriting.in_order())
