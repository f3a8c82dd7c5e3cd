"""Elements that several blocks of a rank read, of which a message has each once.

With blocks that are dealt out, the elements for each block of the receiver are visited, one block
after the other. A table has the places of elements in the message. An element that is there already
is not packed again, and each block of the receiver takes it from that place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue

from polyir.distributed.functions import Functions, LocalPart
from polyir.distributed.transfers import Copier, Transfer, along_row, no_memory, outlined_transfer
from polyir.loops.code import Code

_MEASURE = -1
"""An action besides those of `transfers`: count all, and find the box around them."""

_FAR = 1 << 40
"""A subscript beyond all others."""


@dataclass(frozen=True)
class Numbers:
    """The places of elements in messages, for the elements that a block sends in a step.

    A table for each array has a place for each element in `box`, which has the first subscript and
    the one after the last for each dimension. Places before a message are those in other ones.
    """

    box: SSAValue
    tables: tuple[SSAValue, ...]


@dataclass(frozen=True)
class NumberedTransfer:
    """A transfer with the same elements several times, which are copied once.

    `ranks` has the number of dimensions of each array.
    """

    transfer: Transfer
    ranks: tuple[int, ...]

    def new_box(self, code: Code) -> SSAValue:
        """Add code for memory of a box."""
        return code.array("box", max(1, 2 * sum(self.ranks)))

    def set_empty(self, code: Code, box: SSAValue) -> None:
        """Add code after which nothing is in a box."""
        for place in range(sum(self.ranks)):
            code.store(_FAR, box, 2 * place)
            code.store(-_FAR, box, 2 * place + 1)

    def measure(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, LocalPart],
        box: SSAValue,
    ) -> SSAValue:
        """Add code that puts elements into a box; how many there are, those there before, too."""
        tables = tuple(no_memory(code, IndexType(), rank) for rank in self.ranks)
        none = code.constant(0)
        numbers = Numbers(box, tables)
        return self.copy(code, values, parts, (None, none), _MEASURE, none, numbers)

    @contextmanager
    def numbers(self, code: Code, box: SSAValue) -> Iterator[Numbers]:
        """Add tables for the elements in a box, in which no element has a place."""
        tables = []
        first = 0
        for rank in self.ranks:
            ends = [
                (code.load(box, 2 * place), code.load(box, 2 * place + 1))
                for place in range(first, first + rank)
            ]
            extents = [code.steps(*each, 1) for each in ends]
            tables.append(code.array("numbers", *extents))
            code.fill(tables[-1], -1, extents)
            first += rank
        yield Numbers(box, tuple(tables))
        code.free(*tables)

    def copy(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, LocalPart],
        message: tuple[SSAValue | None, SSAValue],
        action: int,
        first: SSAValue,
        numbers: Numbers,
    ) -> SSAValue:
        """Add code that copies elements, those that the message does not have to its next place.

        `message` has the buffer, which counting needs not, and the next place. Elements in it from
        the place `first` on are for the same receiver. Returns the place after the last element.
        """
        more = [first, numbers.box, *numbers.tables]
        return self.transfer.copy(code, values, parts, message, action, more)


def numbered_transfer(
    functions: Functions,
    name: str,
    sets: Mapping[str, isl.Set],
    element: Attribute,
    writers: Mapping[str, Sequence[isl.Map]] | None = None,
) -> NumberedTransfer:
    """Add a function as `transfer` does, for elements of which a message has each once."""
    ranks = tuple(each.dim(isl.dim_type.set) for each in sets.values())
    types = [MemRefType(IndexType(), [DYNAMIC_INDEX] * rank) for rank in (1, *ranks)]
    function = outlined_transfer(
        functions, name, sets, element, writers, _NumberingCopier, [IndexType(), *types]
    )
    return NumberedTransfer(Transfer(element, function), ranks)


class _NumberingCopier(Copier):
    """Visits the elements of rows, and gives a place to those that have none in the message."""

    def __init__(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        others: Sequence[SSAValue],
        parts: Mapping[str, LocalPart],
    ) -> None:
        super().__init__(code, values, others, parts)
        self._first, self._box, *tables = self.more
        for value, hint in zip(self.more, ("first", "box"), strict=False):
            value.name_hint = hint
        self._tables: dict[str, tuple[SSAValue, int]] = {}
        before = 0
        for (array, part), table in zip(parts.items(), tables, strict=True):
            table.name_hint = f"{array}_numbers"
            self._tables[array] = table, before
            before += len(part.offsets)
        self._is_measured = code.compared(others[2], "eq", _MEASURE)

    def copy_row(
        self, code: Code, array: str, subscripts: Sequence[SSAValue], length: SSAValue
    ) -> None:
        """Copy the elements of a row, or put it into the box."""
        with code.conditional(self._is_measured) as measured:
            self._measure(measured, array, subscripts, length)
        table, before = self._tables[array]
        memory, first_element = self.parts[array].memory, self.places(code, array, subscripts)
        first_entry = [
            code.difference(each, code.load(self._box, 2 * (before + dimension)))
            for dimension, each in enumerate(subscripts)
        ]
        visited = code.choice(self._is_measured, code.constant(0), length)
        with code.loop("e", 0, visited) as (body, number):
            entry = along_row(body, first_entry, number)
            element = along_row(body, first_element, number)
            is_new = body.compared(body.load(table, *entry), "slt", self._first)
            with body.conditional(is_new) as new:
                place = new.load(self.cell)
                new.store(place, table, *entry)
                new.store(new.sum(place, 1), self.cell)
                with new.conditional(self.is_packed) as packed:
                    packed.store(packed.load(memory, *element), self.message, place)
            with body.conditional(self.is_unpacked) as unpacked:
                place = unpacked.load(table, *entry)
                unpacked.store(unpacked.load(self.message, place), memory, *element)

    def _measure(
        self, code: Code, array: str, subscripts: Sequence[SSAValue], length: SSAValue
    ) -> None:
        """Let the box have a row, too."""
        _, before = self._tables[array]
        ends = along_row(
            code, [code.sum(each, 1) for each in subscripts], code.difference(length, 1)
        )
        for dimension, (begin, end) in enumerate(zip(subscripts, ends, strict=True)):
            place = 2 * (before + dimension)
            code.store(code.minimum(code.load(self._box, place), begin), self._box, place)
            code.store(code.maximum(code.load(self._box, place + 1), end), self._box, place + 1)
        code.store(code.sum(code.load(self.cell), length), self.cell)
