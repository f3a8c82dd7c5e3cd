"""Accesses whose subscripts come out of index arrays, read from the bodies of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import islpy as isl
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from polyir.dialects.scop import ScopOp
from polyir.model.affine import IndexReader, NotAffineError, constant_value
from polyir.model.index_arrays import IndexFunction, index_functions, without_casts
from polyir.model.statements import SymbolicAccess
from polyir.model.uninterpreted import Application, SymbolicSet
from polyir.sets.values import isl_value

ElementAccess = affine.LoadOp | affine.StoreOp | memref.LoadOp | memref.StoreOp


class SymbolicReader:
    """Reads accesses of one scop; `names` are the names of its arrays."""

    def __init__(self, scop: ScopOp, names: Mapping[SSAValue, str]) -> None:
        self._scop = scop
        self._functions = index_functions(scop, names)

    def read(self, op: Operation, block: Block, domain: isl.Set) -> SymbolicAccess | None:
        """The access `op` of a statement with the body `block`, for the instances `domain`.

        `None` if it is of no such form, or if it has no terms.
        """
        if not self._functions or not isinstance(op, ElementAccess):
            return None
        terms = _Terms(block, self._functions)
        control = _control_around(op, block)
        try:
            for around, _ in control:
                terms.add_control(around)
            for index in op.indices:
                terms.add(index)
            if not terms.found:
                return None
            return _AccessReader(self._scop, block, domain, terms, op).access(control)
        except NotAffineError:
            return None


@dataclass
class _Terms:
    """The values that subscripts are affine in, beside iterators and parameters, in order."""

    block: Block
    functions: Mapping[SSAValue, IndexFunction]
    loads: dict[SSAValue, IndexFunction] = field(default_factory=dict)
    found: dict[SSAValue, None] = field(default_factory=dict)

    def add_control(self, op: scf.ForOp | scf.IfOp) -> None:
        """Add what decides whether the body of `op` runs; nothing if that is data."""
        if isinstance(op, scf.ForOp):
            self.add(op.body.block.args[0])
        elif _is_of_indices(op.cond):
            self.add(op.cond)

    def add(self, value: SSAValue) -> None:
        """Add what a value depends on, and the value if it is a term."""
        if value in self.found:
            return
        owner = value.owner
        if isinstance(owner, Block):
            loop = owner.parent_op()
            if isinstance(loop, scf.ForOp) and self.block.is_ancestor(loop):
                if value is not owner.args[0]:
                    raise NotAffineError("a value that a loop carries")
                for bound in (loop.lb, loop.ub):
                    self.add(bound)
                self.found[value] = None
            return
        if not self.block.is_ancestor(owner) or owner.regions:
            return
        for operand in owner.operands:
            self.add(operand)
        if isinstance(owner, affine.LoadOp | memref.LoadOp) and owner.memref in self.functions:
            self.found[value] = None
            self.loads[value] = self.functions[owner.memref]


class _AccessReader:
    """Reads one access of a statement, and index values there, on the space of `[i, t, a]`."""

    def __init__(
        self, scop: ScopOp, block: Block, domain: isl.Set, terms: _Terms, op: ElementAccess
    ) -> None:
        self._block = block
        self._domain = domain
        self._terms = terms
        self._op = op
        self._rank = domain.dim(isl.dim_type.set)
        self._positions = {value: self._rank + n for n, value in enumerate(terms.found)}
        self._parameters = {value: name for name, value in scop.parameter_values.items()}
        self._elements = len(op.indices)
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            self._elements = len(op.map.data.results)
        self._points = domain.reset_tuple_id().add_dims(
            isl.dim_type.set, len(self._positions) + self._elements
        )
        self._space = self._points.get_space()

    def access(self, control: Sequence[_Around]) -> SymbolicAccess:
        """The access below `control`; raises `NotAffineError`."""
        op, count, points = self._op, len(self._positions), self._points
        reader = IndexReader(self._space, self._resolve)
        for number, subscript in enumerate(_subscripts(op, reader)):
            place = self._variable(isl.dim_type.set, self._rank + count + number)
            points = points.intersect(place.eq_set(subscript))
        counters: list[tuple[int, str]] = []
        for value, position in self._positions.items():
            if value not in self._terms.loads:
                points = points.intersect(self._within_bounds(value, reader))
                counters.append((position, value.name_hint or "k"))
        for around, is_first in control:
            if isinstance(around, scf.IfOp):
                points = points.intersect(self._where(around, is_first, reader))
        applications = tuple(self._application(value, reader) for value in self._terms.loads)
        name = self._domain.get_tuple_name()
        symbolic = SymbolicSet(points, applications)
        return SymbolicAccess(name, self._rank, count, self._elements, symbolic, tuple(counters))

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
        local = isl.LocalSpace.from_space(self._space)
        return isl.PwAff.from_aff(isl.Aff.var_on_domain(local, kind, position))

    def _within_bounds(self, counter: SSAValue, reader: IndexReader) -> isl.Set:
        """Where the counter of a loop is in its bounds."""
        assert isinstance(counter.owner, Block)
        loop = counter.owner.parent_op()
        assert isinstance(loop, scf.ForOp)
        value, lower, upper = (reader.read(each) for each in (counter, loop.lb, loop.ub))
        inside = value.ge_set(lower).intersect(value.lt_set(upper))
        step = constant_value(reader.read(loop.step))
        if step is None or step <= 0:
            raise NotAffineError("the step is not a positive constant")
        offset = value.sub(lower).mod_val(isl_value(step))
        return inside if step == 1 else inside.intersect(offset.zero_set())

    def _where(self, op: scf.IfOp, is_first: bool, reader: IndexReader) -> isl.Set:
        """Where the first or the second branch of `op` runs; everywhere if that is data."""
        # The modules of raising import those of scops.
        from polyir.model.raising.control import condition_of

        try:
            holds = condition_of(op, reader)
        except NotAffineError:
            return isl.Set.universe(self._space)
        return holds if is_first else holds.complement()

    def _application(self, value: SSAValue, reader: IndexReader) -> Application:
        load = value.owner
        assert isinstance(load, affine.LoadOp | memref.LoadOp)
        arguments = tuple(map(_single, _subscripts(load, reader)))
        if not arguments:
            raise NotAffineError("memory without subscripts")
        return Application(self._terms.loads[value], arguments, self._positions[value])


def _subscripts(op: ElementAccess, reader: IndexReader) -> Sequence[isl.PwAff]:
    if isinstance(op, memref.LoadOp | memref.StoreOp):
        return [reader.read(index) for index in op.indices]
    return reader.read_map(op.map.data, op.indices)


def _single(expression: isl.PwAff) -> isl.Aff:
    """A function that is the same everywhere."""
    pieces = expression.get_pieces()
    if len(pieces) != 1 or not pieces[0][0].plain_is_universe():
        raise NotAffineError("an argument with several cases")
    return pieces[0][1]


_Around = tuple[scf.ForOp | scf.IfOp, bool]
"""A loop or a condition, and whether something is in its first region."""


def _control_around(op: Operation, block: Block) -> list[_Around]:
    """The loops and conditions of a statement around an operation, outer first."""
    found: list[_Around] = []
    while op.parent is not block:
        region, parent = op.parent_region(), op.parent_op()
        assert parent is not None
        if isinstance(parent, scf.ForOp | scf.IfOp):
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
