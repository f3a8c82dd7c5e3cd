"""The new numbers of the elements that an irregular loop accesses, as its inspector finds them.

- Consecutive packing: in the order of the first access (C. Ding and K. Kennedy, "Improving cache
  performance in dynamic applications through data and computation reorganization at run time",
  PLDI 1999).
- All other orders are of a graph (`polyir/irregular/orders.py`). The neighbours of an element are
  those that an iteration accesses just before and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import SSAValue

from polyir.irregular.inspection import Inspection
from polyir.irregular.orders import Method, add_order
from polyir.irregular.slices import Element, first_subscript
from polyir.loops.code import Code


@dataclass(frozen=True)
class Numbers:
    """Arrays of an inspector: the new place of each element, and the element in each place."""

    places: SSAValue
    elements: SSAValue


def number_elements(
    inspection: Inspection,
    numbers: Numbers,
    method: Method,
    part: int,
    first: SSAValue | None = None,
) -> None:
    """Add the code that fills the `numbers` of the elements that a loop accesses, in an inspector.

    Elements are counted from 0 on, or from the subscript `first` on.
    """
    _Numbering(inspection, numbers, first).fill(method, part)


class _Numbering:
    """Makes the code that numbers the elements."""

    def __init__(self, inspection: Inspection, numbers: Numbers, first: SSAValue | None) -> None:
        self._inspection, self._first = inspection, first
        self._places, self._elements = numbers.places, numbers.elements
        self._code = inspection.code
        self._number = self._code.extent(self._places, 0)

    def fill(self, method: Method, part: int) -> None:
        """Add the code that fills the arrays."""
        code = self._code
        if method == "packing":
            code.fill(self._places, -1, [self._number])
            count = code.cell("count")
            code.store(0, count)
            self._visit(lambda code, element: self._number_next(code, element, count))
            self._number_rest(count)
            return
        starts, neighbours = self._graph()
        name = add_order(self._inspection.table, self._inspection.kernel, method, part)
        if method == "given":
            with code.loop("e", 0, self._number) as (body, element):
                body.store(element, self._elements, element)
        code.add(func.CallOp(name, [starts, neighbours, self._elements], []))
        code.free(starts, neighbours)
        if method == "given":
            self._number_given()
            return
        with code.loop("t", 0, self._number) as (body, place):
            body.store(place, self._places, body.load(self._elements, place))

    def _number_given(self) -> None:
        """Number the elements in an order that somebody else has made.

        What is not an element has no place in it; the elements that are missing come last.
        """
        code = self._code
        code.fill(self._places, -1, [self._number])
        count = code.cell("count")
        code.store(0, count)
        with code.loop("t", 0, self._number) as (body, place):
            element = body.load(self._elements, place)
            with body.within(body.constant(0), element, self._number) as inner:
                self._number_next(inner, element, count)
        self._number_rest(count)

    def _number_rest(self, count: SSAValue) -> None:
        """Number the elements that have no place yet, and store all elements by place."""
        with self._code.loop("e", 0, self._number) as (body, element):
            self._number_next(body, element, count)
            body.store(element, self._elements, body.load(self._places, element))

    def _number_next(self, code: Code, element: SSAValue, count: SSAValue) -> None:
        """Give an element the next place, if it has none."""
        known, next = code.load(self._places, element), code.load(count)
        code.store(code.select(known, "slt", 0, next, known), self._places, element)
        after = code.select(known, "slt", 0, code.sum(next, 1), next)
        code.store(after, count)

    def _graph(self) -> tuple[SSAValue, SSAValue]:
        """Add the code that finds the neighbours of each element.

        Those of element e are from `starts[e]` to before `starts[e + 1]`.
        """
        code = self._code
        size = code.sum(self._number, 1)
        starts = code.array("starts", size)
        code.fill(starts, 0, [size])

        def count(code: Code, ends: Sequence[SSAValue]) -> None:
            for element in ends:
                code.store(code.sum(code.load(starts, element), 1), starts, element)

        self._visit_neighbours(count)
        # First they are where the neighbours end, and then move down to where they start.
        with code.loop("e", 0, self._number) as (body, element):
            next = body.sum(element, 1)
            total = body.sum(body.load(starts, element), body.load(starts, next))
            body.store(total, starts, next)
        neighbours = code.array("neighbours", code.load(starts, self._number))

        def add(code: Code, ends: Sequence[SSAValue]) -> None:
            for element, neighbour in zip(ends, reversed(ends), strict=True):
                target = code.difference(code.load(starts, element), 1)
                code.store(neighbour, neighbours, target)
                code.store(target, starts, element)

        self._visit_neighbours(add)
        return starts, neighbours

    def _visit_neighbours(self, visit: Callable[[Code, Sequence[SSAValue]], None]) -> None:
        """Visit each two elements that an iteration accesses one after the other."""
        last = self._code.cell("last")

        def visit_pair(code: Code, element: SSAValue) -> None:
            before = code.load(last)
            code.store(element, last)
            with code.either(before, "sge", 0) as (then, _):
                visit(then, (before, element))

        self._visit(visit_pair, lambda code: code.store(-1, last))

    def _visit(
        self,
        visit: Callable[[Code, SSAValue], None],
        begin: Callable[[Code], None] = lambda code: None,
    ) -> None:
        """Visit the elements that the loop accesses; `begin` comes before each iteration."""
        bounds, values = self._inspection.bounds, self._inspection.values
        seen: set[Hashable] = set()

        def visit_once(code: Code, element: Element) -> None:
            subscript, key = element.subscripts[0], first_subscript(element.op)
            if key not in seen:
                seen.add(key)
                first = self._first
                visit(code, subscript if first is None else code.difference(subscript, first))

        loop = self._code.loop("i", bounds.lower, bounds.upper, bounds.step)
        with loop as (body, counter):
            begin(body)
            self._inspection.slice.replay(body, counter, values, visit_once)
