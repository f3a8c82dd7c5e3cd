"""Loops over the unknowns of a problem, whose order the caller may choose.

If unknowns get other numbers, and with them the rows and columns of a matrix, the loop computes the
same things in another order. That is so if an iteration uses the number of its unknown for nothing
but to name elements of it, and numbers in index arrays for nothing but to name elements of others.
Then a loop that runs in another order gives the bits that the original one gives with other numbers
(M. Strout, L. Carter, J. Ferrante and B. Kreaseck, "Sparse tiling for stationary iterative methods",
2004: the order of the unknowns is given by their partition).
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.diagnostics import PolyirError, location_of
from polyir.irregular.slices import ElementAccess, subscripts_of
from polyir.irregular.time_steps import TimeSteps
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.raising.effects import LOADS, STORES, may_overlap

_SUMS = arith.AddiOp | arith.SubiOp | affine.ApplyOp
_SAME = arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp


def require_any_order(steps: TimeSteps) -> None:
    """Raise `PolyirError`, with a place, unless the unknowns of a loop may have any order.

    There must be one inner loop. Where its counter, or a number of an unknown out of an index array,
    is used, it is the whole of a subscript, or is compared for equality with another such number.
    `rows[i + 1]` is the end of a row: it may only bound a loop, whose counter names elements of rows.
    """
    if len(steps.slices) != 1:
        second = steps.slices[1].loop
        raise PolyirError(
            "it has several inner loops, not one over the unknowns", location_of(second)
        )
    _Loop(steps.slices[0].loop, steps.loop).check()


class _Loop:
    """An inner loop, and what is known of the memory that it uses."""

    def __init__(self, loop: SequentialLoop, steps: SequentialLoop) -> None:
        self._loop = loop
        self._accesses = [
            op
            for op in loop.walk()
            if isinstance(op, ElementAccess) and is_outside(op.memref, loop)
        ]
        self._stored = [op.memref for op in steps.walk() if isinstance(op, STORES)]
        self._counter: SSAValue = loop.body.block.args[0]
        # The dimensions of memrefs along which there is an element for each unknown.
        self._dimensions = {
            (op.memref, dimension)
            for op in self._accesses
            for dimension, each in enumerate(subscripts_of(op, loop))
            if each.value is self._counter
        }

    def check(self) -> None:
        """Raise for what the order of the unknowns would change."""
        self._check_number(self._counter)
        for value in self._numbers():
            self._check_number(value)
        for op in self._accesses:
            for dimension, each in enumerate(subscripts_of(op, self._loop)):
                if (op.memref, dimension) not in self._dimensions:
                    continue
                number = each.value
                if number is self._counter or self._is_end_of_row(op):
                    continue
                if number is None or not self._is_loaded(number):
                    self._refuse("this is an element of no unknown", op)

    def _numbers(self) -> Iterator[SSAValue]:
        """The numbers of unknowns that come out of index arrays."""
        sources = set()
        for op in self._accesses:
            for dimension, each in enumerate(subscripts_of(op, self._loop)):
                value = each.value
                if (op.memref, dimension) in self._dimensions and value is not None:
                    load = _load_of(value)
                    if load is not None:
                        sources.add(load.memref)
        for op in self._accesses:
            if isinstance(op, LOADS) and op.memref in sources:
                yield op.results[0]

    def _check_number(self, number: SSAValue) -> None:
        """Raise if the number of an unknown is used for anything but to name its elements."""
        same = [number]
        sums: list[SSAValue] = []
        for value in same:
            for use in tuple(value.uses):
                op = use.operation
                match op:
                    case _ if isinstance(op, ElementAccess) and value in op.indices:
                        self._check_subscripts(op, number)
                    case arith.IndexCastOp() | arith.ExtSIOp() | arith.ExtUIOp() | arith.TruncIOp():
                        same.append(op.results[0])
                    case arith.CmpiOp() if self._is_equality(op):
                        pass
                    case arith.AddiOp() | arith.SubiOp() | affine.ApplyOp():
                        sums.append(op.results[0])
                    case _:
                        self._refuse("the number of an unknown is used here", op)
        for value in sums:
            for use in tuple(value.uses):
                op = use.operation
                if isinstance(op, _SUMS):
                    sums.append(op.results[0])
                elif isinstance(op, ElementAccess) and value in op.indices:
                    self._check_subscripts(op, number)
                else:
                    self._refuse("the number of an unknown is used here", op)

    def _check_subscripts(self, op: ElementAccess, number: SSAValue) -> None:
        """Raise unless each subscript of an access is the number of an unknown, or has none."""
        for dimension, each in enumerate(subscripts_of(op, self._loop)):
            has_number = any(atom is number for atom, _ in each.terms)
            is_name = each.value is not None or self._is_end_of_row(op)
            if (has_number and not is_name) or (each.terms and each.value is None and not is_name):
                self._refuse(f"subscript {dimension} is not the number of an unknown", op)

    def _is_end_of_row(self, op: ElementAccess) -> bool:
        """Whether an access loads the start or the end of a row, which only bound loops."""
        if not isinstance(op, LOADS) or any(may_overlap(op.memref, each) for each in self._stored):
            return False
        (subscript, *others) = subscripts_of(op, self._loop)
        is_row = not others and subscript.terms == ((self._counter, 1),)
        return is_row and self._only_bounds(op.results[0])

    def _only_bounds(self, value: SSAValue) -> bool:
        """Whether a value only bounds loops whose counters are subscripts, alone."""
        for use in value.uses:
            op = use.operation
            if isinstance(op, _SAME):
                if not self._only_bounds(op.results[0]):
                    return False
            elif not (isinstance(op, scf.ForOp) and use.index < 2 and self._only_names(op)):
                return False
        return True

    def _only_names(self, loop: scf.ForOp) -> bool:
        """Whether the counter of a loop is nothing but the whole of subscripts."""
        counter = loop.body.block.args[0]
        return all(
            isinstance(use.operation, ElementAccess)
            and all(
                each.value is counter or all(atom is not counter for atom, _ in each.terms)
                for each in subscripts_of(use.operation, self._loop)
            )
            and counter in use.operation.indices
            for use in counter.uses
        )

    def _is_equality(self, op: arith.CmpiOp) -> bool:
        """Whether two numbers of unknowns are compared for equality."""
        is_equality = op.predicate.value.data in (0, 1)
        return is_equality and all(map(self._is_number, (op.lhs, op.rhs)))

    def _is_number(self, value: SSAValue) -> bool:
        """Whether a value is the number of an unknown: the counter, or one out of an index array."""
        source = _source(value)
        return source is self._counter or self._is_loaded(source)

    def _is_loaded(self, value: SSAValue) -> bool:
        """Whether a value comes out of an index array that the time steps do not write."""
        load = _load_of(value)
        return load is not None and not any(may_overlap(load.memref, each) for each in self._stored)

    def _refuse(self, reason: str, op: Operation) -> None:
        raise PolyirError(f"the order of the unknowns cannot change: {reason}", location_of(op))


def _source(value: SSAValue) -> SSAValue:
    """What a value is converted from."""
    owner = value.owner
    return _source(owner.operands[0]) if isinstance(owner, _SAME) else value


def _load_of(value: SSAValue) -> Operation | None:
    """The load of an integer that a value is."""
    owner = _source(value).owner
    if not isinstance(owner, LOADS) or not isinstance(owner.memref.type, MemRefType):
        return None
    return owner if isinstance(owner.results[0].type, IndexType | IntegerType) else None
