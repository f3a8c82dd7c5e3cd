"""Expressions as operations of `affine`, `arith` and `math` in the body of a statement.

The results have the bits that `polyir.equations.evaluation` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import islpy as isl
from xdsl.dialects import affine, arith, func, math
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from polyir.base.diagnostics import PolyirError
from polyir.dialects.equation_systems import ELEMENT_TYPES
from polyir.equations.element_types import ElementType
from polyir.equations.errors import EquationFormError
from polyir.equations.library import ARITIES, unqualified
from polyir.equations.polynomials import terms_of
from polyir.equations.statements import Computation, Effect
from polyir.equations.system import (
    ORDER_OPERATORS,
    Constant,
    Dependence,
    Expression,
    If,
    Index,
    Polynomial,
    Variable,
)
from polyir.equations.system import (
    Operation as Operator,
)
from polyir.model.affine_maps import affine_expression, map_over


def builtin_type(element_type: ElementType) -> AnyFloat | IntegerType:
    """MLIR's type of elements."""
    return ELEMENT_TYPES[element_type.value]


@dataclass(frozen=True)
class Storage:
    """The memory of a variable, and the indices of its element 0, functions of the parameters.

    A variable that is one number may be that number, and not memory.
    """

    memory: SSAValue
    first: tuple[isl.Aff, ...]


class Externals(Protocol):
    """Where external functions are declared."""

    def declare(self, name: str, inputs: Sequence[Attribute], result: Attribute) -> None:
        """Let there be a function of that name, which only computes."""


def add_body(
    block: Block,
    statement: Computation,
    parameters: Sequence[SSAValue],
    storage: Mapping[str, Storage],
    element_type: ElementType,
    externals: Externals,
) -> None:
    """Add what a statement does to `block`, whose arguments are its iterators."""
    writer = _Body(block, parameters, storage, element_type, externals)
    writer.write(statement)


class _Body:
    """The operations of one body so far."""

    def __init__(
        self,
        block: Block,
        parameters: Sequence[SSAValue],
        storage: Mapping[str, Storage],
        element_type: ElementType,
        externals: Externals,
    ) -> None:
        self._block = block
        self._values = [*block.args, *parameters]
        self._storage = storage
        self._type = builtin_type(element_type)
        self._element_type = element_type
        self._externals = externals
        self._guard: SSAValue | None = None
        """Under which condition the value at hand is used."""

    def write(self, statement: Computation) -> None:
        """Compute the value of the statement, and store it."""
        storage = self._storage[statement.variable]
        place = self._subscripts(storage, statement.target)
        if statement.effect is Effect.START:
            value = self._constant(self._element_type.identity(statement.operator))
        else:
            value = self._expression(statement.value)
        if statement.effect is Effect.COMBINE:
            map, operands = place
            old = self._add(affine.LoadOp(storage.memory, operands, map))
            value = self._binary(statement.operator, old, value, statement.is_external)
        map, operands = place
        self._block.add_op(affine.StoreOp(self._as_number(value), storage.memory, operands, map))

    def _add(self, operation: Operation) -> SSAValue:
        self._block.add_op(operation)
        return operation.results[0]

    # ---------------------------------------------------------------- indices

    def _affine(self, functions: Sequence[isl.Aff]) -> tuple[AffineMapAttr, list[SSAValue]]:
        """Functions of the iterators and the parameters, as a map and its operands."""
        count = len(self._block.args)
        iterators = [AffineDimExpr(place) for place in range(count)]
        rest = [AffineDimExpr(place) for place in range(count, len(self._values))]
        results = tuple(affine_expression(each, iterators, rest) for each in functions)
        map, operands = map_over(results, self._values)
        return AffineMapAttr(map), operands

    def _subscripts(
        self, storage: Storage, point: isl.MultiAff
    ) -> tuple[AffineMapAttr, list[SSAValue]]:
        """Where the value of a variable at a point is."""
        functions = []
        for place, first in enumerate(storage.first):
            index = point.get_at(place)
            functions.append(index.sub(on_points(first, index)))
        return self._affine(functions)

    def _index(self, function: isl.Aff, type: Attribute) -> SSAValue:
        """The value of an affine function, as a number of an integer type."""
        map, operands = self._affine([function])
        index = self._add(affine.ApplyOp(operands, map))
        return self._add(arith.IndexCastOp(index, type))

    # ---------------------------------------------------------------- values

    def _expression(self, expression: Expression) -> SSAValue:
        match expression:
            case Constant(value=value):
                try:
                    return self._constant(value)
                except PolyirError as error:
                    error.location = expression.location
                    raise
            case Index(function=function):
                return self._from_integer(function)
            case Dependence(operand=Variable(name=name), function=point):
                storage = self._storage[name]
                if not isinstance(storage.memory.type, MemRefType):
                    return storage.memory
                map, operands = self._subscripts(storage, point)
                return self._add(affine.LoadOp(storage.memory, operands, map))
            case Dependence(operand=Polynomial(function=polynomial), function=point):
                return self._polynomial(polynomial, point)
            case If(parts=parts):
                return self._conditional(*parts)
            case Operator(parts=parts, operator=operator, is_external=True):
                return self._external(operator, [self._expression(each) for each in parts])
            case Operator(parts=(part,), operator="not"):
                true = self._add(arith.ConstantOp(IntegerAttr(1, i1)))
                operand = self._as_boolean(self._expression(part))
                return self._add(arith.XOrIOp(operand, true))
            case Operator(parts=(part,), operator="-"):
                return self._negative(self._as_number(self._expression(part)))
            case Operator(parts=parts, operator=operator):
                total = self._expression(parts[0])
                for part in parts[1:]:
                    total = self._binary(operator, total, self._expression(part))
                return total
            case _:
                raise TypeError(f"{expression} is not in normal form")

    def _constant(self, value: bool | int | float) -> SSAValue:
        if isinstance(value, bool):
            return self._add(arith.ConstantOp(IntegerAttr(int(value), i1)))
        number = self._element_type.number(value)
        if isinstance(self._type, IntegerType):
            return self._add(arith.ConstantOp(IntegerAttr(int(number), self._type)))
        return self._add(arith.ConstantOp(FloatAttr(float(number), self._type)))

    def _from_integer(self, function: isl.Aff) -> SSAValue:
        if isinstance(self._type, IntegerType):
            return self._index(function, self._type)
        return self._add(arith.SIToFPOp(self._index(function, i64), self._type))

    def _polynomial(self, polynomial: isl.PwQPolynomial, point: isl.MultiAff) -> SSAValue:
        """A quasi-polynomial in 64-bit integers; its value is whole, so the division is exact."""
        ((_, piece),) = polynomial.get_pieces()
        terms, denominator = terms_of(piece)
        total: SSAValue | None = None
        for coefficient, factors in terms:
            product = self._integer(coefficient)
            for factor in factors:
                value = self._index(factor.pullback_multi_aff(point), i64)
                product = self._add(arith.MuliOp(product, value))
            total = product if total is None else self._add(arith.AddiOp(total, product))
        if total is None:
            return self._constant(0)
        if denominator != 1:
            total = self._add(arith.DivSIOp(total, self._integer(denominator)))
        if not isinstance(self._type, IntegerType):
            return self._add(arith.SIToFPOp(total, self._type))
        return total if self._type == i64 else self._add(arith.TruncIOp(total, self._type))

    def _integer(self, value: int) -> SSAValue:
        return self._add(arith.ConstantOp(IntegerAttr(value, i64)))

    def _as_number(self, value: SSAValue) -> SSAValue:
        if value.type != i1:
            return value
        if isinstance(self._type, IntegerType):
            return self._add(arith.ExtUIOp(value, self._type))
        return self._add(arith.UIToFPOp(value, self._type))

    def _as_boolean(self, value: SSAValue) -> SSAValue:
        if value.type == i1:
            return value
        return self._compared("!=", value, self._constant(0))

    def _conditional(
        self, condition: Expression, chosen: Expression, other: Expression
    ) -> SSAValue:
        """Both parts are computed: without control flow, loops can be vectorised."""
        holds = self._as_boolean(self._expression(condition))
        true = self._add(arith.ConstantOp(IntegerAttr(1, i1)))
        values = []
        outer = self._guard
        for part, guard in ((chosen, holds), (other, None)):
            own = guard or self._add(arith.XOrIOp(holds, true))
            self._guard = own if outer is None else self._add(arith.AndIOp(outer, own))
            values.append(self._expression(part))
        self._guard = outer
        if values[0].type != values[1].type:
            values = [self._as_number(each) for each in values]
        return self._add(arith.SelectOp(holds, *values))

    def _negative(self, value: SSAValue) -> SSAValue:
        if isinstance(self._type, IntegerType):
            return self._add(arith.SubiOp(self._constant(0), value))
        return self._add(arith.NegfOp(value))

    def _binary(
        self, operator: str, left: SSAValue, right: SSAValue, is_external: bool = False
    ) -> SSAValue:
        if is_external:
            return self._external(operator, [left, right])
        if operator in _BOOLEAN:
            left, right = self._as_boolean(left), self._as_boolean(right)
            return self._add(_BOOLEAN[operator](left, right))
        left, right = self._as_number(left), self._as_number(right)
        if operator in ORDER_OPERATORS:
            return self._compared(operator, left, right)
        if operator == "/" and isinstance(self._type, IntegerType):
            return self._add(arith.DivSIOp(left, self._divisor(right)))
        table = _ON_INTEGERS if isinstance(self._type, IntegerType) else _ON_FLOATS
        return self._add(table[operator](left, right))

    def _compared(self, operator: str, left: SSAValue, right: SSAValue) -> SSAValue:
        if isinstance(self._type, IntegerType):
            return self._add(arith.CmpiOp(left, right, _ORDERS[operator][0]))
        return self._add(arith.CmpfOp(left, right, _ORDERS[operator][1]))

    def _divisor(self, value: SSAValue) -> SSAValue:
        """A divisor of integers; 1 where the quotient is not used, and the divisor may be 0."""
        is_constant = isinstance(value.owner, arith.ConstantOp)
        if self._guard is None or is_constant:
            return value
        return self._add(arith.SelectOp(self._guard, value, self._constant(1)))

    def _external(self, name: str, arguments: Sequence[SSAValue]) -> SSAValue:
        """A function of C's mathematical library, or one that is declared."""
        name = unqualified(name)
        values = [self._as_number(each) for each in arguments]
        if isinstance(self._type, IntegerType):
            if name == "abs":
                return self._add(math.AbsIOp(values[0]))
        elif name in MATHEMATICAL:
            if len(values) != ARITIES[name]:
                raise EquationFormError(
                    f"'{name}' needs {ARITIES[name]} arguments, not {len(values)}"
                )
            return self._add(MATHEMATICAL[name](*values))
        self._externals.declare(name, [self._type] * len(values), self._type)
        return self._add(func.CallOp(name, values, [self._type]))


def on_points(function: isl.Aff, like: isl.Aff) -> isl.Aff:
    """A function of the parameters as one of the points on which `like` is defined."""
    result = isl.Aff.val_on_domain(like.get_domain_space(), function.get_constant_val())
    for place in range(function.dim(isl.dim_type.param)):
        coefficient = function.get_coefficient_val(isl.dim_type.param, place)
        result = result.set_coefficient_val(isl.dim_type.param, place, coefficient)
    return result


Make = Callable[..., Operation]

_BOOLEAN: Final[Mapping[str, Make]] = {
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}

_ON_INTEGERS: Final[Mapping[str, Make]] = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
}

_ON_FLOATS: Final[Mapping[str, Make]] = {
    "+": arith.AddfOp,
    "-": arith.SubfOp,
    "*": arith.MulfOp,
    "/": arith.DivfOp,
    "min": arith.MinimumfOp,
    "max": arith.MaximumfOp,
}

_ORDERS: Final = {
    "=": ("eq", "oeq"),
    "!=": ("ne", "une"),
    ">=": ("sge", "oge"),
    ">": ("sgt", "ogt"),
    "<": ("slt", "olt"),
    "<=": ("sle", "ole"),
}
"""The predicates for integers and for floating-point numbers."""

MATHEMATICAL: Final[Mapping[str, Make]] = {
    "abs": math.AbsFOp,
    "fabs": math.AbsFOp,
    "sqrt": math.SqrtOp,
    "cbrt": math.CbrtOp,
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "log10": math.Log10Op,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "tan": math.TanOp,
    "tanh": math.TanhOp,
    "atan": math.AtanOp,
    "atan2": math.Atan2Op,
    "pow": math.PowFOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
}
"""The operations that compute the functions of `polyir.equations.library`."""
