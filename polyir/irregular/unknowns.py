"""Loops over the unknowns of a problem, whose order the caller may choose.

If unknowns get other numbers, and with them the rows and columns of a matrix, the loop computes the
same things in another order. That is so if an iteration uses the number of its unknown only to name
elements of it, and numbers in index arrays only to name elements of other unknowns. Then a loop
that runs in another order gives the bits that the original one gives with other numbers (M. Strout,
L. Carter, J. Ferrante and B. Kreaseck, "Sparse tiling for stationary iterative methods", 2004:
their partition gives the order of the unknowns).
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue, Use

from polyir.base.diagnostics import location_of
from polyir.irregular.loop_parts import IrregularLoopError
from polyir.irregular.slices import subscripts_of
from polyir.irregular.time_steps import TimeSteps
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import ElementAccess, ElementLoad
from polyir.model.raising.effects import LOADS, STORES, may_overlap, stores_in

_SUMS = (arith.AddiOp, arith.SubiOp, affine.ApplyOp)
_CONVERSIONS = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)


def require_any_order_of_unknowns(steps: TimeSteps) -> None:
    """Raise `PolyirError`, with a place, unless the unknowns of a loop may have any order.

    There must be one inner loop, over the unknowns. The number of an unknown is its counter, and
    what comes out of an index array and names elements as the counter does. It may be

    - the whole of a subscript, of an array that has no other subscripts in its place;
    - compared for equality with another number.

    Rows of a sparse matrix are loops from `rows[i]` to `rows[i + 1]`. Nothing else may depend on
    these two, and the counter of such a loop is a subscript of arrays that have no others.
    """
    if len(steps.slices) != 1:
        reason = "it has several inner loops, not one over the unknowns"
        raise IrregularLoopError(reason, location_of(steps.slices[1].loop))
    _Loop(steps.slices[0].loop, steps.loop).check()


class _Loop:
    """An inner loop over unknowns, and what is known of the memory that it uses."""

    def __init__(self, loop: SequentialLoop, steps: SequentialLoop) -> None:
        self._loop = loop
        self._counter: SSAValue = loop.body.block.args[0]
        self._stored = [store.memref for store in stores_in(steps)]
        self._accesses = [
            (op, dimension, each)
            for op in loop.walk()
            if isinstance(op, ElementAccess) and is_outside(op.memref, loop)
            for dimension, each in enumerate(subscripts_of(op, loop))
        ]
        # Index arrays with numbers of unknowns, and dimensions with an element for each unknown.
        self._sources: set[SSAValue] = set()
        self._unknowns: set[tuple[SSAValue, int]] = set()
        while self._learn():
            pass
        self._rows = {op.memref for op, _, each in self._accesses if each == self._counter_plus(1)}
        self._entries: set[SSAValue] = set()

    def _counter_plus(self, constant: int) -> IndexExpression:
        return IndexExpression(((self._counter, 1),), constant)

    def _learn(self) -> bool:
        """Follow numbers from subscripts to index arrays, and back; whether there are new ones."""
        known = len(self._sources) + len(self._unknowns)
        for op, dimension, each in self._accesses:
            if each.value is not None and self._is_number(each.value):
                self._unknowns.add((op.memref, dimension))
            if each.value is not None and (op.memref, dimension) in self._unknowns:
                self._sources |= _loaded_from(each.value)
        for other in self._loop.walk():
            if isinstance(other, arith.CmpiOp) and any(map(self._is_number, other.operands)):
                self._sources |= _loaded_from(other.lhs) | _loaded_from(other.rhs)
        return len(self._sources) + len(self._unknowns) > known

    def _is_number(self, value: SSAValue) -> bool:
        """Whether a value is known to be the number of an unknown."""
        is_loaded = bool(_loaded_from(value) & self._sources)
        return is_loaded or _source(value) is self._counter

    def check(self) -> None:
        """Raise for what another order of the unknowns would change."""
        for memory in self._sources | self._rows:
            if any(may_overlap(memory, each) for each in self._stored):
                self._refuse("an index array is written", self._loop)
        self._check_numbers(self._counter)
        for op, _, _ in self._accesses:
            if op.memref in self._rows:
                self._check_row(op)
            elif op.memref in self._sources:
                self._check_numbers(op.results[0])
        for op, dimension, each in self._accesses:
            is_number = each.value is not None and self._is_number(each.value)
            is_of_unknown = (op.memref, dimension) in self._unknowns
            if is_of_unknown and not is_number and op.memref not in self._rows:
                self._refuse("this is an element of no unknown", op)
            is_entry = each.value is not None and each.value in self._entries
            if not is_entry and (op.memref, dimension) in self._entry_dimensions():
                self._refuse("this is an element of no row", op)

    def _check_numbers(self, number: SSAValue) -> None:
        """Raise if the number of an unknown is used for anything but to name its elements."""
        for use in tuple(number.uses):
            op = use.operation
            if isinstance(op, ElementAccess) and _is_subscript(use):
                for dimension, each in enumerate(subscripts_of(op, self._loop)):
                    if each.value is None and op.memref not in self._rows and each.terms:
                        what = f"subscript {dimension} is not the number of an unknown"
                        self._refuse(what, op)
            elif isinstance(op, (*_CONVERSIONS, *_SUMS)):
                # Subscripts are seen through sums: one that has any is not a number.
                self._check_numbers(op.results[0])
            elif not self._is_equality(op):
                self._refuse("the number of an unknown is used here", op)

    def _is_equality(self, op: Operation) -> bool:
        """Whether two numbers of unknowns are compared for equality."""
        if not isinstance(op, arith.CmpiOp) or op.predicate.value.data not in (0, 1):
            return False
        return all(map(self._is_number, op.operands))

    def _check_row(self, op: ElementAccess) -> None:
        """Raise if the start or the end of a row is used for anything but the loop over it."""
        (each,) = subscripts_of(op, self._loop)
        if each not in (self._counter_plus(0), self._counter_plus(1)):
            self._refuse("this is neither the start nor the end of its row", op)
        for use in _uses_of(op.results[0]):
            loop = use.operation
            if not (isinstance(loop, scf.ForOp) and self._is_row(loop)):
                self._refuse("more than a loop depends on where a row is", loop)
            else:
                counter = loop.body.block.args[0]
                self._entries.add(counter)
                self._check_entries(counter)

    def _is_row(self, loop: scf.ForOp) -> bool:
        """Whether a loop goes from the start of a row to its end, and no further use is made."""
        ends = []
        for bound in (loop.lb, loop.ub):
            load = _source(bound).owner
            if not isinstance(load, ElementLoad):
                return False
            ends.append((load.memref, *subscripts_of(load, self._loop)))
        (first, *start), (last, *end) = ends
        is_pair = start == [self._counter_plus(0)] and end == [self._counter_plus(1)]
        carried = {_source(value) for value in loop.operands[2:]}
        return first is last and is_pair and not carried & {_source(loop.lb), _source(loop.ub)}

    def _check_entries(self, counter: SSAValue) -> None:
        """Raise unless the counter of a loop over a row is nothing but the whole of subscripts."""
        for use in counter.uses:
            op = use.operation
            if not (isinstance(op, ElementAccess) and _is_subscript(use)):
                self._refuse("more than elements of a row depend on where it is", op)
            elif any(
                each.value is not counter and any(atom is counter for atom, _ in each.terms)
                for each in subscripts_of(op, self._loop)
            ):
                self._refuse("this is an element of no row", op)

    def _entry_dimensions(self) -> set[tuple[SSAValue, int]]:
        """The dimensions with an element for each entry of a row."""
        return {
            (op.memref, dimension)
            for op, dimension, each in self._accesses
            if each.value is not None and each.value in self._entries
        }

    def _refuse(self, reason: str, op: Operation) -> None:
        raise IrregularLoopError(
            f"the order of the unknowns cannot change: {reason}", location_of(op)
        )


def _source(value: SSAValue) -> SSAValue:
    """What a value is converted from."""
    owner = value.owner
    return _source(owner.operands[0]) if isinstance(owner, _CONVERSIONS) else value


def _loaded_from(value: SSAValue) -> set[SSAValue]:
    """The memref that an integer is loaded from, if it is one."""
    load = _source(value).owner
    if isinstance(load, LOADS) and isinstance(load.results[0].type, IndexType | IntegerType):
        return {load.memref}
    return set()


def _uses_of(value: SSAValue) -> Iterator[Use]:
    """The uses of a value and of what it is converted to."""
    for use in value.uses:
        if isinstance(use.operation, _CONVERSIONS):
            yield from _uses_of(use.operation.results[0])
        else:
            yield use


def _is_subscript(use: Use) -> bool:
    """Whether an access uses a value as a subscript, not as what it stores."""
    before = 2 if isinstance(use.operation, STORES) else 1
    return use.index >= before
