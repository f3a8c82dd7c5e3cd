"""Where each read takes its value from, access by access.

The dependences of a scop (`polyir.model.analysis`) relate statement instances and an array.
Whoever changes where values are kept must know more: which writes the value of one *access* may
come from (Feautrier, "Dataflow analysis of array and scalar references", 1991), and whether
it may be a value from before the scop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import islpy as isl
from xdsl.dialects import affine, scf
from xdsl.ir import Operation

from polyir.model.analysis import ArrayAccesses, array_accesses, exposed_reads
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind, Statement
from polyir.sets.lists import maps_of


@dataclass(frozen=True)
class ReadFlow:
    """The sources of one read of `statement`.

    `sources` are `{ W[i] -> S[j] }`, one a writing statement: `S[j]` may read what `W[i]`
    wrote, perhaps in the same instance. `unwritten` is the part of the access, `{ S[j] -> A[a] }`,
    that may find a value from before the scop.
    """

    statement: str
    access: Access
    sources: tuple[isl.Map, ...]
    unwritten: isl.UnionMap


@dataclass(frozen=True)
class ArrayFlow:
    """All writes and reads of one array, statement by statement in program order."""

    array: str
    writes: tuple[tuple[str, Access], ...]
    reads: tuple[ReadFlow, ...]
    accesses: ArrayAccesses = field(repr=False)

    @property
    def statements(self) -> tuple[str, ...]:
        """The names of the statements that access the array."""
        names = [name for name, _ in self.writes] + [read.statement for read in self.reads]
        return tuple(dict.fromkeys(names))

    def accesses_of(self, statement: str) -> tuple[Access, ...]:
        """The accesses of one statement: the writes, then the reads."""
        writes = [access for name, access in self.writes if name == statement]
        return (*writes, *(read.access for read in self.reads if read.statement == statement))

    @property
    def is_live_in(self) -> bool:
        """May a read find a value that the scop has not written?"""
        return any(not read.unwritten.is_empty() for read in self.reads)

    @cached_property
    def writes_that_remain(self) -> isl.UnionMap:
        """`{ W[i] -> A[a] }`: the writes that no certain write surely overwrites later."""
        accesses = self.accesses
        overwriting = accesses.flow_into(accesses.must_writes)
        overwritten = overwriting.get_full_may_dependence().range_factor_range()
        return accesses.must_writes.union(accesses.may_writes).subtract(overwritten)


def array_flow(scop: Scop, array: str) -> ArrayFlow:
    """The flow of values through `array` under the schedule tree in force.

    Exact where the accesses are; else `sources` and `unwritten` are over-approximations.
    """
    accesses = array_accesses(scop, array, scop.schedule)
    writes: list[tuple[str, Access]] = []
    reads: list[ReadFlow] = []
    for statement in scop.statements:
        writes += [
            (statement.name, access)
            for access in statement.accesses
            if access.array == array and access.kind is not AccessKind.READ
        ]
        for access, exposed in exposed_reads(statement, array):
            sink = isl.UnionMap.from_map(exposed).intersect_params(scop.context)
            flow = accesses.flow_into(sink)
            sources = flow.get_may_dependence().union(_own(statement, access))
            reads.append(
                ReadFlow(
                    statement.name, access, maps_of(sources.coalesce()), flow.get_may_no_source()
                )
            )
    return ArrayFlow(array, tuple(writes), tuple(reads), accesses)


def _own(statement: Statement, access: Access) -> isl.UnionMap:
    """The instances that may read what their own body wrote before: `{ S[i] -> S[i] }`."""
    loops = _loops_around(access.operation, statement)
    is_before = True
    inside = isl.Set.empty(statement.domain.get_space())
    for each in statement.accesses:
        is_before = is_before and each is not access
        is_reached = is_before or any(loop.is_ancestor(each.operation) for loop in loops)
        if is_reached and each.array == access.array and each.kind is not AccessKind.READ:
            inside = inside.union(each.relation.intersect(access.relation).domain())
    identity = isl.Map.identity(statement.domain.get_space().map_from_set())
    return isl.UnionMap.from_map(identity.intersect_domain(inside))


def _loops_around(operation: Operation, statement: Statement) -> list[Operation]:
    """What may repeat an operation in the body of its statement."""
    loops: list[Operation] = []
    around = operation.parent_op()
    while around is not None and around is not statement.op:
        if not isinstance(around, affine.IfOp | scf.IfOp):
            loops.append(around)
        around = around.parent_op()
    return loops
