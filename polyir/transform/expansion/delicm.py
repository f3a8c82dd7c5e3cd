"""DeLICM: a variable lives in the array element that it is stored to at last.

    for i, j                            for i, j
      s = 0                               C[i][j] = 0
      for k                               for k
        s += A[i][k] * B[k][j]    =>        C[i][j] += A[i][k] * B[k][j]
      C[i][j] = s

The variable is one for all iterations, which cannot run at the same time, nor be interchanged. The
element is another one in each iteration, is written there anyway, and needs no memory
(M. Kruse, T. Grosser, "DeLICM: scalar dependence removal at zero memory cost", CGO 2018).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import islpy as isl
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from polyir.base import budgets
from polyir.model.analysis import bounded
from polyir.model.memory_accesses import ElementLoad, ElementStore, accesses_of
from polyir.model.outcome import Rewritten
from polyir.model.raising.effects import is_pure
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Access, AccessKind, Statement
from polyir.sets.lists import maps_of, union_map, union_set
from polyir.transform.expansion.lifetimes import not_before
from polyir.transform.expansion.privatize import Web, webs_of
from polyir.transform.expansion.temporaries import StatementValues, remove_unused, temporaries
from polyir.tree import Domain, Schedule
from polyir.tree.nodes import restricted_to
from polyir.tree.operations import set_schedule


def map_scalars(scop: Scop, arrays: Sequence[str] = ()) -> Rewritten:
    """Let variables of a scop live in the array elements that they are stored to.

    `arrays` are the only ones to look at; without them all temporaries of rank 0 are. Statements
    that only store an element to itself then are removed, also from the schedule tree. The tree
    must be that of the original order. The dependences of the scop are out of date after it.
    """
    op = scop.op
    changed: set[str] = set()
    done: list[str] = []
    for name in [name for name in arrays or scop.arrays if _is_scalar(scop, name)]:
        # Elements in which one variable lives are none for another.
        while found := bounded(budgets.FREED_LOOPS, partial(_mapping, scop, name), op):
            for statement, access, function in found.accesses:
                values = StatementValues(scop, statement)
                subscripts = [function.get_at(n) for n in range(function.dim(isl.dim_type.out))]
                memory = scop.arrays[found.array]
                values.redirect(access.operation, memory, values.expressions(subscripts))
                changed.add(statement.name)
            done.append(f"{name} lives in {found.array} until {found.last} stores it there")
            remove_unused(scop.arrays[name])
            scop = scop_of(op)
            if name not in scop.arrays:
                break
    _remove_copies(scop, changed)
    return Rewritten(tuple(done))


def _is_scalar(scop: Scop, name: str) -> bool:
    type = scop.arrays[name].type
    return isinstance(type, MemRefType) and not type.get_num_dims()


@dataclass(frozen=True)
class _Mapped:
    """The accesses to a variable that become accesses to an array, each with its subscripts.

    `last` is the statement that stores the variable to the array.
    """

    array: str
    last: str
    accesses: tuple[tuple[Statement, Access, isl.MultiAff], ...]


def _mapping(scop: Scop, name: str) -> _Mapped | None:
    """A way in which some values of a variable can live in an array."""
    flows, _ = temporaries(scop, (name,))
    for flow in flows.values():
        for web in webs_of(flow):
            for mapped in _mappings(scop, name, web):
                return mapped
    return None


def _mappings(scop: Scop, name: str, web: Web) -> Iterator[_Mapped]:
    """The ways in which a variable can live in an array."""
    writing = {statement for statement, _ in web.writes}
    if any(access.kind is not AccessKind.WRITE for _, access in web.writes):
        # Compilers compute both sides of a condition for a variable, but not for an element.
        return
    for statement in scop.statements:
        if statement.name in writing or all(statement.name != read.statement for read in web.reads):
            continue
        for last in statement.accesses:
            is_same = _element_type(scop, last.array) == _element_type(scop, name)
            if last.kind is AccessKind.WRITE and last.certain and is_same:
                accesses = _subscripts(scop, web, statement, last)
                if accesses is not None:
                    yield _Mapped(last.array, statement.name, accesses)


def _element_type(scop: Scop, name: str) -> object:
    type = scop.arrays[name].type
    return type.element_type if isinstance(type, MemRefType) else None


def _subscripts(
    scop: Scop, web: Web, last: Statement, store: Access
) -> tuple[tuple[Statement, Access, isl.MultiAff], ...] | None:
    """Each access to a variable with the element in which the variable can live then.

    It is the one that the next instance of the statement `last` stores to. `None` if a value is
    needed after that, or the element for something else before it.
    """
    statements = {each.name: each for each in scop.statements}
    accesses = [(statements[name], access) for name, access in web.writes]
    accesses += [(statements[read.statement], read.access) for read in web.reads]
    users = union_set((each.domain for each, _ in accesses), scop.context.get_space())
    next_store = _next(scop, users, last)
    # A value does not outlive the store; the store itself reads one.
    for read in web.reads:
        for sources in map(isl.UnionMap.from_map, read.sources):
            if not sources.is_subset(next_store.apply_range(next_store.reverse())):
                return None
    if not users.is_subset(next_store.domain()):
        return None
    elements = next_store.apply_range(isl.UnionMap.from_map(store.relation))
    if not elements.is_single_valued() or _is_needed(scop, web, last, store, next_store, elements):
        return None
    found: list[tuple[Statement, Access, isl.MultiAff]] = []
    for statement, access in accesses:
        relation = elements.intersect_domain(isl.UnionSet.from_set(statement.domain))
        function = _affine(relation, statement)
        if access.operation is store.operation or function is None:
            return None
        found.append((statement, access, function))
    return tuple(found)


def _next(scop: Scop, users: isl.UnionSet, last: Statement) -> isl.UnionMap:
    """`{ S[i] -> L[j] }`: the next instance of a statement, or the same one."""
    times = scop.schedule.map
    stores = times.intersect_domain(isl.UnionSet.from_set(last.domain))
    later = times.intersect_domain(users).lex_le_union_map(stores)
    return later.apply_range(stores).lexmin().apply_range(stores.reverse())


def _affine(relation: isl.UnionMap, statement: Statement) -> isl.MultiAff | None:
    """The only affine function that a relation is on the domain of a statement."""
    maps = maps_of(relation)
    if len(maps) != 1:
        return None
    pieces: list[isl.MultiAff] = []
    function = isl.PwMultiAff.from_map(maps[0].gist_domain(statement.domain))
    function.foreach_piece(lambda _, piece: pieces.append(piece))
    return pieces[0] if len(pieces) == 1 and not _divides(pieces[0]) else None


def _divides(function: isl.MultiAff) -> bool:
    parts = (function.get_at(place) for place in range(function.dim(isl.dim_type.out)))
    return any(each.dim(isl.dim_type.div) for each in parts)


def _is_needed(
    scop: Scop,
    web: Web,
    last: Statement,
    store: Access,
    next_store: isl.UnionMap,
    elements: isl.UnionMap,
) -> bool:
    """Whether something else accesses an element while a variable would live in it."""
    own = {id(access.operation) for _, access in web.writes}
    own |= {id(read.access.operation) for read in web.reads}
    space = scop.context.get_space()
    for statement in scop.statements:
        others = [each for each in statement.accesses if each.array == store.array]
        others = [each for each in others if each.operation is not store.operation]
        if not others:
            continue
        other = union_map((each.relation for each in others), space)
        # { S[i] -> O[k] }: the variable is accessed, and the other access is to its element.
        pairs = elements.apply_range(other.reverse())
        instances = isl.UnionSet.from_set(statement.domain)
        after = not_before(scop, instances, elements.domain()).reverse()
        before = not_before(scop, isl.UnionSet.from_set(last.domain), instances)
        between = pairs.intersect(after).intersect(next_store.apply_range(before))
        if not between.subtract(instances.identity()).is_empty():
            return True
        stores = [access.operation for name, access in web.writes if name == statement.name]
        together = pairs.intersect(instances.identity())
        if stores and not together.is_empty() and not _come_first(statement, others, stores):
            return True
    return False


def _come_first(
    statement: Statement, accesses: Sequence[Access], stores: Sequence[Operation]
) -> bool:
    """Whether accesses come before some stores wherever the body of a statement is executed."""
    order = list(statement.op.body.walk())
    if any(each.regions and not isinstance(each, affine.IfOp | scf.IfOp) for each in order):
        # A loop may get to them again.
        return False
    first = min(map(order.index, stores))
    return all(order.index(each.operation) < first for each in accesses)


def _remove_copies(scop: Scop, names: Collection[str]) -> None:
    """Remove those of some statements that store elements to themselves, and do nothing else."""
    op = scop.op
    gone = [each for each in op.statements if each.sym_name.data in names and _is_copy(each)]
    if not gone:
        return
    kept = [each.domain for each in scop.statements if each.op not in gone]
    instances = union_set(kept, scop.context.get_space())
    root = scop.schedule.tree
    below = restricted_to(root.children[0], instances)
    set_schedule(op, Schedule(Domain((below,), instances)))
    for statement in gone:
        Rewriter.erase_op(statement)


def _is_copy(statement: Operation) -> bool:
    """Whether a statement stores an element to itself, and does nothing else."""
    stores = [each for each in statement.walk() if isinstance(each, ElementStore)]
    if len(stores) != 1 or not isinstance(load := stores[0].value.owner, ElementLoad):
        return False
    one, other = accesses_of(load)[0], accesses_of(stores[0])[0]
    is_same = one.memref is other.memref and one.map == other.map
    rest = (each for each in statement.walk() if each not in (statement, load, stores[0]))
    return (
        is_same
        and list(one.indices) == list(other.indices)
        and all(is_pure(each) or each.has_trait(IsTerminator) for each in rest)
    )
