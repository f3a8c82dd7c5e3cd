"""Arrays that a program flattens by hand, `A[i * n + j]`, as arrays of several dimensions.

The subscripts are polynomials in counters and parameters. Products of parameters by which
counters are multiplied become the sizes of rows, planes and so on, and each subscript is divided
by them (Grosser, Ramanujam, Pouchet, Sadayappan, Pop: Optimistic delinearization of
parametrically sized arrays, ICS 2015). That is exact if every inner subscript of every access is
between 0 and the size. What the source does not show of this is a condition on parameters, such as
`m <= ldc` for `C[j * ldc + i]`, which is tested before the region.

A sum by which a counter is multiplied is one parameter: `A[i * (m + 2) + j]` is the polynomial
`i * p + j` for the parameter `p` that is `m + 2`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, product
from math import gcd

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from polyir.frontend.c.builder import Builder, SubscriptedAccess, extremum_of
from polyir.frontend.c.conditions import Condition, Test, parts_of_conjunction
from polyir.frontend.c.places import SourceArgument, SourceArray, SourceScalar
from polyir.model.affine_operations import load_at, store_at
from polyir.model.index_expressions import Atom, Division, IndexExpression
from polyir.model.memory_accesses import ElementLoad, ElementStore

Monomial = tuple[Atom, ...]
Polynomial = Mapping[Monomial, int]
Totals = Mapping[Atom, IndexExpression]
"""Values that are sums of parameters, each with the sum that it is."""


def delinearise(
    builder: Builder, described: dict[SSAValue, SourceArgument]
) -> tuple[Condition, ...]:
    """Delinearise the arrays of one dimension that need it.

    Returns the conditions on parameters for which it is exact, where they can be simple.
    """
    conditions: dict[Condition, None] = {}
    for memory, argument in tuple(described.items()):
        accesses = builder.accesses.get(memory, ())
        if not isinstance(argument, SourceArray):
            continue
        assert isinstance(memory.type, MemRefType)
        # Members of structures, and arrays in what the array holds, have dimensions of their own.
        members = memory.type.get_shape()[1:]
        if DYNAMIC_INDEX in members or any(not each.indices for each in accesses):
            continue
        view = _view(builder, accesses)
        if view is None:
            continue
        used = (*view.sizes.values, *_values_in(view.offset))
        texts: dict[Atom, str] = {}
        for value in (
            *used,
            *(each for sum in view.sizes.totals.values() for each in sum.values()),
        ):
            text = _spelt(value, described)
            if text is not None:
                texts[value] = text
        for value, total in view.sizes.totals.items():
            if all(each in texts for each in total.values()):
                texts[value] = f"({_text(_of_sum(total), texts, is_wide=True)})"
        if not all(value in texts for value in used):
            continue
        conditions.update(dict.fromkeys(view.sizes.conditions))
        strides = tuple(stride.text(texts) for stride in view.sizes.strides)
        offset = _text(view.offset, texts)
        last = view.sizes.strides[-1]
        columns = DYNAMIC_INDEX if last.values else last.number
        shape = (*[DYNAMIC_INDEX] * len(strides), columns, *members)
        new = _with_shape(builder, memory, shape)
        # The argument stands where it stood.
        position = list(described).index(memory)
        items = list(described.items())
        items[position] = (new, replace(argument, strides=strides, offset=offset))
        described.clear()
        described.update(items)
        for access, indices in zip(accesses, view.subscripts, strict=True):
            _replace(access.operation, new, (*indices, *access.indices[1:]))
    return _without_implied(builder, conditions)


def _spelt(value: Atom, described: Mapping[SSAValue, SourceArgument]) -> str | None:
    """A parameter in C, or its quotient by a number; `None` for what is computed otherwise."""
    if isinstance(value, Division):
        return None
    known = described.get(value)
    if isinstance(known, SourceScalar):
        return known.text
    quotient = _cast_from(value).owner
    if not isinstance(quotient, arith.DivSIOp) or not isinstance(
        quotient.rhs.owner, arith.ConstantOp
    ):
        return None
    dividend, number = described.get(_cast_from(quotient.lhs)), quotient.rhs.owner.value
    if not isinstance(dividend, SourceScalar) or not isinstance(number, IntegerAttr):
        return None
    # The division of a narrower integer may have another result.
    is_same = dividend.type.ir == quotient.lhs.type
    return f"({dividend.text} / {number.value.data})" if is_same else None


def _cast_from(value: SSAValue) -> SSAValue:
    """What is cast to or from an index."""
    return value.owner.input if isinstance(value.owner, arith.IndexCastOp) else value


def _text(polynomial: Polynomial, texts: Mapping[Atom, str], is_wide: bool = False) -> str:
    """A polynomial in C; empty for 0. What is not one parameter alone has the type `long`.

    With `is_wide`, sums of such parameters have it, too.
    """
    text = ""
    for values, number in polynomial.items():
        factors = [texts[value] for value in values]
        if abs(number) != 1 or not factors:
            factors.append(str(abs(number)))
        if values and (len(factors) > 1 or number < 0 or is_wide):
            factors[0] = f"(long){factors[0]}"
        sign = "-" if number < 0 else "+"
        text += f" {sign} {' * '.join(factors)}"
    return text[3:] if text.startswith(" + ") else text[1:].replace(" ", "", 1)


@dataclass(frozen=True)
class _View:
    """The subscripts of the accesses to an array that begins `offset` elements after another."""

    offset: Polynomial
    sizes: _Sizes
    subscripts: Sequence[Sequence[IndexExpression]]


def _view(builder: Builder, accesses: Sequence[SubscriptedAccess]) -> _View | None:
    """An array of several dimensions for an array of one; `None` if there is none.

    Sums that are factors are parameters if there is a view then.
    """
    totals: dict[Atom, IndexExpression] = {}
    polynomials = _polynomials(builder, accesses, totals)
    found = None if polynomials is None else _view_of(builder, accesses, polynomials, totals)
    if found is None and totals:
        polynomials = _polynomials(builder, accesses, None)
        found = None if polynomials is None else _view_of(builder, accesses, polynomials, {})
    return found


def _polynomials(
    builder: Builder,
    accesses: Sequence[SubscriptedAccess],
    totals: dict[Atom, IndexExpression] | None,
) -> list[Polynomial] | None:
    """The subscripts of accesses as polynomials (see `_polynomial`); `None` if one divides."""
    found: list[Polynomial] = []
    for access in accesses:
        with builder.assuming():
            builder.assume(*access.facts)
            polynomial = _polynomial(builder, access.indices[0], totals)
        if polynomial is None:
            return None
        found.append(polynomial)
    return found


def _view_of(
    builder: Builder,
    accesses: Sequence[SubscriptedAccess],
    polynomials: Sequence[Polynomial],
    totals: Totals,
) -> _View | None:
    """The view for subscripts that are polynomials in parameters and in `totals`.

    Parameters that are added to all subscripts, or a number for which there is no view otherwise,
    become an offset of the array. A view without a condition is the best one.
    """
    is_affine = all(builder.is_affine(access.indices[0]) for access in accesses)
    choices = _strides(builder, accesses, polynomials, is_affine)
    if not choices:
        return None
    common = _common_parameters(builder, polynomials)
    constants = dict.fromkeys(polynomial.get((), 0) for polynomial in polynomials)
    number: Polynomial = {(): next(iter(constants))} if len(constants) == 1 else {}
    found: list[_View] = []
    for strides, offset in product(choices, (common, {}, {**common, **number})):
        if all((strides, offset) != (view.sizes.strides, view.offset) for view in found):
            sizes = _Sizes(builder, strides, totals)
            subscripts = sizes.subscripts_of_all(accesses, polynomials, offset)
            if subscripts is not None and sizes.are_needed:
                found.append(_View(offset, sizes, subscripts))
    plain = [view for view in found if not view.offset and not view.sizes.conditions]
    exact = [view for view in found if not view.sizes.conditions]
    return next(iter((*plain, *exact, *found)), None)


def _of_sum(total: IndexExpression) -> Polynomial:
    """The polynomial that a sum of values is."""
    found: dict[Monomial, int] = {}
    for atom, number in total.terms:
        assert isinstance(atom, SSAValue)
        found[(atom,)] = number
    return found | ({(): total.constant} if total.constant else {})


def _common_parameters(builder: Builder, polynomials: Sequence[Polynomial]) -> Polynomial:
    """The terms without counters that all polynomials have."""
    first, *rest = polynomials
    return {
        values: number
        for values, number in first.items()
        if values
        and all(builder.is_invariant(value) for value in values)
        and all(other.get(values) == number for other in rest)
    }


def _values_in(polynomial: Polynomial) -> Iterator[Atom]:
    return (value for values in polynomial for value in values)


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


@dataclass(frozen=True)
class _Stride:
    """A product of a positive number and of parameters."""

    values: Monomial
    number: int = 1

    def text(self, names: Mapping[Atom, str]) -> str:
        """The product in C."""
        factors = [names[value] for value in self.values]
        return " * ".join(factors if self.number == 1 else [*factors, str(self.number)])


class _Sizes:
    """The strides of the dimensions but the last, the largest first.

    `conditions` are those for which the subscripts that were computed are within the extents.
    """

    def __init__(self, builder: Builder, strides: tuple[_Stride, ...], totals: Totals) -> None:
        self.conditions: dict[Condition, None] = {}
        self.are_needed = any(stride.values for stride in strides)
        """Whether one dimension says less: not if loops of known lengths access parts of rows."""
        self.totals = totals
        self._builder = builder
        self.strides = strides
        self.values = tuple(dict.fromkeys(value for stride in strides for value in stride.values))
        self._all = (*self.strides, _Stride(()))
        self._extents = tuple(
            self._product(_quotient(outer.values, inner.values) or ()).scale(
                outer.number // inner.number
            )
            for outer, inner in pairwise(self._all)
        )

    def subscripts_of_all(
        self,
        accesses: Sequence[SubscriptedAccess],
        polynomials: Sequence[Polynomial],
        offset: Polynomial,
    ) -> list[tuple[IndexExpression, ...]] | None:
        """The subscripts of each access, whose subscript of one dimension is a polynomial.

        `None` if those of one have no simple condition.
        """
        found: list[tuple[IndexExpression, ...]] = []
        for access, polynomial in zip(accesses, polynomials, strict=True):
            rest = Counter(polynomial)
            rest.subtract(offset)
            subscripts = self._subscripts({**rest}, access.facts)
            if subscripts is None:
                return None
            found.append(subscripts)
        return found

    def _subscripts(
        self, polynomial: Polynomial, facts: Sequence[IndexExpression]
    ) -> tuple[IndexExpression, ...] | None:
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
                term = self._product(atoms)
                indices[position] = indices[position] + term.scale(count)
        if not self.are_needed:
            number = self._all[0].number
            self.are_needed = not self._builder.varies_less_than(number, indices[-1], facts)
        for position in reversed(range(1, len(indices))):
            if not self._carry(indices, position, facts):
                return None
        return tuple(indices)

    def _product(self, values: Monomial) -> IndexExpression:
        factors = [
            self.totals[each] if each in self.totals else IndexExpression(((each, 1),))
            for each in values
        ]
        return reduce(self._builder.product, factors, IndexExpression((), 1))

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


def _strides(
    builder: Builder,
    accesses: Sequence[SubscriptedAccess],
    polynomials: Sequence[Polynomial],
    is_affine: bool,
) -> list[tuple[_Stride, ...]]:
    """The strides that subscripts may have, the most likely first.

    There are none if these do not fit an array of several dimensions. In `A[3 * (i * m + j) + k]`,
    rows may have m, or 3 * m elements, and these may be m times 3.
    """
    if is_affine:
        is_written = any(isinstance(access.operation, affine.StoreOp) for access in accesses)
        number = _row(builder, polynomials) if is_written else None
        return [] if number is None else [(_Stride((), number),)]
    numbers: dict[Monomial, int] = {}
    for monomial, number in (term for polynomial in polynomials for term in polynomial.items()):
        parameters, others = _split(builder, monomial)
        if others and parameters:
            numbers[parameters] = gcd(numbers.get(parameters, 0), number)
    ordered = sorted(numbers, key=len, reverse=True)
    are_nested = all(_quotient(one, other) not in (None, ()) for one, other in pairwise(ordered))
    if not ordered or not are_nested:
        return []
    found = [tuple(map(_Stride, ordered))]
    scaled = tuple(_Stride(each, numbers[each]) for each in ordered)
    if any(outer.number % inner.number for outer, inner in pairwise(scaled)):
        return found
    if scaled[-1].number > 1:
        found.append((*scaled, _Stride((), scaled[-1].number)))
    return [*found, scaled]


def _polynomial(
    builder: Builder,
    expression: IndexExpression,
    totals: dict[Atom, IndexExpression] | None,
) -> Polynomial | None:
    """An expression as a polynomial in values; `None` if it divides parameters or data.

    A quotient of counters is a value like a counter. A minimum or maximum is the operand that it is
    known to be. Sums of parameters that are factors are values of their own, which are added to
    `totals`, if there are any.
    """
    total: Counter[Monomial] = Counter({(): expression.constant})
    for atom, coefficient in expression.terms:
        if isinstance(atom, Division):
            dividend = atom.dividend
            if builder.is_parametric(dividend) or not builder.is_affine(dividend):
                return None
            total[(atom,)] += coefficient
            continue
        chosen = _chosen(builder, atom)
        if chosen is not None:
            part = _polynomial(builder, chosen, totals)
            if part is None:
                return None
            for monomial, factor in part.items():
                total[monomial] += coefficient * factor
            continue
        for monomial, factor in _value(builder, atom, totals).items():
            total[monomial] += coefficient * factor
    return {monomial: number for monomial, number in total.items() if number != 0}


def _chosen(builder: Builder, value: SSAValue) -> IndexExpression | None:
    """The operand that a minimum or maximum is known to be."""
    extremum = extremum_of(value)
    if extremum is None:
        return None
    sign = -1 if extremum.is_minimum else 1
    for part in extremum.values:
        if all(builder.proves_nonnegative((part - other).scale(sign)) for other in extremum.values):
            return part
    return None


def _value(
    builder: Builder, value: SSAValue, totals: dict[Atom, IndexExpression] | None
) -> Polynomial:
    """A value as a polynomial: the product that it is, or itself."""
    factors = builder.products.get(value)
    if factors is None:
        return {(value,): 1}
    left, right = (_factor(builder, factor, totals) for factor in factors)
    if left is None or right is None:
        return {(value,): 1}
    total: Counter[Monomial] = Counter()
    for first, first_number in left.items():
        for second, second_number in right.items():
            key = tuple(sorted((*first, *second), key=builder.order))
            total[key] += first_number * second_number
    return total


def _factor(
    builder: Builder,
    factor: IndexExpression,
    totals: dict[Atom, IndexExpression] | None,
) -> Polynomial | None:
    """A factor as a polynomial: one value if it is a sum of parameters."""
    is_plain = all(isinstance(atom, SSAValue) for atom, _ in factor.terms)
    is_sum = is_plain and len(factor.terms) + bool(factor.constant) > 1
    if totals is None or not is_sum or not builder.is_parametric(factor):
        return _polynomial(builder, factor, totals)
    same = (value for value, total in totals.items() if total - factor == IndexExpression())
    value = next(same, None) or builder.index_value(factor)
    totals[value] = factor
    return {(value,): 1}


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


def _with_shape(builder: Builder, memory: SSAValue, shape: Sequence[int]) -> SSAValue:
    """An argument in the place of `memory`, of another shape."""
    assert isinstance(memory.type, MemRefType)
    position = list(builder.entry.args).index(memory)  # type: ignore[arg-type]
    new = builder.entry.insert_arg(MemRefType(memory.type.element_type, shape), position)
    new.name_hint = memory.name_hint
    return new


def _replace(op: Operation, new: SSAValue, indices: Sequence[IndexExpression]) -> None:
    """The access `op` becomes one of `new`."""
    if isinstance(op, ElementLoad):
        moved = load_at(new, indices)
        moved.results[0].name_hint = op.results[0].name_hint
    else:
        assert isinstance(op, ElementStore)
        moved = store_at(op.value, new, indices)
    moved.location = op.location
    Rewriter.replace_op(op, moved)
