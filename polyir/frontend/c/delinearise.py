"""Arrays that a program flattens by hand, `A[i * n + j]`, as arrays of several dimensions.

The subscripts are polynomials in counters and parameters. Products of parameters by which
counters are multiplied become the sizes of rows, planes and so on, and each subscript is divided
by them (Grosser, Ramanujam, Pouchet, Sadayappan, Pop: Optimistic delinearization of
parametrically sized arrays, ICS 2015). That is exact if every inner subscript of every access is
between 0 and the size. What the source does not show of this is a condition on parameters, such as
`m <= ldc` for `C[j * ldc + i]`, which is tested before the region.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.frontend.c.builder import Builder, SubscriptedAccess
from polyir.frontend.c.conditions import Condition, Test, parts_of_conjunction
from polyir.frontend.c.places import SourceArgument, SourceArray, SourceScalar
from polyir.model.index_expressions import IndexExpression, map_of

Monomial = tuple[SSAValue, ...]
Polynomial = Mapping[Monomial, int]


def delinearise(
    builder: Builder, described: dict[SSAValue, SourceArgument]
) -> tuple[Condition, ...]:
    """Delinearise the arrays of one dimension that need it.

    Returns the conditions on parameters for which it is exact, where they can be simple.
    """
    conditions: dict[Condition, None] = {}
    for memory, argument in tuple(described.items()):
        accesses = builder.accesses.get(memory, ())
        if not isinstance(argument, SourceArray) or any(len(a.indices) != 1 for a in accesses):
            continue
        is_affine = all(builder.is_affine(access.indices[0]) for access in accesses)
        sizes = _Sizes.of(builder, accesses, is_affine)
        if sizes is None or not all(
            isinstance(described.get(v), SourceScalar) for v in sizes.values
        ):
            continue
        found = sizes.subscripts_of_all(accesses)
        # Where all is known of affine subscripts, one dimension says as much as two.
        if found is not None and (sizes.conditions or not is_affine):
            conditions.update(dict.fromkeys(sizes.conditions))
            texts = {value: _text(described[value]) for value in sizes.values}
            strides = tuple(stride.text(texts) for stride in sizes.strides)
            new = _with_rank(builder, memory, len(strides) + 1)
            # The argument stands where it stood.
            position = list(described).index(memory)
            items = list(described.items())
            items[position] = (new, replace(argument, strides=strides))
            described.clear()
            described.update(items)
            for access, indices in zip(accesses, found, strict=True):
                _replace(access.operation, memory, new, indices)
    return _without_implied(builder, conditions)


def _without_implied(builder: Builder, conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Conditions that must all hold, without tests that others imply."""
    parts = dict.fromkeys(part for each in conditions for part in parts_of_conjunction(each))
    for part in tuple(parts):
        if isinstance(part, Test) and not part.constraint.is_equality:
            with builder.assuming():
                for other in parts:
                    if isinstance(other, Test) and other is not part:
                        builder.assume(*other.constraint.nonnegative)
                if builder.proves_nonnegative(part.constraint.expression):
                    del parts[part]
    return tuple(parts)


def _text(argument: SourceArgument) -> str:
    assert isinstance(argument, SourceScalar)
    return argument.text


@dataclass(frozen=True)
class _Stride:
    """A product of a positive number and of parameters."""

    values: Monomial
    number: int = 1

    def text(self, names: Mapping[SSAValue, str]) -> str:
        """The product in C."""
        factors = [names[value] for value in self.values]
        return " * ".join(factors if self.number == 1 else [*factors, str(self.number)])


class _Sizes:
    """The strides of the dimensions but the last, the largest first.

    `conditions` are those for which the subscripts that were computed are within the extents.
    """

    def __init__(self, builder: Builder, strides: Sequence[_Stride]) -> None:
        self.conditions: dict[Condition, None] = {}
        self._builder = builder
        self.strides = tuple(strides)
        self.values = tuple(dict.fromkeys(value for stride in strides for value in stride.values))
        self._all = (*self.strides, _Stride(()))
        self._extents = tuple(
            _product(builder, _quotient(outer.values, inner.values) or ()).scale(outer.number)
            for outer, inner in pairwise(self._all)
        )

    @staticmethod
    def of(
        builder: Builder, accesses: Sequence[SubscriptedAccess], is_affine: bool
    ) -> _Sizes | None:
        """The strides in the accesses; `None` if these do not fit an array of several
        dimensions."""
        polynomials = [_polynomial(builder, access.indices[0]) for access in accesses]
        found = [each for each in polynomials if each is not None]
        if len(found) < len(polynomials):
            return None
        if is_affine:
            written = any(isinstance(a.operation, affine.StoreOp) for a in accesses)
            number = _row(builder, found) if written else None
            return None if number is None else _Sizes(builder, [_Stride((), number)])
        strides: dict[Monomial, None] = {}
        for monomial in (each for polynomial in found for each in polynomial):
            parameters, others = _split(builder, monomial)
            if others and parameters:
                strides[parameters] = None
        ordered = sorted(strides, key=len, reverse=True)
        for outer, inner in pairwise(ordered):
            if _quotient(outer, inner) in (None, ()):
                return None
        return _Sizes(builder, [_Stride(each) for each in ordered]) if ordered else None

    def subscripts_of_all(
        self, accesses: Sequence[SubscriptedAccess]
    ) -> list[tuple[IndexExpression, ...]] | None:
        """The subscripts of each access; `None` if those of one have no simple condition."""
        found: list[tuple[IndexExpression, ...]] = []
        for access in accesses:
            subscripts = self._subscripts(access)
            if subscripts is None:
                return None
            found.append(subscripts)
        return found

    def _subscripts(self, access: SubscriptedAccess) -> tuple[IndexExpression, ...] | None:
        polynomial = _polynomial(self._builder, access.indices[0])
        assert polynomial is not None
        indices = [IndexExpression()] * len(self._all)
        for monomial, coefficient in polynomial.items():
            parameters, others = _split(self._builder, monomial)
            rest = coefficient
            for position, stride in enumerate(self._all):
                factors = _quotient(parameters, stride.values)
                if factors is None or not rest:
                    continue
                atoms = (*factors, *others)
                if len(atoms) > 1:
                    return None
                # The nearest multiple: 99 is 100 - 1.
                count = (2 * rest + stride.number) // (2 * stride.number)
                rest -= count * stride.number
                term = IndexExpression(((atoms[0], 1),)) if atoms else IndexExpression((), 1)
                indices[position] = indices[position] + term.scale(count)
        for position in reversed(range(1, len(indices))):
            if not self._carry(indices, position, access.facts):
                return None
        return tuple(indices)

    def _carry(
        self, indices: list[IndexExpression], position: int, facts: Sequence[IndexExpression]
    ) -> bool:
        """Move a row between two subscripts, if necessary, so that the inner one is in bounds."""
        extent = self._extents[position - 1]
        choices = [(carried, indices[position] - extent.scale(carried)) for carried in (0, -1, 1)]
        chosen = next((c for c in choices if self._is_within(c[1], extent, facts)), None)
        if chosen is None:
            conditions = (
                (choice, self._builder.condition_for(_bounds(choice[1], extent), facts))
                for choice in choices
            )
            found = next(((choice, c) for choice, c in conditions if c is not None), None)
            if found is None:
                return False
            chosen, condition = found
            self.conditions[condition] = None
        carried, indices[position] = chosen
        indices[position - 1] = indices[position - 1].shift(carried)
        return True

    def _is_within(
        self, index: IndexExpression, extent: IndexExpression, facts: Sequence[IndexExpression]
    ) -> bool:
        with self._builder.assuming():
            self._builder.assume(*facts)
            return all(map(self._builder.proves_nonnegative, _bounds(index, extent)))


def _bounds(index: IndexExpression, extent: IndexExpression) -> tuple[IndexExpression, ...]:
    """What must not be negative for an index to be within an extent."""
    return (index, (extent - index).shift(-1))


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


def _row(builder: Builder, polynomials: Sequence[Polynomial]) -> int | None:
    """The length of rows by which affine subscripts of several counters multiply one of them."""
    lengths = [
        max(coefficients)
        for polynomial in polynomials
        if len(coefficients := _of_counters(builder, polynomial)) > 1
    ]
    length = max(lengths, default=1)
    return length if length > 1 else None


def _of_counters(builder: Builder, polynomial: Polynomial) -> list[int]:
    """The absolute values of the coefficients of counters."""
    return [abs(number) for values, number in polynomial.items() if _split(builder, values)[1]]


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
