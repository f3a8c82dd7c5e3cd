"""A `poly.scop` as polyhedral objects: statements, accesses, schedule.

Everything here is read from the operation; nothing is stored twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import islpy as isl
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from polyir.base.walks import operations_in
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.integer_ranges import integer_range
from polyir.model.local_arrays import shared_arrays, with_local_accesses
from polyir.model.memory_accesses import MemoryAccess, accesses_of
from polyir.model.statements import Access, AccessKind, Statement, SymbolicAccess
from polyir.sets.lists import union_map, union_set
from polyir.sets.names import unique_name as unique_name
from polyir.sets.values import isl_value
from polyir.tree import Schedule
from polyir.tree.operations import schedule_of

if TYPE_CHECKING:
    from polyir.model.symbolic_accesses import SymbolicReader


@dataclass(frozen=True)
class Scop:
    """The polyhedral view of a `poly.scop` under a schedule.

    `arrays` maps the tuple names of access relations to the memrefs. `bodies` are the statements
    with the accesses that their bodies say. Where marks `#poly.local` of the schedule tree send
    accesses to local arrays (`polyir.model.local_arrays`), `statements` have these instead.
    """

    op: ScopOp
    context: isl.Set
    bodies: tuple[Statement, ...]
    arrays: dict[str, SSAValue]
    schedule: Schedule

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The statements, with the memory that they access."""
        return with_local_accesses(self.bodies, self.schedule, shared_arrays(self.op), self.context)

    @cached_property
    def domain(self) -> isl.UnionSet:
        """All statement instances."""
        return union_set((body.domain for body in self.bodies), self.context.get_space())

    def under(self, schedule: Schedule) -> Scop:
        """The same scop under another schedule."""
        return Scop(self.op, self.context, self.bodies, self.arrays, schedule)

    @property
    def dependences(self) -> Dependences | None:
        """The dependences, if they were computed."""
        return None if self.op.dependences is None else self.op.dependences.data

    def accesses(self, *kinds: AccessKind) -> isl.UnionMap:
        """All accesses of the given kinds, `{ S[i] -> A[a] }`."""
        accesses = (each for statement in self.statements for each in statement.accesses)
        relations = (each.relation for each in accesses if each.kind in kinds)
        return union_map(relations, self.context.get_space())


def scop_of(op: ScopOp) -> Scop:
    """The polyhedral view of `op`, with the access relations read from its statements."""
    names = array_names(op)
    arrays = {name: value for value, name in names.items()}
    symbols = _Symbols(op, names)
    bodies = tuple(_statement(op, statement, symbols) for statement in op.statements)
    return Scop(op, op.context.data, bodies, arrays, schedule_of(op.tree))


def statement_of(scop: ScopOp, statement: StmtOp) -> Statement:
    """The view of one statement, which need not be in the scop yet."""
    return _statement(scop, statement, _Symbols(scop, array_names(scop)))


def array_names(op: ScopOp) -> dict[SSAValue, str]:
    """A tuple name for each memref that the scop uses: its name in the source, made unique."""
    names: dict[SSAValue, str] = {array.memory: array.sym_name.data for array in op.local_arrays}
    taken = {*names.values(), *(statement.sym_name.data for statement in op.statements)}
    for inner in operations_in(op):
        for operand in inner.operands:
            if isinstance(operand.type, MemRefType) and operand not in names:
                name = unique_name(operand.name_hint or "memory", taken)
                taken.add(name)
                names[operand] = name
    return names


def statement_reader(scop: ScopOp, block: Block, space: isl.Space) -> IndexReader:
    """Reads index values in a statement's body: its iterators and the scop's parameters.

    `space` is the set space of the statement's domain, all parameters of the scop aligned.
    """
    known: dict[SSAValue, isl.PwAff] = {}
    for name, value in scop.parameter_values.items():
        position = space.find_dim_by_name(isl.dim_type.param, name)
        known[value] = isl.PwAff.var_on_domain(space, isl.dim_type.param, position)
    for position, argument in enumerate(block.args):
        known[argument] = isl.PwAff.var_on_domain(space, isl.dim_type.set, position)
    return IndexReader(space, known.get)


class _Symbols:
    """The names of the arrays of a scop, and the form of subscripts that are not affine."""

    def __init__(self, scop: ScopOp, names: dict[SSAValue, str]) -> None:
        self.names = names
        self._scop = scop

    @cached_property
    def reader(self) -> SymbolicReader:
        """Reads subscripts that come out of index arrays."""
        # Few scops have such subscripts, and start-up is part of every run.
        from polyir.model.symbolic_accesses import SymbolicReader

        return SymbolicReader(self._scop, self.names)

    def possible_elements(self, access: SymbolicAccess, array: str, relation: isl.Map) -> isl.Map:
        """`relation` with what ranges leave of it, if the names of its dimensions stay."""
        from polyir.model.uninterpreted import possible_elements

        return relation.intersect(possible_elements(access, array))


def _statement(scop: ScopOp, op: StmtOp, symbols: _Symbols) -> Statement:
    domain = op.domain.data.align_params(scop.context.data.get_space())
    reader = statement_reader(scop, op.body.block, domain.get_space())
    collector = _AccessCollector(domain, reader, symbols, op.body.block)
    collector.collect(op.body.block, certain=True)
    return Statement(op.sym_name.data, domain, tuple(collector.accesses), op)


class _AccessCollector:
    """Collects the accesses of one statement's body in order."""

    def __init__(
        self, domain: isl.Set, reader: IndexReader, symbols: _Symbols, body: Block
    ) -> None:
        self.accesses: list[Access] = []
        self._domain = domain
        self._reader = reader
        self._symbols = symbols
        self._body = body

    def collect(self, block: Block, certain: bool) -> None:
        """Add the accesses of `block`; not `certain` where the block may not be executed."""
        for op in block.ops:
            for access in accesses_of(op):
                self._add(access, certain and access.is_certain)
            branches = self._branches(op)
            for region in op.regions:
                part = None if branches is None else branches[region is not op.regions[0]]
                for inner in region.blocks:
                    if part is None:
                        self.collect(inner, certain=False)
                    else:
                        self._collect_within(inner, certain, part)

    def _branches(self, op: Operation) -> tuple[isl.Set, isl.Set] | None:
        """The instances that run the two branches of an affine conditional, if they are known."""
        if not isinstance(op, affine.IfOp):
            return None
        try:
            holds = self._reader.read_set(op.condition.data, op.args)
        except NotAffineError:
            return None
        return self._domain.intersect(holds), self._domain.subtract(holds)

    def _collect_within(self, block: Block, certain: bool, domain: isl.Set) -> None:
        """Add the accesses of a block that the instances `domain` run."""
        collector = _AccessCollector(domain, self._reader, self._symbols, self._body)
        collector.collect(block, certain)
        self.accesses += collector.accesses

    def _add(self, access: MemoryAccess, certain: bool) -> None:
        subscripts = _widen(self._subscripts(access), access.extents)
        exact = certain and all(subscript is not None for subscript in subscripts)
        kind = AccessKind.READ
        if access.is_write:
            kind = AccessKind.WRITE if exact else AccessKind.MAY_WRITE
        array = self._symbols.names[access.memref]
        relation = self._relation(subscripts, array)
        for place in (n for n, subscript in enumerate(subscripts) if subscript is None):
            if len(subscripts) == len(access.indices):
                relation = _within_type(relation, place, access.indices[place])
            relation = _within_extent(relation, place, access)
        symbolic = None
        if not exact:
            symbolic = self._symbols.reader.read(access, self._body, self._domain)
        if symbolic is not None and symbolic.has_ranges:
            relation = self._symbols.possible_elements(symbolic, array, relation)
        self.accesses.append(Access(kind, array, relation, access.op, exact, symbolic))

    def _subscripts(self, access: MemoryAccess) -> list[_Subscript]:
        if access.map is None:
            return [self._subscript(index) for index in access.indices]
        try:
            return [isl.Map.from_pw_aff(each) for each in access.read(self._reader)]
        except NotAffineError:
            return [None] * access.rank

    def _subscript(self, index: SSAValue) -> _Subscript:
        try:
            return isl.Map.from_pw_aff(self._reader.read(index))
        except NotAffineError:
            return None

    def _relation(self, subscripts: Sequence[_Subscript], array: str) -> isl.Map:
        """`{ S[i] -> array[subscripts] }`; an unknown subscript is anything."""
        space = self._domain.get_space()
        relation = isl.Map.from_domain(self._domain)
        anything = isl.Map.universe(space.map_from_domain_and_range(_line(space)))
        for subscript in subscripts:
            relation = relation.flat_range_product(anything if subscript is None else subscript)
        return relation.set_tuple_name(isl.dim_type.out, array)


def _within_type(relation: isl.Map, place: int, index: SSAValue) -> isl.Map:
    """An access whose subscript at a place may be any number that its type has."""
    found = integer_range(index)
    if found is None:
        return relation
    relation = relation.lower_bound_val(isl.dim_type.out, place, isl_value(found.least))
    return relation.upper_bound_val(isl.dim_type.out, place, isl_value(found.greatest))


def _within_extent(relation: isl.Map, place: int, access: MemoryAccess) -> isl.Map:
    """An access whose subscript at a place may be any: of those that there are.

    In C, parameters may be declared as arrays of rows and accessed as one long row.
    """
    assert isinstance(access.memref.type, MemRefType)
    shape = access.memref.type.get_shape()
    is_own = isinstance(access.memref.owner, memref.AllocOp | memref.AllocaOp)
    if shape[place] == DYNAMIC_INDEX or (len(shape) > 1 and not is_own):
        return relation
    relation = relation.lower_bound_val(isl.dim_type.out, place, isl_value(0))
    return relation.upper_bound_val(isl.dim_type.out, place, isl_value(shape[place] - 1))


_Subscript = isl.Map | None
"""`{ S[i] -> [x] }`: the values of one subscript; `None` where they are not known."""


def _line(space: isl.Space) -> isl.Space:
    """The one-dimensional unnamed set space with the parameters of `space`."""
    return space.params().set_from_params().add_dims(isl.dim_type.set, 1)


def _widen(subscripts: list[_Subscript], extents: Sequence[int]) -> list[_Subscript]:
    """Let the trailing subscripts run over the shape of a vector."""
    widened = list(subscripts)
    for position, extent in zip(range(-len(extents), 0), extents, strict=True):
        subscript = widened[position]
        if subscript is not None:
            offsets = isl.Map(f"{{ [x] -> [y] : x <= y < x + {extent} }}")
            widened[position] = subscript.apply_range(offsets)
    return widened
