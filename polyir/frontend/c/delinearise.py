"""Arrays that a program flattens by hand, `A[i * n + j]`, as arrays of several dimensions.

The subscripts are polynomials in counters and parameters. Products of parameters by which
counters are multiplied become the sizes of rows, planes and so on, and each subscript is divided
by them (Grosser, Ramanujam, Pouchet, Sadayappan, Pop: Optimistic delinearization of
parametrically sized arrays, ICS 2015). An array is only delinearised if that is exact: every
inner subscript of every access must be known to be between 0 and the size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.frontend.c.builder import Builder, SubscriptedAccess
from polyir.frontend.c.places import SourceArgument, SourceArray, SourceScalar
from polyir.model.index_expressions import IndexExpression, map_of

Monomial = tuple[SSAValue, ...]
Polynomial = Mapping[Monomial, int]


def delinearise(builder: Builder, described: dict[SSAValue, SourceArgument]) -> None:
    """Delinearise the arrays of one dimension that need it, where it is exact."""
    for memory, argument in tuple(described.items()):
        accesses = builder.accesses.get(memory, ())
        if not isinstance(argument, SourceArray) or not _is_flat(builder, accesses):
            continue
        sizes = _Sizes.of(builder, accesses)
        if sizes is None or not all(
            isinstance(described.get(v), SourceScalar) for v in sizes.values
        ):
            continue
        subscripts = [sizes.subscripts(access) for access in accesses]
        found = [item for item in subscripts if item is not None]
        if len(found) == len(accesses):
            texts = {value: _text(described[value]) for value in sizes.values}
            strides = tuple(" * ".join(texts[v] for v in stride) for stride in sizes.strides)
            new = _with_rank(builder, memory, len(strides) + 1)
            # The argument stands where it stood.
            position = list(described).index(memory)
            items = list(described.items())
            items[position] = (new, replace(argument, strides=strides))
            described.clear()
            described.update(items)
            for access, indices in zip(accesses, found, strict=True):
                _replace(access.operation, memory, new, indices)


def _is_flat(builder: Builder, accesses: Sequence[SubscriptedAccess]) -> bool:
    """Whether all accesses have one subscript, and some of these are not affine."""
    if any(len(access.indices) != 1 for access in accesses):
        return False
    return any(not builder.is_affine(access.indices[0]) for access in accesses)


def _text(argument: SourceArgument) -> str:
    assert isinstance(argument, SourceScalar)
    return argument.text


class _Sizes:
    """The strides of the dimensions but the last, the largest first, as products of parameters."""

    def __init__(self, builder: Builder, strides: Sequence[Monomial]) -> None:
        self._builder = builder
        self.strides = tuple(strides)
        self.values = tuple(dict.fromkeys(value for stride in strides for value in stride))
        inner = (*self.strides[1:], ())
        self._extents = tuple(
            _product(builder, _quotient(outer, part) or ())
            for outer, part in zip(self.strides, inner, strict=True)
        )

    @staticmethod
    def of(builder: Builder, accesses: Sequence[SubscriptedAccess]) -> _Sizes | None:
        """The strides in the accesses; `None` if these do not fit an array of several
        dimensions."""
        strides: dict[Monomial, None] = {}
        for access in accesses:
            polynomial = _polynomial(builder, access.indices[0])
            if polynomial is None:
                return None
            for monomial in polynomial:
                parameters, others = _split(builder, monomial)
                if others and parameters:
                    strides[parameters] = None
        ordered = sorted(strides, key=len, reverse=True)
        for outer, inner in pairwise(ordered):
            if _quotient(outer, inner) in (None, ()):
                return None
        return _Sizes(builder, ordered) if ordered else None

    def subscripts(self, access: SubscriptedAccess) -> tuple[IndexExpression, ...] | None:
        """The subscripts of an access; `None` if one may be out of bounds of a row."""
        polynomial = _polynomial(self._builder, access.indices[0])
        assert polynomial is not None
        parts = {stride: IndexExpression() for stride in (*self.strides, ())}
        for monomial, coefficient in polynomial.items():
            parameters, others = _split(self._builder, monomial)
            stride = parameters if parameters in parts else ()
            rest = others if stride == parameters else monomial
            if len(rest) > 1:
                return None
            term = IndexExpression(((rest[0], 1),)) if rest else IndexExpression((), 1)
            parts[stride] = parts[stride] + term.scale(coefficient)
        indices = [parts[stride] for stride in (*self.strides, ())]
        with self._builder.assuming():
            self._builder.assume(*access.facts)
            for position in reversed(range(1, len(indices))):
                if not self._carry(indices, position):
                    return None
        return tuple(indices)

    def _carry(self, indices: list[IndexExpression], position: int) -> bool:
        """Move a row between two subscripts, if necessary, so that the inner one is in bounds."""
        extent = self._extents[position - 1]
        for carried in (0, -1, 1):
            inner = indices[position] - extent.scale(carried)
            if self._is_within(inner, extent):
                indices[position] = inner
                indices[position - 1] = indices[position - 1].shift(carried)
                return True
        return False

    def _is_within(self, index: IndexExpression, extent: IndexExpression) -> bool:
        proves = self._builder.proves_nonnegative
        return proves(index) and proves((extent - index).shift(-1))


def _polynomial(builder: Builder, expression: IndexExpression) -> Polynomial | None:
    """An expression as a polynomial in values; `None` if it divides."""
    total: Counter[Monomial] = Counter({(): expression.constant})
    for atom, coefficient in expression.terms:
        if not isinstance(atom, SSAValue):
            return None
        for monomial, factor in _value(builder, atom).items():
            total[monomial] += coefficient * factor
    return {monomial: number for monomial, number in total.items() if number != 0}


def _value(builder: Builder, value: SSAValue) -> Polynomial:
    """A value as a polynomial: the product that it is, or itself."""
    factors = builder.products.get(value)
    if factors is None:
        return {(value,): 1}
    left, right = (_polynomial(builder, factor) for factor in factors)
    if left is None or right is None:
        return {(value,): 1}
    total: Counter[Monomial] = Counter()
    for first, first_number in left.items():
        for second, second_number in right.items():
            key = tuple(sorted((*first, *second), key=builder.order))
            total[key] += first_number * second_number
    return total


def _split(builder: Builder, monomial: Monomial) -> tuple[Monomial, Monomial]:
    """The parameters of a monomial, and the rest."""
    parameters = tuple(value for value in monomial if builder.is_invariant(value))
    return parameters, tuple(value for value in monomial if not builder.is_invariant(value))


def _quotient(product: Monomial, divisor: Monomial) -> Monomial | None:
    """`product / divisor`; `None` if there is a remainder."""
    rest = list(product)
    for value in divisor:
        if value not in rest:
            return None
        rest.remove(value)
    return tuple(rest)


def _product(builder: Builder, values: Monomial) -> IndexExpression:
    factors = [IndexExpression.of(value) for value in values]
    return reduce(builder.product, factors, IndexExpression((), 1))


def _with_rank(builder: Builder, memory: SSAValue, rank: int) -> SSAValue:
    """An argument in the place of `memory` with `rank` dimensions of unknown size."""
    assert isinstance(memory.type, MemRefType)
    position = list(builder.entry.args).index(memory)  # type: ignore[arg-type]
    type = MemRefType(memory.type.element_type, [DYNAMIC_INDEX] * rank)
    new = builder.entry.insert_arg(type, position)
    new.name_hint = memory.name_hint
    return new


def _replace(
    op: Operation, memory: SSAValue, new: SSAValue, indices: Sequence[IndexExpression]
) -> None:
    """The access `op` of `memory` becomes one of `new`."""
    map, operands = map_of(indices, dimensions_only=True)
    attribute = AffineMapAttr(map)
    if isinstance(op, affine.LoadOp | memref.LoadOp):
        load = affine.LoadOp(new, operands, attribute, op.results[0].type)
        load.location = op.location
        load.result.name_hint = op.results[0].name_hint
        Rewriter.insert_op(load, InsertPoint.before(op))
        op.results[0].replace_all_uses_with(load.result)
    else:
        assert isinstance(op, affine.StoreOp | memref.StoreOp)
        store = affine.StoreOp(op.value, new, operands, attribute)
        store.location = op.location
        Rewriter.insert_op(store, InsertPoint.before(op))
    Rewriter.erase_op(op)
