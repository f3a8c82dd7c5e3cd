"""Straight-line code for many iterations at once: vectors along one counter, copies along others.

    for i in 0..2:                                v = B[j .. j+4]
      for j in 0..4:                     =>       a0 = broadcast A[0], a1 = broadcast A[1]
        C[i][j] = A[i] * B[j]                     C[0][j .. j+4] = a0 * v
                                                  C[1][j .. j+4] = a1 * v

What the body does must be known (`BodyFacts`) before it is copied (`Expansion`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Protocol

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, memref, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from polyir.dialects.affine_semantics import is_valid_dimension
from polyir.dialects.shaped_operations import operation_on
from polyir.loops.loop_forms import computed
from polyir.model.affine_operations import is_semi_affine, load_at, store_at, written_out
from polyir.model.index_expressions import Division, IndexExpression
from polyir.model.memory_accesses import ElementAccess, ElementLoad, ElementStore, accesses_of
from polyir.model.raising.effects import is_pure, may_trap
from polyir.model.vectors import elements_form_vectors

Subscripts = tuple[IndexExpression, ...]
Element = tuple[SSAValue, Subscripts]
"""An array and what it is accessed at, in terms of the counters."""
Key = tuple[int, ...]
"""Which copy a value is of: a position for each copied counter that it depends on."""


@dataclass(frozen=True)
class CopiedCounter:
    """A counter whose iterations run at once: `count` copies, `step` apart, from `first` on.

    A copy is one iteration, or, of the counter of the vectors, as many as a vector has elements.
    """

    value: SSAValue
    first: IndexExpression
    count: int
    step: int = 1

    def at(self, number: int) -> IndexExpression:
        """The first value of a copy."""
        return self.first.shift(number * self.step)


class UnsuitableError(Exception):
    """Why a body cannot run for many iterations at once."""


@dataclass
class BodyFacts:
    """What the operations of a body depend on, for copies along `counters`.

    If there are vectors, the last counter is theirs. `dimensions` are the positions of the
    counters that a value depends on, `subscripts` those of each load and store. Of an element that
    `reduced` access, each copy has a value of its own.
    """

    counters: Sequence[SSAValue]
    has_vectors: bool = True
    reduced: frozenset[ElementAccess] = frozenset()
    dimensions: dict[SSAValue, frozenset[int]] = field(default_factory=dict)
    subscripts: dict[ElementAccess, Subscripts] = field(default_factory=dict)
    may_trap: bool = False
    _expressions: dict[SSAValue, IndexExpression] = field(default_factory=dict)

    @staticmethod
    def of(
        body: Block,
        counters: Sequence[SSAValue],
        has_vectors: bool = True,
        reduced: frozenset[ElementAccess] = frozenset(),
    ) -> BodyFacts:
        """The facts of a body.

        Raises `UnsuitableError` for operations that cannot be copied, and for stores to elements
        that are not successive along the counter of the vectors.
        """
        facts = BodyFacts(counters, has_vectors, reduced)
        for place, counter in enumerate(counters):
            facts.dimensions[counter] = frozenset((place,))
        for op in body.ops:
            if not op.has_trait(IsTerminator):
                facts._add(op)
        return facts

    @property
    def vector(self) -> int:
        """The position of the counter of the vectors; -1 if there are none."""
        return len(self.counters) - 1 if self.has_vectors else -1

    def of_value(self, value: SSAValue) -> frozenset[int]:
        """The positions of the counters that a value depends on."""
        return self.dimensions.get(value, frozenset())

    def of_access(self, op: ElementAccess) -> frozenset[int]:
        """The positions of the counters that the element, or a copy's value of it, depends on."""
        if op in self.reduced:
            return frozenset(range(len(self.counters)))
        values = (value for each in self.subscripts[op] for value in each.values())
        return frozenset(self.counters.index(each) for each in values if each in self.counters)

    def element(self, op: ElementAccess) -> Element:
        """The array and the subscripts of an access."""
        return op.memref, self.subscripts[op]

    def written_out(self, value: SSAValue) -> IndexExpression:
        """An index value as an expression, with the affine arithmetic that computes it."""
        return written_out(value, self._expressions)

    def is_index_arithmetic(self, op: Operation) -> bool:
        """Whether an operation computes an index value that is written out where it is used."""
        if len(op.results) != 1 or not isinstance(op.results[0].type, IndexType):
            return False
        return self.written_out(op.results[0]).value is not op.results[0]

    def _add(self, op: Operation) -> None:
        if isinstance(op, ElementAccess):
            self._add_access(op)
        elif self.is_index_arithmetic(op) or isinstance(op, arith.ConstantOp):
            pass
        elif _is_elementwise(op):
            for operand in op.operands:
                self._require_no_counter(operand, op)
            self.may_trap |= may_trap(op)
            found = frozenset[int]().union(*map(self.of_value, op.operands))
            for result in op.results:
                self.dimensions[result] = found
        else:
            raise UnsuitableError(f"there is no vector form of {op.name}")

    def _require_no_counter(self, value: SSAValue, op: Operation) -> None:
        """Refuse an index that differs from copy to copy and is used as a number."""
        if not isinstance(value.type, IndexType):
            return
        for inner in self.written_out(value).values():
            if inner in self.counters:
                raise UnsuitableError(f"{op.name} computes with a counter")
            if inner is not value and self.of_value(inner):
                raise UnsuitableError(f"{op.name} computes with sums of loaded indices")

    def subscripts_of(self, op: ElementAccess) -> Subscripts:
        """The subscripts of an access; raises `UnsuitableError` if one is not affine."""
        if is_semi_affine(op):
            raise UnsuitableError("a subscript is not affine")
        return accesses_of(op)[0].subscripts(self.written_out)

    def _add_access(self, op: ElementAccess) -> None:
        assert isinstance(op.memref.type, MemRefType)
        if self.has_vectors and not elements_form_vectors(op.memref.type):
            raise UnsuitableError(
                f"elements of type {op.memref.type.element_type} form no vectors in memory"
            )
        subscripts = self.subscripts_of(op)
        for value in (value for each in subscripts for value in each.values()):
            if value not in self.counters and value.owner.parent is op.parent:
                raise UnsuitableError("a subscript is computed from data")
        self.subscripts[op] = subscripts
        found = self.of_access(op)
        if isinstance(op, ElementLoad):
            self.dimensions[op.results[0]] = found
            return
        self._require_no_counter(op.value, op)
        if found != frozenset(range(len(self.counters))):
            raise UnsuitableError("several iterations store to one element")
        if self.has_vectors and op not in self.reduced and not self.is_successive(op):
            raise UnsuitableError("it stores to elements that are not next to each other")

    def is_successive(self, op: ElementAccess) -> bool:
        """Whether the elements of a vector are successive."""
        return self._moves_by(op, 1)

    def is_reversed(self, op: ElementAccess) -> bool:
        """Whether the elements of a vector are successive from the last one to the first."""
        return self._moves_by(op, -1)

    def _moves_by(self, op: ElementAccess, step: int) -> bool:
        counter = self.counters[self.vector]
        *others, last = (factor_of(each, counter) for each in self.subscripts[op])
        return last == step and not any(factor != 0 for factor in others)

    @property
    def has_gathers(self) -> bool:
        """Whether vectors are made of elements that are not successive."""
        return any(
            self.vector in self.of_access(op) and not self.is_successive(op)
            for op in self.subscripts
            if op not in self.reduced
        )


@cache
def vector_of(element: Attribute, width: int) -> VectorType:
    """The type of vectors; xDSL takes long to make and check it."""
    return VectorType(element, [width])


def factor_of(expression: IndexExpression, counter: SSAValue) -> int | None:
    """The factor of a counter; `None` if it is inside a division."""
    found: int | None = 0
    for atom, factor in expression.terms:
        if isinstance(atom, Division):
            if any(value is counter for value in atom.dividend.values()):
                return None
        elif atom is counter:
            found = factor
    return found


def _is_elementwise(op: Operation) -> bool:
    """Whether an operation computes one number from numbers, and has a form for vectors."""
    is_scalar = all(
        isinstance(each.type, IntegerType | IndexType | AnyFloat)
        for each in (*op.operands, *op.results)
    )
    dialect = op.name.partition(".")[0]
    return is_scalar and dialect in ("arith", "math") and is_pure(op) and len(op.results) == 1


class Lanes(Protocol):
    """Which iterations of the copies run, where not all of them do."""

    def mask(self, places: frozenset[int], key: Key) -> SSAValue | None:
        """The lanes in which a vector that depends on the counters at `places` is accessed.

        `None` for all lanes.
        """

    def counter(self, place: int, number: int, lane: int) -> IndexExpression:
        """The value of a counter in a copy that runs: its own, or that of the last copy."""


@dataclass(frozen=True)
class SameMask:
    """One vector, of whose lanes some run."""

    value: SSAValue

    def mask(self, places: frozenset[int], key: Key) -> SSAValue:
        return self.value

    def counter(self, place: int, number: int, lane: int) -> IndexExpression:
        raise UnsuitableError("it loads elements that are not next to each other")


@dataclass
class Expansion:
    """Makes the operations of one body for all copies of its iterations.

    Loads and stores run for all copies before the next operation does, so no copy may depend on
    another; values are computed right before they are first used, so that few are alive at once.
    What does not depend on a counter is computed once for all its copies. With `lanes`, only the
    lanes that run are loaded and stored. Accesses to elements that are kept in values do not
    touch memory: `current` has the value of each copy, by the array and the subscripts. `outer` has
    the values of counters of loops around that are not those of the body's own iteration.
    """

    facts: BodyFacts
    counters: Sequence[CopiedCounter]
    width: int
    builder: Builder
    lanes: Lanes | None = None
    outer: Mapping[SSAValue, IndexExpression] = field(default_factory=dict)
    current: dict[Element, dict[Key, SSAValue]] = field(default_factory=dict)
    _copies: dict[SSAValue, dict[Key, SSAValue]] = field(default_factory=dict)
    _pending: dict[SSAValue, Operation] = field(default_factory=dict)
    _broadcasts: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def run(self, body: Block) -> None:
        """Make all operations of `body`."""
        for op in body.ops:
            if isinstance(op, ElementLoad):
                self._load(op)
            elif isinstance(op, ElementStore):
                self._store(op)
            elif self.facts.is_index_arithmetic(op) or op.has_trait(IsTerminator):
                continue
            elif isinstance(op, arith.ConstantOp):
                copy = self.builder.insert(op.clone())
                self._copies[op.result] = {(): copy.result}
            else:
                self._pending[op.results[0]] = op

    def keys(self, dimensions: frozenset[int]) -> tuple[Key, ...]:
        """The copies of what depends on these counters."""
        counts = [range(self.counters[place].count) for place in sorted(dimensions)]
        return tuple(product(*counts))

    def load_element(self, op: ElementAccess, key: Key) -> SSAValue:
        """The element, or vector, that an access of the copy `key` is to."""
        if self.facts.vector not in self.facts.of_access(op):
            return self._loaded(op, self._at_element(op, key), element_type(op))
        type = vector_of(element_type(op), self.width)
        subscripts, mask = self._at(op, key), self._mask(op, key)
        if self.facts.is_successive(op):
            return self._load_vector(op, subscripts, mask, type)
        if not self.facts.is_reversed(op):
            return self._gathered(op, key, type)
        *others, last = subscripts
        subscripts = (*others, last.shift(1 - self.width))
        mask = None if mask is None else self._reversed(mask)
        return self._reversed(self._load_vector(op, subscripts, mask, type))

    def _load_vector(
        self, op: ElementAccess, subscripts: Subscripts, mask: SSAValue | None, type: VectorType
    ) -> SSAValue:
        """Successive elements, from the first one on."""
        if mask is not None:
            zero = self.builder.insert(arith.ConstantOp(_zero(element_type(op)))).result
            other, indices = self._broadcast(zero), self._indices(subscripts)
            return self._insert_load(vector.MaskedLoadOp(op.memref, indices, mask, other), op)
        return self._loaded(op, subscripts, type)

    def load_row(self, op: ElementAccess, key: Key, lane: int) -> SSAValue:
        """What one lane of the copy `key` of an access is to, and the elements after that.

        They are as many as a vector has.
        """
        type = vector_of(element_type(op), self.width)
        return self._loaded(op, self._at_element(op, key, lane), type)

    def _reversed(self, value: SSAValue) -> SSAValue:
        """The lanes of a vector from the last one to the first."""
        assert isinstance(value.type, VectorType)
        order = DenseArrayBase.from_list(i64, range(self.width)[::-1])
        shuffle = vector.ShuffleOp(value, value, order, result_type=value.type)
        return self.builder.insert(shuffle).result

    def store_element(self, op: ElementAccess, key: Key, value: SSAValue) -> None:
        """Store the element, or vector, of the copy `key`."""
        subscripts = self._at(op, key)
        store: Operation
        mask = self._mask(op, key) if self.facts.has_vectors else None
        if mask is not None:
            indices = self._indices(subscripts)
            store = vector.MaskedStoreOp(op.memref, indices, mask, value)
        elif isinstance(op, affine.LoadOp | affine.StoreOp):
            store = store_at(value, op.memref, subscripts)
        elif not self.facts.has_vectors:
            store = memref.StoreOp.get(value, op.memref, self._indices(subscripts))
        else:
            store = vector.StoreOp(value, op.memref, self._indices(subscripts))
        store.location = op.location
        self.builder.insert(store)

    def _mask(self, op: ElementAccess, key: Key) -> SSAValue | None:
        """The lanes in which the copy `key` of an access runs; `None` for all."""
        return None if self.lanes is None else self.lanes.mask(self.facts.of_access(op), key)

    def _is_affine(self, op: ElementAccess, subscripts: Subscripts) -> bool:
        """Whether an access is of the affine dialect, and its subscripts may be."""
        values = (value for each in subscripts for value in each.values())
        is_in_affine = isinstance(op, affine.LoadOp | affine.StoreOp)
        return is_in_affine and all(map(is_valid_dimension, values))

    def _loaded(self, op: ElementAccess, subscripts: Subscripts, type: Attribute) -> SSAValue:
        """An element or successive ones; not of affine where its subscripts are not valid there."""
        load: Operation
        if self._is_affine(op, subscripts):
            load = load_at(op.memref, subscripts, type)
        elif isinstance(type, VectorType):
            load = vector.LoadOp(op.memref, self._indices(subscripts), type)
        else:
            load = memref.LoadOp.get(op.memref, self._indices(subscripts))
        return self._insert_load(load, op)

    def _indices(self, subscripts: Subscripts) -> list[SSAValue]:
        return [computed(each, True, self.builder) for each in subscripts]

    def _gathered(self, op: ElementAccess, key: Key, type: VectorType) -> SSAValue:
        """A vector of elements that are loaded one by one."""
        result: SSAValue | None = None
        for lane in range(self.width):
            value = self._loaded(op, self._at_element(op, key, lane), element_type(op))
            if result is None:
                result = self.builder.insert(vector.BroadcastOp(value, type)).results[0]
            else:
                insertion = vector.InsertOp(value, result, [lane])
                result = self.builder.insert(insertion).results[0]
        assert result is not None
        return result

    def _insert_load(self, load: Operation, original: Operation) -> SSAValue:
        load.location = original.location
        (result,) = self.builder.insert(load).results
        if isinstance(original, ElementLoad):
            result.name_hint = original.results[0].name_hint
        return result

    def _at(self, op: ElementAccess, key: Key) -> Subscripts:
        """The subscripts of the copy `key` of an access, in the first lane of a vector."""
        places = sorted(self.facts.of_access(op))
        values = dict(self.outer)
        for place, number in zip(places, key, strict=True):
            values[self.counters[place].value] = self.counters[place].at(number)
        return tuple(substituted(each, values) for each in self.facts.subscripts[op])

    def _at_element(self, op: ElementAccess, key: Key, lane: int = 0) -> Subscripts:
        """The subscripts of one element of the copy `key` of an access, which exists."""
        places = sorted(self.facts.of_access(op))
        values = dict(self.outer)
        for place, number in zip(places, key, strict=True):
            own = lane if place == self.facts.vector else 0
            counter = self.counters[place]
            values[counter.value] = (
                counter.at(number).shift(own)
                if self.lanes is None
                else self.lanes.counter(place, number, own)
            )
        return tuple(substituted(each, values) for each in self.facts.subscripts[op])

    def _load(self, op: ElementLoad) -> None:
        kept = self.current.get(self.facts.element(op))
        if kept is None:
            keys = self.keys(self.facts.of_access(op))
            kept = {key: self.load_element(op, key) for key in keys}
        self._copies[op.results[0]] = dict(kept)

    def _store(self, op: ElementStore) -> None:
        dimensions = self.facts.of_access(op)
        kept = self.current.get(self.facts.element(op))
        for key in self.keys(dimensions):
            value = self._value(op.value, dimensions, key, as_vector=self.facts.has_vectors)
            if kept is None:
                self.store_element(op, key, value)
            else:
                kept[key] = value

    def _computed(self, op: Operation, key: Key) -> SSAValue:
        """The copy `key` of the result of an operation on numbers."""
        (result,) = op.results
        dimensions = self.facts.of_value(result)
        is_vector = self.facts.vector in dimensions
        operands = [self._value(each, dimensions, key, is_vector) for each in op.operands]
        kind = operation_on(op.__class__, operands[0].type)
        copy = kind.create(
            operands=operands,
            result_types=[vector_of(result.type, self.width) if is_vector else result.type],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            location=op.location,
        )
        value = self.builder.insert(copy).results[0]
        value.name_hint = result.name_hint
        return value

    def _value(
        self, value: SSAValue, dimensions: frozenset[int], key: Key, as_vector: bool
    ) -> SSAValue:
        """A value as the copy `key` of something that depends on `dimensions` uses it."""
        own = self.facts.of_value(value)
        if value in self._copies or value in self._pending:
            places = zip(sorted(dimensions), key, strict=True)
            copy = tuple(number for place, number in places if place in own)
            copies = self._copies.setdefault(value, {})
            if copy not in copies:
                copies[copy] = self._computed(self._pending[value], copy)
            value = copies[copy]
        elif isinstance(value.type, IndexType):
            index = substituted(self.facts.written_out(value), self.outer)
            value = computed(index, True, self.builder)
        return self._broadcast(value) if as_vector else value

    def _broadcast(self, value: SSAValue) -> SSAValue:
        if isinstance(value.type, VectorType):
            return value
        if value not in self._broadcasts:
            type = vector_of(value.type, self.width)
            self._broadcasts[value] = self.builder.insert(vector.BroadcastOp(value, type)).results[
                0
            ]
        return self._broadcasts[value]


def substituted(
    expression: IndexExpression, values: Mapping[SSAValue, IndexExpression]
) -> IndexExpression:
    """`expression` with other expressions in the places of counters."""
    result = IndexExpression((), expression.constant)
    for atom, factor in expression.terms:
        if isinstance(atom, Division):
            inner = substituted(atom.dividend, values)
            result += inner.divide(atom.kind, atom.divisor).scale(factor)
        else:
            result += values.get(atom, IndexExpression.of(atom)).scale(factor)
    return result


def element_type(op: ElementAccess) -> AnyFloat | IntegerType | IndexType:
    type = op.memref.type
    assert isinstance(type, MemRefType)
    element: Attribute = type.element_type
    assert isinstance(element, AnyFloat | IntegerType | IndexType)
    return element


def _zero(type: AnyFloat | IntegerType | IndexType) -> FloatAttr | IntegerAttr:
    """A zero of a type."""
    return FloatAttr(0.0, type) if isinstance(type, AnyFloat) else IntegerAttr(0, type)
