"""What the statements of a scop compute, as expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import islpy as isl
from xdsl.dialects import affine, arith, func, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue

from polyir.base.diagnostics import PolyirError, SourceLocation, location_of
from polyir.dialects.pure_functions import is_pure_call
from polyir.dialects.scop import ScopOp
from polyir.equations.errors import NoEquationsError
from polyir.equations.operations import MATHEMATICAL
from polyir.equations.system import Case, Constant, Expression, If, Index, Restrict
from polyir.equations.system import Operation as Applied
from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.affine import constant as constant_index
from polyir.model.scop import statement_reader
from polyir.model.statements import Statement


@dataclass(frozen=True)
class Values:
    """The values of the operations in the body of a statement.

    `loaded` has an expression for each load, and `outside` gives one for a value that is computed
    before the scop. Raise `PolyirError`, with the place, where equations have no such operation.
    """

    scop: ScopOp
    statement: Statement
    type: AnyFloat | IntegerType
    loaded: Mapping[Operation, Expression]
    outside: Callable[[SSAValue], Expression]

    def of(self, value: SSAValue) -> Expression:
        """The expression of a value in the body."""
        op = value.owner
        if isinstance(op, Operation) and op in self.loaded:
            return self.loaded[op]
        if isinstance(op, Operation) and self.statement.op.is_ancestor(op):
            return self._chosen(value, op) if isinstance(op, affine.IfOp) else self._computed(op)
        return self.outside(value)

    def _computed(self, op: Operation) -> Expression:
        operands = op.operands
        match op:
            case arith.ConstantOp():
                return constant(op)
            case arith.CmpfOp() | arith.CmpiOp():
                return self._compared(op)
            case arith.SelectOp():
                parts = tuple(self.of(each) for each in operands)
                return If(parts, location=location_of(op))
            case arith.IndexCastOp(input=index) if op.results[0].type == self.type:
                return self._index(index, op)
            case arith.SIToFPOp() if op.results[0].type == self.type:
                return self._converted(op)
            case arith.ExtUIOp() | arith.UIToFPOp() if (
                operands[0].type == i1 and op.results[0].type == self.type
            ):
                # A boolean is 0 or 1 where a number is needed.
                return self.of(operands[0])
            case func.CallOp() if is_pure_call(op) and self._is_of_the_type(op):
                name = op.callee.root_reference.data
                if "." not in name:
                    return self._applied(name, op, is_external=True)
        if type(op) in _ON_BOOLEANS and op.results[0].type == i1:
            return self._applied(_ON_BOOLEANS[type(op)], op)
        if type(op) in _OPERATORS and self._is_of_the_type(op):
            return self._applied(_OPERATORS[type(op)], op)
        if type(op) in _FUNCTIONS and self._is_of_the_type(op):
            return self._applied(_FUNCTIONS[type(op)], op, is_external=True)
        raise refused(op, self.type)

    def _chosen(self, value: SSAValue, op: affine.IfOp) -> Expression:
        """A result of an affine conditional: a branch for the points where its condition holds."""
        try:
            holds = self._reader.read_set(op.condition.data, op.args)
        except NotAffineError as error:
            raise NoEquationsError(str(error), location_of(op)) from None
        position = op.results.index(value)
        branches: list[Expression] = []
        for region, points in ((op.then_region, holds), (op.else_region, holds.complement())):
            end = region.block.last_op
            assert end is not None
            chosen = self.of(end.operands[position])
            branches.append(Restrict(chosen, points.reset_tuple_id().coalesce()))
        return Case(tuple(branches), location=location_of(op))

    @property
    def _reader(self) -> IndexReader:
        space = self.statement.domain.get_space()
        return statement_reader(self.scop, self.statement.op.body.block, space)

    def _is_of_the_type(self, op: Operation) -> bool:
        return len(op.results) == 1 and all(
            each.type == self.type for each in (*op.operands, *op.results)
        )

    def _applied(self, name: str, op: Operation, is_external: bool = False) -> Expression:
        parts = tuple(self.of(each) for each in op.operands)
        return Applied(parts, name, is_external, location=location_of(op))

    def _compared(self, op: arith.CmpfOp | arith.CmpiOp) -> Expression:
        number = op.predicate.value.data
        if isinstance(op, arith.CmpfOp):
            name = arith.CMPF_COMPARISON_OPERATIONS[number]
        else:
            name = arith.CMPI_COMPARISON_OPERATIONS[number]
        if op.lhs.type != self.type:
            raise refused(op, self.type)
        if name in _ORDERS:
            return self._applied(_ORDERS[name], op)
        if name in _NEGATED and isinstance(op, arith.CmpfOp):
            holds = self._applied(_NEGATED[name], op)
            return Applied((holds,), "not", location=location_of(op))
        raise NoEquationsError(f"equations have no comparison '{name}'", location_of(op))

    def _converted(self, op: arith.SIToFPOp) -> Expression:
        """An index as a floating-point number."""
        cast = op.input.owner
        if isinstance(cast, arith.IndexCastOp) and isinstance(op.input.type, IntegerType):
            return self._index(cast.input, op, op.input.type.width.data)
        raise refused(op, self.type)

    def _index(self, index: SSAValue, op: Operation, width: int = 64) -> Expression:
        """An index, which must fit into an integer of so many bits."""
        domain = self.statement.domain
        try:
            function = self._reader.read(index)
        except NotAffineError as error:
            raise NoEquationsError(str(error), location_of(op)) from None
        if width < 64:
            bound = constant_index(domain.get_space(), 1 << (width - 1))
            beyond = function.ge_set(bound).union(function.lt_set(bound.neg()))
            if not beyond.intersect(domain).is_empty():
                raise NoEquationsError(
                    f"an index becomes an integer of {width} bits, into which it may not fit",
                    location_of(op),
                )
        return _of_index(function.intersect_domain(domain).coalesce(), location_of(op))


def constant(op: arith.ConstantOp) -> Constant:
    """The number, or boolean, that an operation gives."""
    match op.value:
        case FloatAttr() as number:
            return Constant(number.value.data, location=location_of(op))
        case IntegerAttr() as number if op.result.type == i1:
            return Constant(bool(number.value.data), location=location_of(op))
        case IntegerAttr() as number if isinstance(op.result.type, IntegerType):
            return Constant(number.value.data, location=location_of(op))
    raise NoEquationsError("equations have numbers only", location_of(op))


def refused(op: Operation, type: Attribute) -> PolyirError:
    """The error for an operation that equations do not have."""
    others = [each for each in (*op.operands, *op.results) if each.type not in (type, i1)]
    if op.regions:
        reason = f"{op.name} is control that depends on data, which equations do not have"
    elif others:
        reason = f"{op.name} is on values of type {others[0].type}, and all others have {type}"
    else:
        reason = f"equations have no operation {op.name}"
    return NoEquationsError(reason, location_of(op))


def _of_index(function: isl.PwAff, location: SourceLocation | None) -> Expression:
    pieces: list[tuple[isl.Set, Expression]] = []
    for part, value in function.get_pieces():
        unnamed = isl.MultiAff.from_aff(value).reset_tuple_id(isl.dim_type.in_).get_at(0)
        pieces.append((part.reset_tuple_id(), Index(unnamed, location=location)))
    if len(pieces) == 1:
        return pieces[0][1]
    return Case(tuple(Restrict(index, part) for part, index in pieces), location=location)


_OPERATORS: Final[Mapping[type[Operation], str]] = MappingProxyType(
    {
        **dict.fromkeys((arith.AddfOp, arith.AddiOp), "+"),
        **dict.fromkeys((arith.SubfOp, arith.SubiOp, arith.NegfOp), "-"),
        **dict.fromkeys((arith.MulfOp, arith.MuliOp), "*"),
        **dict.fromkeys((arith.DivfOp, arith.DivSIOp), "/"),
        **dict.fromkeys((arith.MaximumfOp, arith.MaxSIOp), "max"),
        **dict.fromkeys((arith.MinimumfOp, arith.MinSIOp), "min"),
    }
)

_ON_BOOLEANS: Final[Mapping[type[Operation], str]] = MappingProxyType(
    {arith.AndIOp: "and", arith.OrIOp: "or", arith.XOrIOp: "xor"}
)

_FUNCTIONS: Final = MappingProxyType(
    {made: name for name, made in MATHEMATICAL.items()} | {math.AbsIOp: "abs"}
)

_ORDERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{"oeq": "=", "une": "!=", "oge": ">=", "ogt": ">", "olt": "<", "ole": "<="},
        **{"eq": "=", "ne": "!=", "sge": ">=", "sgt": ">", "slt": "<", "sle": "<="},
    }
)

_NEGATED: Final[Mapping[str, str]] = MappingProxyType(
    {"uge": "<", "ugt": "<=", "ult": ">=", "ule": ">"}
)
"""Comparisons of floating-point numbers that hold for NaN: each is not another one."""
