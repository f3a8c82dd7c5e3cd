"""Which elements of a temporary hold values at the same time.

A value lives from the instance that writes it to the last one that reads it. Two elements are
in conflict if values of both may live at the same time under the schedule tree in force
(Darte, Schreiber and Villard, "Lattice-based memory allocation", 2005, section 2). Iterations
of a loop marked parallel, and the children of a set node, run at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.loop_attributes import requires_parallel
from polyir.model.dataflow import ArrayFlow
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind, Statement
from polyir.proofs.bands import active_at
from polyir.proofs.legality import violations
from polyir.sets.hulls import coalesced
from polyir.sets.lists import maps_of, union_map, union_set
from polyir.transform.walk import BAND
from polyir.tree import Schedule
from polyir.tree.order import backward, forward, still_active
from polyir.tree.symbolic_tiles import tiles_at


def conflicts(scop: Scop, flow: ArrayFlow) -> isl.UnionMap:
    """`{ A[a] -> A[b] : a != b }`: both may hold values at a common time. Symmetric.

    A value that an instance reads last is in conflict with those that the instance writes,
    unless its body does all its reads of the array before its writes.
    """
    writes = _union(scop, (access.relation for _, access in flow.writes))
    values = writes.wrap()
    read_by, written_by = _reads_of_values(scop, flow, writes), values.unwrap().domain_map()
    instances = read_by.range().union(writes.domain())
    late = not_before(scop, instances, writes.domain())
    # { [W1 -> a] -> W2 }: the value in a is still used when W2 writes, or later.
    # One that is never read is used where it is written.
    used_late = read_by.apply_range(late.subtract(_reads_first(scop, flow)))
    used_late = used_late.union(written_by.apply_range(late))
    written = writes.domain_map().reverse()
    overlapping = coalesced(used_late.apply_range(written))
    overlapping = overlapping.intersect(overlapping.reverse())
    element = writes.range_map()
    both = overlapping.apply_domain(element).apply_range(element)
    return coalesced(both.subtract(isl.UnionSet.identity(writes.range())))


def element_conflicts(scop: Scop, flow: ArrayFlow) -> isl.UnionMap:
    """What `conflicts` gives, or more: an element lives from its first write to its last read.

    These are fewer relations, and isl takes far less time for them: the instances that write an
    array are not told apart. For an array of which no element gets a second value after the last
    read of the first one, as those of equations, the result is the same.
    """
    writes = _union(scop, (access.relation for _, access in flow.writes))
    read_by = coalesced(_reads_of_values(scop, flow, writes).apply_domain(writes.range_map()))
    instances = read_by.range().union(writes.domain())
    late = not_before(scop, instances, writes.domain())
    # { S[i] -> A[a] }: A[a] may be written when S[i] runs, or later.
    after_reads = coalesced(late.subtract(_reads_first(scop, flow)).apply_range(writes))
    after_writes = coalesced(late.intersect_domain(writes.domain()).apply_range(writes))
    used_late = read_by.apply_range(after_reads)
    overlapping = coalesced(used_late.union(writes.reverse().apply_range(after_writes)))
    overlapping = overlapping.intersect(overlapping.reverse())
    return overlapping.subtract(isl.UnionSet.identity(writes.range()))


def _union(scop: Scop, relations: Iterator[isl.Map]) -> isl.UnionMap:
    return union_map(relations, scop.context.get_space()).intersect_params(scop.context)


def _reads_of_values(scop: Scop, flow: ArrayFlow, writes: isl.UnionMap) -> isl.UnionMap:
    """`{ [W[i] -> A[a]] -> R[j] }`: the reads of each value."""
    uses = isl.UnionMap.empty(scop.context.get_space())
    for read in flow.reads:
        elements = isl.UnionMap.from_map(read.access.relation)
        for relation in read.sources:
            pairs = isl.UnionMap.from_map(relation)
            # { W[i] -> [A[a] -> R[j]] }, with a what R[j] reads, then only what W[i] wrote.
            value = pairs.apply_range(elements.reverse().range_map().reverse())
            value = value.uncurry().intersect_domain(writes.wrap())
            uses = uses.union(value)
    return coalesced(uses)


def _reads_first(scop: Scop, flow: ArrayFlow) -> isl.UnionMap:
    """`{ S[i] -> S[i] }` for the statements that read the array before they write it."""
    found = (each.domain for each in scop.statements if _has_reads_first(each, flow.array))
    return union_set(found, scop.context.get_space()).identity()


def _has_reads_first(statement: Statement, array: str) -> bool:
    kinds = [access.kind for access in statement.accesses if access.array == array]
    writes = [position for position, kind in enumerate(kinds) if kind is not AccessKind.READ]
    return not writes or AccessKind.READ not in kinds[writes[0] :]


def not_before(scop: Scop, sources: isl.UnionSet, targets: isl.UnionSet) -> isl.UnionMap:
    """`{ S[i] -> T[j] }`: the pairs of which the first does not surely run before the second."""
    pairs = isl.UnionMap.from_domain_and_range(sources, targets)
    # Any kind that orders will do: whether the schedule keeps the order is the question.
    items = tuple(Dependence(DependenceKind.OUTPUT, "", relation) for relation in maps_of(pairs))
    dependences = Dependences(value_based=False, items=items)
    late = [each.relation for each in violations(dependences, scop.schedule)]
    late += _concurrent(scop.schedule, dependences)
    return coalesced(union_map(late, scop.context.get_space()))


def _concurrent(schedule: Schedule, dependences: Dependences) -> Iterator[isl.Map]:
    """The pairs in different iterations of loops marked parallel."""
    for node in schedule.root.walk():
        if node.kind is BAND and any(map(requires_parallel, node.loop_attributes)):
            actives = active_at(node, dependences)
            pairs = zip(node.band.functions_by_statement, node.loop_attributes, strict=True)
            for member, attributes in pairs:
                if requires_parallel(attributes):
                    for active in actives:
                        yield forward(active, member)
                        yield backward(active, member)
                actives = still_active(actives, member)
        tiles = tiles_at(node)
        if tiles is not None and any(map(requires_parallel, tiles.loops)):
            # Tiles of a wavefront run at the same time whatever their distance is.
            yield from (active.relation for active in active_at(node, dependences))
