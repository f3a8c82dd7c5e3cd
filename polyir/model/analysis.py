"""Dependence analysis: which statement instances must keep their order.

Two instances depend on each other when both access one array element. *Memory-based*
dependences relate all such pairs. *Value-based* ones leave out the pairs with a must-write of
the element by an instance strictly between: the array dataflow analysis of Feautrier,
"Dataflow analysis of array and scalar references" (1991), as isl computes it (Verdoolaege,
"Presburger Formulas and Polyhedral Compilation", section 6). Both order the same instances,
through chains of dependences where not directly.

A statement instance is one step here. What its accesses do to each other is up to its body,
which every transformation keeps, and is no dependence. But a read of an element that the
body has surely written before takes its value from inside, and is left out value-based.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TypeVar

import islpy as isl

from polyir.base import budgets
from polyir.base.budgets import Budget
from polyir.base.diagnostics import PolyirError, location_of
from polyir.base.limits import CrashError, limited, within_operations
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.scop import ScopOp
from polyir.model.reductions import Updates, updates_of
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind, Statement
from polyir.sets.lists import basic_maps_of, maps_of
from polyir.tree import Schedule
from polyir.tree.order import ordered_pairs

Result = TypeVar("Result")

ORDERING_KINDS = (DependenceKind.FLOW, DependenceKind.ANTI, DependenceKind.OUTPUT)
"""The kinds that a schedule must respect."""


class DataflowError(PolyirError):
    """isl's own analysis fails or takes too long; memory-based dependences can still be had."""

    name = "too-complex"


def bounded(
    budget: Budget, compute: Callable[[], Result], op: ScopOp, is_bounded: bool = True
) -> Result | None:
    """What `compute` returns, or `None` if isl's operations exceed `budget`, or isl fails.

    Unless it `is_bounded`, it is `limited` by time only, and raises what that raises.
    """
    if not is_bounded:
        return limited(budget.step, compute, location_of(op), ir=op)
    try:
        return limited(budget.step, partial(within_operations, budget, compute), ir=op)
    except (CrashError, DataflowError):
        # isl may crash where it stops, and its dataflow analysis goes wrong for some orders.
        return None


def compute_dependences(
    scop: Scop,
    value_based: bool = True,
    kinds: tuple[DependenceKind, ...] = ORDERING_KINDS,
    schedule: Schedule | None = None,
    is_bounded: bool = True,
    before: Scop | None = None,
    reassociate: bool = False,
) -> Dependences:
    """The dependences of `scop` under `schedule`, else the tree in force, as original order.

    Value-based, with "between" said of statement instances:

    - flow: from a write to a read with no must-write between;
    - anti: from a read to a write with no must-write between;
    - output: from a write to a write with no must-write between;
    - input: from a read to a read with neither a must-write nor a read between (reuse of an
      element from one read to the next).

    May-writes end dependences as sources and sinks, but never come between. The relations are
    exact for all parameter values in the scop's context, up to what the access relations
    over-approximate. The order of the result is by kind, then by source, target (in program
    order) and array (in order of first access).

    `before` is the scop before some of its accesses changed: the dependences that are known of it
    are not computed again for arrays that are accessed as they were, in the same order.

    With `reassociate`, the updates of an element by statements `X[f] = X[f] op e` with the same op
    are not ordered among themselves (`polyir.model.reductions`): their pairs are of the kind
    `REDUCTION`. All others with one end at such an update relate each update of the element, not
    only the last one: an update does not come between, as if it were a may-write. So each read and
    each other write of X[f] stays after the updates that were before it, and before those after it.

    Raises `DataflowError`, also where the dependences take isl too many operations, if
    `is_bounded`: then the same dependences are found on every machine.
    """
    order = schedule or scop.schedule
    updates = updates_of(scop) if reassociate else Updates((), ())
    compute = partial(_computed_dependences, scop, value_based, kinds, order, before, updates)
    dependences = compute() if not is_bounded else _bounded(scop, value_based, compute)
    # What facts take is bounded for each dependence, and is no reason to do without all.
    return replace(dependences, items=_allowed_by_facts(scop, dependences.items))


def _bounded(scop: Scop, value_based: bool, compute: Callable[[], Dependences]) -> Dependences:
    """What `compute` returns; raises `DataflowError` if it takes isl too many operations."""
    budget = _budget_for(
        scop, budgets.VALUE_DEPENDENCES if value_based else budgets.MEMORY_DEPENDENCES
    )
    dependences = within_operations(budget, compute)
    if dependences is None:
        raise DataflowError(budget.exceeded)
    return dependences


def _budget_for(scop: Scop, usual: Budget) -> Budget:
    """The budget for the dependences of `scop`.

    An operation takes the longer the more integer divisions there are: about their square.
    """
    divisions = max(
        (
            piece.dim(isl.dim_type.div)
            for statement in scop.statements
            for access in statement.accesses
            for piece in basic_maps_of(access.relation)
        ),
        default=0,
    )
    return usual.scaled(max(1, len(scop.statements) // 10), (1 + divisions) ** 2)


def _computed_dependences(
    scop: Scop,
    value_based: bool,
    kinds: tuple[DependenceKind, ...],
    schedule: Schedule,
    before: Scop | None,
    updates: Updates,
) -> Dependences:
    order = schedule.map.intersect_domain(scop.domain).gist_domain(scop.domain)
    known: dict[str, list[Dependence]] = {}
    if before is not None and set(kinds) <= set(ORDERING_KINDS) and not updates.found:
        known = _still_known(scop, before, value_based, order)
    found: dict[tuple[int, int, int, int], Dependence] = {}
    statements = {statement.name: number for number, statement in enumerate(scop.statements)}
    kind_order = list(DependenceKind)
    for array_number, array in enumerate(arrays_in_order(scop)):
        if array in known:
            through_array = [item for item in known[array] if item.kind in kinds]
        else:
            queries = _VALUE_BASED if value_based else _MEMORY_BASED
            through_array = [
                each
                for kind in dict.fromkeys(kinds)
                if kind is not DependenceKind.REDUCTION
                for each in _with_reductions(scop, array, schedule, queries[kind], kind, updates)
            ]
        for item in through_array:
            source, target = statements[item.source], statements[item.target]
            found[kind_order.index(item.kind), source, target, array_number] = item
    return Dependences(value_based, tuple(found[key] for key in sorted(found)), order)


def _allowed_by_facts(scop: Scop, dependences: Sequence[Dependence]) -> tuple[Dependence, ...]:
    """The dependences without pairs that facts about index arrays exclude.

    A pair that is left out accesses no common element, so that chains through it order nothing.
    """
    allowed: list[Dependence] = []
    for each in dependences:
        sources, targets = ends_of(scop, each)
        if all(access.symbolic is None for access in (*sources, *targets)):
            allowed.append(each)
            continue
        # Few scops have index arrays, and start-up is part of every run.
        from polyir.model.uninterpreted import without_impossible

        possible = without_impossible(each, sources, targets)
        if not possible.is_empty:
            allowed.append(possible)
    return tuple(allowed)


def ends_of(scop: Scop, dependence: Dependence) -> tuple[tuple[Access, ...], tuple[Access, ...]]:
    """The accesses at the source and at the target of a dependence."""
    reads_first = dependence.kind in (DependenceKind.ANTI, DependenceKind.INPUT)
    reads_second = dependence.kind in (DependenceKind.FLOW, DependenceKind.INPUT)

    def accesses(statement: str, is_read: bool) -> tuple[Access, ...]:
        return tuple(
            access
            for each in scop.statements
            if each.name == statement
            for access in each.accesses
            if access.array == dependence.array and (access.kind is AccessKind.READ) == is_read
        )

    return (
        accesses(dependence.source, reads_first),
        accesses(dependence.target, reads_second),
    )


def _with_reductions(
    scop: Scop,
    array: str,
    order: Schedule,
    query: _Query,
    kind: DependenceKind,
    updates: Updates,
) -> list[Dependence]:
    """The dependences of a kind through one array; the reductions come with the flow."""
    mine = {each.statement.name: each for each in updates.found if each.array == array}
    if kind is DependenceKind.INPUT:
        mine = {}
    stores = [each.store for each in mine.values()]
    found: list[Dependence] = []
    for relation in maps_of(query(array_accesses(scop, array, order, may=stores))):
        source = mine.get(relation.get_tuple_name(isl.dim_type.in_))
        target = mine.get(relation.get_tuple_name(isl.dim_type.out))
        if source is None or target is None or source.combiner is not target.combiner:
            found.append(Dependence(kind, array, relation.coalesce()))
            continue
        reading = target if kind is DependenceKind.FLOW else source
        others = [each for each in reading.others if each.array == array]
        parts = [(DependenceKind.REDUCTION, others)] if kind is DependenceKind.FLOW else []
        if others and kind is not DependenceKind.OUTPUT:
            parts.append((kind, [reading.load]))
        for part, without in parts:
            pairs = relation
            if without:
                accesses = array_accesses(scop, array, order, may=stores, without=without)
                pairs = query(accesses).extract_map(relation.get_space())
            if not pairs.is_empty():
                found.append(Dependence(part, array, pairs.coalesce()))
    return found


def _still_known(
    scop: Scop, before: Scop, value_based: bool, order: isl.UnionMap
) -> dict[str, list[Dependence]]:
    """The known dependences through each array that `scop` accesses as it did `before`.

    There are none if what is known is for another order, or not `value_based` as asked for.
    """
    known = before.dependences
    if known is None or known.order is None or known.value_based != value_based:
        return {}
    if known.reductions:
        # They stand in the place of others, and relate more pairs.
        return {}
    if not (known.order.is_equal(order) and before.context.is_equal(scop.context)):
        return {}
    now, then = _accesses_by_array(scop), _accesses_by_array(before)
    return {
        array: [item for item in known.items if item.array == array]
        for array, accesses in now.items()
        if array in then and _are_same(accesses, then[array])
    }


_Accesses = list[tuple[str, Access]]
"""Accesses to one array, each with the name of its statement."""


def _accesses_by_array(scop: Scop) -> dict[str, _Accesses]:
    found: dict[str, _Accesses] = {}
    for statement in scop.statements:
        for access in statement.accesses:
            found.setdefault(access.array, []).append((statement.name, access))
    return found


def _are_same(accesses: _Accesses, others: _Accesses) -> bool:
    return len(accesses) == len(others) and all(
        name == other_name
        and access.kind is other.kind
        and access.relation.plain_is_equal(other.relation)
        for (name, access), (other_name, other) in zip(accesses, others, strict=True)
    )


@dataclass(frozen=True)
class ArrayAccesses:
    """All accesses of a scop to one array, `{ S[i] -> A[a] }`, within the context.

    `exposed` are the reads that may take a value from another instance. `schedule` is the
    part of the schedule tree for the instances that access the array: isl's dataflow takes
    time for every statement of a tree, whether it accesses anything or not.
    """

    schedule: Schedule
    reads: isl.UnionMap
    exposed: isl.UnionMap
    must_writes: isl.UnionMap
    may_writes: isl.UnionMap

    @property
    def writes(self) -> isl.UnionMap:
        """The must-writes and the may-writes."""
        return self.must_writes.union(self.may_writes)

    def in_order(self, sources: isl.UnionMap, sinks: isl.UnionMap) -> isl.UnionMap:
        """`{ source[i] -> sink[j] }`: all sources before the sink on a common element."""
        return ordered_pairs(self.schedule, sources.apply_range(sinks.reverse()))

    def last(
        self,
        sink: isl.UnionMap,
        must: isl.UnionMap | None = None,
        may: isl.UnionMap | None = None,
        kill: isl.UnionMap | None = None,
    ) -> isl.UnionMap:
        """`{ source[i] -> sink[j] }`: sources before the sink on a common element.

        Left out are those with an instance of `must` or `kill` for the element between them
        and the sink.
        """
        return self.last_by_element(sink, must, may, kill).range_factor_domain()

    def last_by_element(
        self,
        sink: isl.UnionMap,
        must: isl.UnionMap | None = None,
        may: isl.UnionMap | None = None,
        kill: isl.UnionMap | None = None,
    ) -> isl.UnionMap:
        """As `last`, with the common element: `{ source[i] -> [sink[j] -> A[a]] }`."""
        sources = [source for source in (must, may) if source is not None]
        if sink.is_empty() or all(source.is_empty() for source in sources):
            return isl.UnionMap.empty(sink.get_space())
        info = isl.UnionAccessInfo.from_sink(sink)
        if must is not None:
            info = info.set_must_source(must)
        if may is not None:
            info = info.set_may_source(may)
        if kill is not None:
            info = info.set_kill(kill)
        return flow_in_tree(info, self.schedule).get_full_may_dependence()

    def overwritten_first(self) -> isl.UnionMap:
        """`{ read[i] -> write[j] }`: writes after the read with no must-write between.

        That is the flow of a program that runs backwards: isl is given the opposite order. With
        must-writes as `kill` it computes the same, but fails, or worse, for some accesses.
        """
        if self.exposed.is_empty() or self.writes.is_empty():
            return isl.UnionMap.empty(self.writes.get_space())
        info = isl.UnionAccessInfo.from_sink(self.exposed).set_must_source(self.must_writes)
        info = info.set_may_source(self.may_writes)
        flow = flow_by_dates(info, _backwards(self.schedule))
        return flow.get_full_may_dependence().range_factor_domain().reverse()

    def flow_into(self, sink: isl.UnionMap) -> isl.UnionFlow:
        """The writes whose values `sink` may read, and what of it may have none."""
        info = isl.UnionAccessInfo.from_sink(sink).set_must_source(self.must_writes)
        return flow_in_tree(info.set_may_source(self.may_writes), self.schedule)


def flow_in_tree(info: isl.UnionAccessInfo, schedule: Schedule) -> isl.UnionFlow:
    """isl's dataflow analysis for instances in the order of a schedule tree.

    Raises `DataflowError` where isl itself goes wrong. It does with some trees of tiles, and mostly
    not with the same order as a map.
    """
    try:
        return _computed(info.set_schedule(schedule.as_isl))
    except DataflowError:
        return flow_by_dates(info, schedule.map)


def flow_by_dates(info: isl.UnionAccessInfo, dates: isl.UnionMap) -> isl.UnionFlow:
    """isl's dataflow analysis for instances in the order of `dates`, `{ S[i] -> [t] }`.

    Raises `DataflowError` where isl itself goes wrong. It does for some dates with equalities that
    only follow from their inequalities, so these are made explicit.
    """
    return _computed(info.set_schedule_map(dates.detect_equalities()))


def _computed(info: isl.UnionAccessInfo) -> isl.UnionFlow:
    try:
        return info.compute_flow()
    except isl.Error as error:
        if DEFECT not in str(error):
            raise
        raise DataflowError("isl's dataflow analysis fails") from None


def _backwards(schedule: Schedule) -> isl.UnionMap:
    """The dates of `schedule` with all signs turned: the opposite order."""
    dates = schedule.map
    depth = max((each.dim(isl.dim_type.out) for each in maps_of(dates)), default=0)
    names = [f"d{position}" for position in range(depth)]
    opposite = ", ".join(f"-{name}" for name in names)
    return dates.apply_range(isl.UnionMap(f"{{ [{', '.join(names)}] -> [{opposite}] }}"))


DEFECT = "affine expression involves some of the domain dimensions"
"""What isl says where its own step goes wrong."""

_Query = Callable[[ArrayAccesses], isl.UnionMap]

_VALUE_BASED: dict[DependenceKind, _Query] = {
    DependenceKind.FLOW: lambda of: of.last(of.exposed, must=of.must_writes, may=of.may_writes),
    DependenceKind.ANTI: ArrayAccesses.overwritten_first,
    DependenceKind.OUTPUT: lambda of: of.last(of.writes, must=of.must_writes, may=of.may_writes),
    DependenceKind.INPUT: lambda of: of.last(of.exposed, must=of.exposed, kill=of.must_writes),
}

_MEMORY_BASED: dict[DependenceKind, _Query] = {
    DependenceKind.FLOW: lambda of: of.in_order(of.writes, of.reads),
    DependenceKind.ANTI: lambda of: of.in_order(of.reads, of.writes),
    DependenceKind.OUTPUT: lambda of: of.in_order(of.writes, of.writes),
    DependenceKind.INPUT: lambda of: of.in_order(of.reads, of.reads),
}


def arrays_in_order(scop: Scop) -> tuple[str, ...]:
    """The arrays that the scop accesses, in the order of their first access."""
    names = (access.array for statement in scop.statements for access in statement.accesses)
    return tuple(dict.fromkeys(names))


def array_accesses(
    scop: Scop,
    array: str,
    schedule: Schedule,
    may: Collection[Access] = (),
    without: Collection[Access] = (),
) -> ArrayAccesses:
    """The accesses of `scop` to `array`, in the order of `schedule`.

    The writes in `may` count as may-writes, and the reads in `without` are left out.
    """

    def kind_of(access: Access) -> AccessKind:
        return AccessKind.MAY_WRITE if _is_in(may, access) else access.kind

    def united(relations: list[isl.Map]) -> isl.UnionMap:
        parts = (isl.UnionMap.from_map(relation) for relation in relations)
        union = reduce(isl.UnionMap.union, parts, isl.UnionMap.empty(scop.context.get_space()))
        return union.intersect_params(scop.context).coalesce()

    def of_kind(kind: AccessKind) -> list[isl.Map]:
        return [
            access.relation
            for statement in scop.statements
            for access in statement.accesses
            if access.array == array and kind_of(access) is kind and not _is_in(without, access)
        ]

    exposed = [
        relation
        for statement in scop.statements
        for access, relation in exposed_reads(statement, array)
        if not _is_in(without, access)
    ]
    reads = united(of_kind(AccessKind.READ))
    must_writes = united(of_kind(AccessKind.WRITE))
    may_writes = united(of_kind(AccessKind.MAY_WRITE))
    instances = reads.union(must_writes).union(may_writes).domain()
    part = schedule.within(instances)
    return ArrayAccesses(part, reads, united(exposed), must_writes, may_writes)


def _is_in(accesses: Collection[Access], access: Access) -> bool:
    return any(each is access for each in accesses)


def exposed_reads(statement: Statement, array: str) -> list[tuple[Access, isl.Map]]:
    """The reads of `array`, each with its part that the body has not surely written before."""
    exposed: list[tuple[Access, isl.Map]] = []
    written: isl.Map | None = None
    for access in statement.accesses:
        if access.array != array:
            continue
        if access.kind is AccessKind.WRITE:
            written = access.relation if written is None else written.union(access.relation)
        elif access.kind is AccessKind.READ:
            relation = access.relation
            part = relation if written is None else relation.subtract(written)
            exposed.append((access, part))
    return exposed
