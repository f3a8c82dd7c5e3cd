"""Accesses whose subscripts come out of index arrays, read from the bodies of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import islpy as isl
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from polyir.dialects.scop import ScopOp
from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.index_arrays import IndexFunction, index_functions, without_casts
from polyir.model.memory_accesses import MemoryAccess, load_of
from polyir.model.statements import SymbolicAccess
from polyir.model.uninterpreted import Application, SymbolicSet


class SymbolicReader:
    """Reads accesses of one scop; `names` are the names of its arrays."""

    def __init__(self, scop: ScopOp, names: Mapping[SSAValue, str]) -> None:
        self._scop = scop
        self._functions = index_functions(scop, names)

    def read(self, access: MemoryAccess, block: Block, domain: isl.Set) -> SymbolicAccess | None:
        """An access of a statement with the body `block`, for the instances `domain`.

        `None` if it is of no such form, or if it has no terms.
        """
        if not self._functions or access.extents:
            return None
        terms = _Terms(block, self._functions)
        control = _control_around(access.op, block)
        try:
            for around, _ in control:
                terms.add_control(around)
            for index in access.indices:
                terms.add(index)
            if not terms.found:
                return None
            return _AccessReader(self._scop, block, domain, terms, access).symbolic(control)
        except NotAffineError:
            return None


@dataclass
class _Terms:
    """The values that subscripts are affine in, beside iterators and parameters, in order."""

    block: Block
    functions: Mapping[SSAValue, IndexFunction]
    loads: dict[SSAValue, IndexFunction] = field(default_factory=dict)
    found: dict[SSAValue, None] = field(default_factory=dict)

    def add_control(self, op: _Control) -> None:
        """Add what decides whether the body of `op` runs; nothing if that is data."""
        if isinstance(op, affine.ForOp | scf.ForOp):
            self.add(op.body.block.args[0])
        elif isinstance(op, affine.IfOp) or _is_of_indices(op.cond):
            for value in op.operands:
                self.add(value)

    def add(self, value: SSAValue) -> None:
        """Add what a value depends on, and the value if it is a term."""
        if value in self.found:
            return
        owner = value.owner
        if isinstance(owner, Block):
            loop = owner.parent_op()
            if isinstance(loop, affine.ForOp | scf.ForOp) and self.block.is_ancestor(loop):
                if value is not owner.args[0]:
                    raise NotAffineError("a value that a loop carries")
                for operand in _bound_operands(loop):
                    self.add(operand)
                self.found[value] = None
            return
        if not self.block.is_ancestor(owner) or owner.regions:
            return
        for operand in owner.operands:
            self.add(operand)
        load = load_of(value)
        if load is not None and not load.extents and load.memref in self.functions:
            self.found[value] = None
            self.loads[value] = self.functions[load.memref]


class _AccessReader:
    """Reads one access of a statement, and index values there, on the space of `[i, t, a]`."""

    def __init__(
        self, scop: ScopOp, block: Block, domain: isl.Set, terms: _Terms, access: MemoryAccess
    ) -> None:
        self._block = block
        self._domain = domain
        self._terms = terms
        self._access = access
        self._rank = domain.dim(isl.dim_type.set)
        self._positions = {value: self._rank + n for n, value in enumerate(terms.found)}
        self._parameters = {value: name for name, value in scop.parameter_values.items()}
        self._points = domain.reset_tuple_id().add_dims(
            isl.dim_type.set, len(self._positions) + access.rank
        )
        self._space = self._points.get_space()

    def symbolic(self, control: Sequence[_Around]) -> SymbolicAccess:
        """The access below `control`; raises `NotAffineError`."""
        count, points = len(self._positions), self._points
        reader = IndexReader(self._space, self._resolve)
        for number, subscript in enumerate(self._access.read(reader)):
            place = self._variable(isl.dim_type.set, self._rank + count + number)
            points = points.intersect(place.eq_set(subscript))
        counters: list[tuple[int, str]] = []
        for value, position in self._positions.items():
            if value not in self._terms.loads:
                points = points.intersect(self._within_bounds(value, reader))
                counters.append((position, value.name_hint or "k"))
        for around, is_first in control:
            if isinstance(around, affine.IfOp | scf.IfOp):
                points = points.intersect(self._where(around, is_first, reader))
        applications = tuple(self._application(value, reader) for value in self._terms.loads)
        name = self._domain.get_tuple_name()
        symbolic = SymbolicSet(points, applications)
        return SymbolicAccess(name, self._rank, count, self._access.rank, symbolic, tuple(counters))

    def _resolve(self, value: SSAValue) -> isl.PwAff | None:
        source = without_casts(value)
        if source in self._positions:
            return self._variable(isl.dim_type.set, self._positions[source])
        if value in self._parameters:
            position = self._space.find_dim_by_name(isl.dim_type.param, self._parameters[value])
            return self._variable(isl.dim_type.param, position)
        if value.owner is self._block:
            return self._variable(isl.dim_type.set, self._block.args.index(value))
        return None

    def _variable(self, kind: isl.dim_type, position: int) -> isl.PwAff:
        return isl.PwAff.var_on_domain(self._space, kind, position)

    def _within_bounds(self, counter: SSAValue, reader: IndexReader) -> isl.Set:
        """Where the counter of a loop is in its bounds."""
        # The modules of raising import those of scops.
        from polyir.model.raising.control import bounds_of

        assert isinstance(counter.owner, Block)
        loop = counter.owner.parent_op()
        assert isinstance(loop, affine.ForOp | scf.ForOp)
        (bounds,) = bounds_of(loop, reader)
        return bounds.restrict(reader.read(counter))

    def _where(self, op: affine.IfOp | scf.IfOp, is_first: bool, reader: IndexReader) -> isl.Set:
        """Where the first or the second branch of `op` runs; everywhere if that is data."""
        from polyir.model.raising.control import condition_of

        try:
            holds = condition_of(op, reader)
        except NotAffineError:
            return isl.Set.universe(self._space)
        return holds if is_first else holds.complement()

    def _application(self, value: SSAValue, reader: IndexReader) -> Application:
        load = load_of(value)
        assert load is not None
        arguments = tuple(map(_single, load.read(reader)))
        if not arguments:
            raise NotAffineError("memory without subscripts")
        return Application(self._terms.loads[value], arguments, self._positions[value])


def _single(expression: isl.PwAff) -> isl.Aff:
    """A function that is the same everywhere."""
    pieces = expression.get_pieces()
    if len(pieces) != 1 or not pieces[0][0].plain_is_universe():
        raise NotAffineError("an argument with several cases")
    return pieces[0][1]


def _bound_operands(loop: affine.ForOp | scf.ForOp) -> Sequence[SSAValue]:
    """What the bounds of a loop are computed from."""
    if isinstance(loop, scf.ForOp):
        return (loop.lb, loop.ub)
    return (*loop.lowerBoundOperands, *loop.upperBoundOperands)


_Control = affine.ForOp | affine.IfOp | scf.ForOp | scf.IfOp
_Around = tuple[_Control, bool]
"""A loop or a condition, and whether something is in its first region."""


def _control_around(op: Operation, block: Block) -> list[_Around]:
    """The loops and conditions of a statement around an operation, outer first."""
    found: list[_Around] = []
    while op.parent is not block:
        region, parent = op.parent_region(), op.parent_op()
        assert parent is not None
        if isinstance(parent, _Control):
            found.insert(0, (parent, region is parent.regions[0]))
        op = parent
    return found


def _is_of_indices(condition: SSAValue) -> bool:
    """Whether a condition compares indices."""
    match condition.owner:
        case arith.CmpiOp(lhs=lhs):
            return isinstance(lhs.type, IndexType)
        case arith.AndIOp(lhs=lhs, rhs=rhs) | arith.OrIOp(lhs=lhs, rhs=rhs):
            return _is_of_indices(lhs) and _is_of_indices(rhs)
        case _:
            return False
