"""Where the values of a scop come from and go to, store by store.

This is the array dataflow analysis of P. Feautrier, "Dataflow Analysis of Array and Scalar
References" (IJPP 1991), as isl computes it: `polyir.model.dataflow` for statements, refined to the
stores in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from polyir.base.diagnostics import location_of
from polyir.equations.errors import NoEquationsError
from polyir.model.analysis import arrays_in_order
from polyir.model.dataflow import ArrayFlow, ReadFlow, array_flow
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind, Statement
from polyir.sets.lists import maps_of

_IN = isl.dim_type.in_


@dataclass(frozen=True, eq=False)
class Write:
    """A store of a statement; each instance in `domain` writes one element of `array`.

    These are not all of the statement, if the store is in a conditional.
    """

    statement: Statement
    access: Access
    domain: isl.Set

    @property
    def array(self) -> str:
        """The array."""
        return self.access.array


Source = tuple[Write, isl.Map]
"""A store, and a relation to its instances."""


@dataclass(frozen=True, eq=False)
class Read:
    """A load of a statement.

    `sources` lead from the instances of the statement to those of stores, `{ S[j] -> W[i] }`: S[j]
    reads what W[i] has stored. All others read an element from before the scop: `unwritten`, which
    is `{ S[j] -> A[a] }`. Together they are a function, of which each is a part.
    """

    statement: Statement
    access: Access
    sources: tuple[Source, ...]
    unwritten: isl.Map


@dataclass(frozen=True)
class ScopFlow:
    """All writes and reads of a scop, and `last`, the last write of each element by arrays.

    `last` is `{ A[a] -> W[i] }`, for each array a list of which all are parts of a function.
    """

    writes: tuple[Write, ...]
    reads: tuple[Read, ...]
    last: dict[str, tuple[Source, ...]]

    def reads_of(self, statement: Statement) -> Iterator[Read]:
        """The loads of a statement."""
        return (each for each in self.reads if each.statement.name == statement.name)


def scop_flow(scop: Scop) -> ScopFlow:
    """The flow of values through a scop in the order of its schedule tree.

    Raises `PolyirError` for an access of which it is not known what it accesses, and whether.
    """
    for statement in scop.statements:
        for access in statement.accesses:
            if not access.certain:
                raise NoEquationsError(
                    f"{statement.name} may {_verb(access)} other elements of {access.array}, or "
                    "none, which depends on data",
                    location_of(access.operation),
                )
    writes = tuple(
        Write(statement, access, access.relation.domain().intersect_params(scop.context))
        for statement in scop.statements
        for access in statement.accesses
        if access.kind is not AccessKind.READ
    )
    statements = {each.name: each for each in scop.statements}
    reads: list[Read] = []
    last: dict[str, tuple[Source, ...]] = {}
    for array in arrays_in_order(scop):
        flow = array_flow(scop, array)
        stores = [each for each in writes if each.array == array]
        reads += [_read(statements[each.statement], each, stores) for each in flow.reads]
        if stores:
            last[array] = tuple(_last(flow, stores))
    return ScopFlow(writes, tuple(reads), last)


def _verb(access: Access) -> str:
    return "read" if access.kind is AccessKind.READ else "write"


def _read(statement: Statement, flow: ReadFlow, stores: list[Write]) -> Read:
    sources: list[Source] = []
    for relation in flow.sources:
        name = relation.get_tuple_name(_IN)
        found = relation.reverse()
        own = isl.Map.empty(found.get_space())
        if name == statement.name:
            own = found.intersect(isl.Map.identity(found.get_space()))
            found = found.subtract(own)
        # The last store of an instance to an element is the one of which the value stays.
        for store in reversed([each for each in stores if each.statement.name == name]):
            same = flow.access.relation.apply_range(store.access.relation.reverse())
            part = found.intersect(same)
            found = found.subtract(part)
            if _precedes(store.access, flow.access, statement):
                part = part.union(own.intersect(same))
                own = own.subtract(same)
            if not part.is_empty():
                sources.append((store, _function(part)))
    unwritten = isl.Map.empty(flow.access.relation.get_space())
    for each in maps_of(flow.unwritten):
        unwritten = unwritten.union(each)
    return Read(statement, flow.access, tuple(sources), unwritten.coalesce())


def _precedes(store: Access, load: Access, statement: Statement) -> bool:
    """Whether a store is before a load in the body of the statement that both are in."""
    own = [each.operation for each in statement.accesses]
    return store.operation in own and own.index(store.operation) < own.index(load.operation)


def _last(flow: ArrayFlow, stores: list[Write]) -> Iterator[Source]:
    for relation in maps_of(flow.writes_that_remain):
        name = relation.get_tuple_name(_IN)
        rest = relation
        for store in reversed([each for each in stores if each.statement.name == name]):
            part = rest.intersect(store.access.relation)
            rest = rest.subtract(part)
            if not part.is_empty():
                yield store, _function(part.reverse())


def _function(relation: isl.Map) -> isl.Map:
    assert relation.is_single_valued()
    return relation.coalesce()
