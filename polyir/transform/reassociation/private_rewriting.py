"""The memory, the statements and the schedule trees of loops whose parts have their own results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import islpy as isl
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from polyir.dialects.isl_attributes import SetAttr
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine_maps import Valued
from polyir.model.scop import Scop
from polyir.model.updates import Update, allow_overflow, memory_of, neutral_element
from polyir.sets.boxes import Side
from polyir.sets.lists import sets_of
from polyir.sets.maps import universe
from polyir.sets.values import isl_value
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.temporaries import StatementValues
from polyir.transform.reassociation.new_statement import NewStatement
from polyir.transform.reassociation.private_results import (
    PrivateArray,
    Privatization,
    cells_of_parts,
    cells_of_results,
)
from polyir.transform.reassociation.rewriting import Namer, single
from polyir.transform.reassociation.statements import constant_side
from polyir.transform.reassociation.tree import (
    changed_at,
    filter_of_new,
    iterator_of,
    parallel_band,
    united,
)
from polyir.transform.tile import tile_values
from polyir.tree import Band, BandMember, Filter, Node, Schedule, SequenceNode
from polyir.tree.addresses import node_at
from polyir.tree.operations import set_schedule


@dataclass(frozen=True)
class NewStatements:
    """What an array needs: `initial` sets partial results to the neutral element, `result` adds
    them to the elements. The domains are `{ T[v, p, c] }` and `{ T[v, c] }`.
    """

    array: PrivateArray
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
    def names(self) -> tuple[str, ...]:
        """The names of the new statements."""
        return tuple(each.get_tuple_name() for each in self._domains)

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
        names = [each.statement.name for array in self.plan.arrays for each in array.updates]
        return {
            name: _with_part(part, domain)
            for part in _functions(_part_of(self.plan.values, self.plan))
            for domain in sets_of(self.plan.schedule.domain)
            if (name := _name_of(part)) in names and domain.get_tuple_name() == name
        }

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
            inside = parallel_band([tile_values(self._values, plan.block * plan.step)], band)
        initial = [filter_of_new(each.initial, plan.depth + 1) for each in self.statements]
        body = SequenceNode((*initial, Filter((inside,), self._old)))
        instances = self._old
        for each in self.statements:
            instances = instances.union(universe(each.initial.get_space()))
        part = united(
            [*self._parts, *(iterator_of(each.initial, plan.depth) for each in self.statements)]
        )
        # Else, isl makes a loop of its own for parts without iterations.
        loop = BandMember(part, is_coincident=True, kind=isl.ast_loop_type.atomic)
        return [Filter((Band((body,), (loop,), permutable=True),), instances)]

    @property
    def _parts(self) -> list[isl.PwAff]:
        """`{ S[i] -> [p] }`: the part of each instance."""
        return [
            iterator_of(self.expanded[_name_of(part)], 0)
            if _name_of(part) in self.expanded
            else part
            for part in _functions(_part_of(self._values, self.plan))
        ]

    @property
    def _old(self) -> isl.UnionSet:
        sets = (universe(each.get_domain_space()) for each in _functions(self._values))
        return reduce(isl.UnionSet.union, sets)


def _part_of(values: isl.UnionPwAff, plan: Privatization) -> isl.UnionPwAff:
    """The part that iterations with some values are of."""
    turn = values.scale_down_val(isl_value(plan.block * plan.step)).floor()
    return turn.mod_val(isl_value(plan.parts))


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


def _name_of(function: isl.PwAff) -> str:
    return function.get_domain_space().get_tuple_name(isl.dim_type.set)


def _functions(values: isl.UnionPwAff) -> list[isl.PwAff]:
    functions = values.get_pw_aff_list()
    return [functions.get_at(position) for position in range(functions.n_pw_aff())]


def plan_private_rewriting(scop: Scop, plan: Privatization) -> PrivateRewriting:
    """The new statements for a loop in parts; raises `NoReductionError`."""
    for values in _functions(plan.values):
        single(values)
    statements: list[NewStatements] = []
    for array in plan.arrays:
        namer = Namer(scop, array.updates[0].statement.name)
        initial = cells_of_parts(array, plan.depth, plan.parts, namer("init"))
        statements.append(NewStatements(array, initial, cells_of_results(array, namer("result"))))
    return PrivateRewriting(plan, tuple(statements))


def apply_private_rewriting(op: ScopOp, scop: Scop, rewriting: PrivateRewriting, line: int) -> None:
    """Rewrite the operations of a scop, with all instances in the order that they had.

    Partial results of a scalar are `line` elements apart, so that threads share no cache line. Its
    dependences are out of date after it.
    """
    allocator = Allocator(op)
    for new in rewriting.statements:
        _Builder(op, scop, rewriting, new).build(allocator, line)
    set_schedule(op, rewriting.in_order())


class PartialResultsBuilder:
    """Makes the memory of the partial results of an array, and the statement that adds them to it.

    `depth` loops are around the updates.
    """

    def __init__(self, op: ScopOp, scop: Scop, array: PrivateArray, depth: int) -> None:
        self._op, self._scop, self._array, self._depth = op, scop, array, depth
        self._original = memory_of(array.updates[0].store)
        name = array.updates[0].statement.name
        self.updating = next(each for each in op.statements if each.sym_name.data == name)

    def allocate(self, allocator: Allocator, parts: Sequence[Side], padding: int) -> SSAValue:
        """Allocate partial results, of an element `padding` each, and let the updates use them."""
        inner = () if self._array.box else (padding,)
        self._partial = allocator.allocate(self._original, [*parts, *self._array.box], inner)
        self._partial.name_hint = f"{self._array.name}_partial"
        for update, place in zip(self._array.updates, self._array.places, strict=True):
            values = StatementValues(self._scop, update.statement)
            cell = [place.get_at(each) for each in range(place.dim(isl.dim_type.out))]
            own = values.expressions(from_lower(cell, self._array.box))
            subscripts = self._cell((*self._part_of(update, values), *own))
            for access in (update.load, update.store):
                values.redirect(access.operation, self._partial, subscripts)
            allow_overflow(update.steps)
        return self._partial

    def _part_of(self, update: Update, values: StatementValues) -> Valued:
        """The part that an update is of, if there are parts."""
        return ()

    def _cell(self, subscripts: Valued) -> Valued:
        return subscripts if self._array.box else (*subscripts, AffineConstantExpr(0))

    def result(self, domain: isl.Set, parts: Sequence[Valued]) -> StmtOp:
        """`X[c] = X[c] op (P[0, c] op P[1, c] op ...)`, for the parts 0, 1, ..."""
        body = NewStatement(self._op, domain)
        combine = self._array.updates[0].combiner.combine
        box = self._in_box(body, domain, self._depth)
        total: SSAValue | None = None
        for part in parts:
            value = body.load(self._partial, self._cell((*part, *box)))
            total = value if total is None else body.add(*combine(total, value))
        assert total is not None
        count = domain.dim(isl.dim_type.set)
        place = tuple(AffineDimExpr(each) for each in range(self._depth, count))
        old = body.load(self._original, place)
        body.store(body.add(*combine(old, total)), self._original, place)
        return body.finished(self.updating)

    def _in_box(self, body: NewStatement, domain: isl.Set, first: int) -> Valued:
        """The iterators of a new statement from `first` on as subscripts in the box."""
        local = domain.get_space()
        count = domain.dim(isl.dim_type.set)
        cell = [
            isl.Aff.var_on_domain(local, isl.dim_type.set, each) for each in range(first, count)
        ]
        return tuple(map(body.subscript, from_lower(cell, self._array.box)))


class _Builder(PartialResultsBuilder):
    """Makes the memory and the statements for one array of a loop in parts."""

    def __init__(
        self, op: ScopOp, scop: Scop, rewriting: PrivateRewriting, new: NewStatements
    ) -> None:
        super().__init__(op, scop, new.array, rewriting.plan.depth)
        self._rewriting, self._new = rewriting, new

    def build(self, allocator: Allocator, line: int) -> None:
        """Allocate partial results, let the updates use them, and add the new statements."""
        parts = self._rewriting.plan.parts
        self.allocate(allocator, [constant_side(parts)], line)
        result = self.result(self._new.result, [(AffineConstantExpr(n),) for n in range(parts)])
        self._op.body.block.insert_op_after(result, self.updating)
        self._op.body.block.insert_op_after(self._initial(), self.updating)

    def _part_of(self, update: Update, values: StatementValues) -> Valued:
        operation = update.statement.op
        operation.domain = SetAttr(self._rewriting.expanded[update.statement.name])
        part = operation.body.block.insert_arg(IndexType(), 0)
        part.name_hint = "p"
        values.values.append(part)
        return (AffineDimExpr(len(values.values) - 1),)

    def _initial(self) -> StmtOp:
        """`P[p, c] = neutral element`."""
        domain, depth = self._new.initial, self._depth
        body = NewStatement(self._op, domain)
        update = self._array.updates[0]
        value = body.add(arith.ConstantOp(neutral_element(update.combiner, update.element_type)))
        part = AffineDimExpr(depth)
        body.store(value, self._partial, self._cell((part, *self._in_box(body, domain, depth + 1))))
        return body.finished(self.updating)


def from_lower(cell: Sequence[isl.Aff], box: Sequence[Side]) -> list[isl.Aff]:
    """Subscripts of an array as those in a box."""
    return [
        each.sub(side.lower_on(each.get_domain_space()))
        for each, side in zip(cell, box, strict=True)
    ]
