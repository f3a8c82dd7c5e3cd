"""The orders of the elements of a graph, and the functions of a module that find them.

    func.func private @moldyn_partition(%starts: memref<?xindex>, %neighbours: memref<?xindex>,
                                        %elements: memref<?xindex>)

The neighbours of element e are `neighbours[k]` for k from `starts[e]` to before `starts[e + 1]`;
each is a neighbour of its neighbours, and may be there several times. The function stores the
elements in their new order. It takes time linear in the size of the graph.

A function that is declared only (`given`) is for whoever compiles or links the program to define:
libraries have better orders than those here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.dialects.index_arrays import INSPECTOR
from polyir.irregular.counting_sorts import sort_numbers
from polyir.irregular.plans import functions_in
from polyir.loops.code import Code
from polyir.sets.names import unique_name

ORDER: Final = "polyir.order"
"""The attribute of functions of this file: what they do."""

Method: TypeAlias = Literal["packing", "breadth-first", "cuthill-mckee", "partition", "given"]
"""How to order elements; all but `packing` need a graph."""


@dataclass(frozen=True)
class _Graph:
    """The graph that a function gets, and the number of its elements."""

    starts: SSAValue
    neighbours: SSAValue
    number: SSAValue


def add_order(table: Block, kernel: str, method: Method, part: int) -> str:
    """The name of the function for the inspectors of a kernel, which is added if it is not there.

    `table` is the block with the functions, and `part` the number of elements that stay together in
    a partition.
    """
    meaning = StringAttr(f"{kernel} {method}" + (f" {part}" if method == "partition" else ""))
    functions = functions_in(table)
    for op in functions.values():
        if op.attributes.get(ORDER) == meaning:
            return op.sym_name.data
    wanted = f"{kernel}_{'order' if method == 'given' else method.replace('-', '_')}"
    name = unique_name(wanted, set(functions))
    function = _declaration(name) if method == "given" else _function(name, method, part)
    function.attributes[ORDER] = meaning
    assert table.first_op is not None
    table.insert_op_before(function, table.first_op)
    return name


_TYPES: Final = (MemRefType(IndexType(), [DYNAMIC_INDEX]),) * 3


def _declaration(name: str) -> func.FuncOp:
    return func.FuncOp.external(name, _TYPES, ())


def _function(name: str, method: Method, part: int) -> func.FuncOp:
    block = Block(arg_types=_TYPES)
    for argument, hint in zip(block.args, ("starts", "neighbours", "elements"), strict=True):
        argument.name_hint = hint
    starts, neighbours, elements = block.args
    code = Code(InsertPoint.at_end(block))
    graph = _Graph(starts, neighbours, code.extent(elements, 0))
    _BODIES[method](code, graph, elements, part)
    code.add(func.ReturnOp())
    function = func.FuncOp(name, (_TYPES, ()), Region(block), visibility="private")
    function.attributes[INSPECTOR] = UnitAttr()
    return function


@contextmanager
def _neighbours_of(code: Code, graph: _Graph, element: SSAValue) -> Iterator[tuple[Code, SSAValue]]:
    """A loop over the neighbours of an element: code for its body, and the neighbour."""
    first = code.load(graph.starts, element)
    end = code.load(graph.starts, code.sum(element, 1))
    with code.loop("k", first, end) as (body, place):
        yield body, body.load(graph.neighbours, place)


class _Search:
    """A breadth-first search, which stores the elements in the order in which it finds them.

    Where there is no neighbour left, it goes on at the next candidate: `candidate(code, n)` is
    the n-th one, and each element is one. With a `part`, the search begins anew when it has found
    so many elements: at the next neighbour, and then at those of the parts before.
    """

    def __init__(
        self,
        code: Code,
        graph: _Graph,
        queue: SSAValue,
        candidate: Callable[[Code, SSAValue], SSAValue],
        part: int | None,
    ) -> None:
        self._code, self._graph, self._queue = code, graph, queue
        self._candidate, self._part = candidate, part
        # `count` elements were found, those of this part from `begin` on. The next ones to take are
        # in the places `head` and, of the parts before, `rest`.
        self._count, self._head, self._next = map(code.cell, ("count", "head", "next"))
        self._begin = None if part is None else code.cell("begin")
        self._rest = None if part is None else code.cell("rest")

    def add(self) -> None:
        """Add the code of the search.

        Each of its steps takes an element from the queue, of this part or of those before, or looks
        at the next candidate.
        """
        code, number = self._code, self._graph.number
        self._is_found = code.array("is_found", number)
        code.fill(self._is_found, 0, [number])
        for cell in (self._count, self._head, self._next, self._begin, self._rest):
            if cell is not None:
                code.store(0, cell)
        with code.loop("step", 0, code.product(number, 3 if self._part else 2)) as (body, _):
            self._take(body, self._head, self._rest)
        code.free(self._is_found)

    def _take(self, code: Code, head: SSAValue, other: SSAValue | None) -> None:
        """Take the element in the place `head`, or `other`, or look at the next candidate."""
        at = code.load(head)
        with code.either(at, "slt", code.load(self._count)) as (take, rest):
            take.store(take.sum(at, 1), head)
            element = take.load(self._queue, at)
            with _neighbours_of(take, self._graph, element) as (body, neighbour):
                self._find(body, neighbour)
            if other is not None:
                self._take(rest, other, None)
            else:
                self._look(rest)

    def _look(self, code: Code) -> None:
        """Find the next candidate."""
        next = code.load(self._next)
        with code.either(next, "slt", self._graph.number) as (then, _):
            then.store(then.sum(next, 1), self._next)
            self._find(then, self._candidate(then, next))

    def _find(self, code: Code, element: SSAValue) -> None:
        """Put an element at the end of the queue, if it was not found before."""
        with code.either(code.load(self._is_found, element), "eq", 0) as (then, _):
            place = then.load(self._count)
            if self._part is not None and self._begin is not None:
                size = then.difference(place, then.load(self._begin))
                with then.either(size, "eq", self._part) as (full, _):
                    full.store(place, self._begin)
                    full.store(place, self._head)
            then.store(1, self._is_found, element)
            then.store(element, self._queue, place)
            then.store(then.sum(place, 1), self._count)


def _search(
    code: Code,
    graph: _Graph,
    queue: SSAValue,
    candidate: Callable[[Code, SSAValue], SSAValue] = lambda code, n: n,
    part: int | None = None,
) -> None:
    _Search(code, graph, queue, candidate, part).add()


def _by_degree(code: Code, graph: _Graph) -> SSAValue:
    """A new array with the elements, sorted by the number of their neighbours."""
    number = graph.number
    degrees, order = code.array("degrees", number), code.array("by_degree", number)
    count = code.cell("count")
    code.store(0, count)
    with code.loop("e", 0, number) as (body, element):
        end = body.load(graph.starts, body.sum(element, 1))
        degree = body.difference(end, body.load(graph.starts, element))
        body.store(degree, degrees, element)
        body.store(body.maximum(body.load(count), body.sum(degree, 1)), count)
    starts = code.array("first_of_degree", code.sum(code.load(count), 1))
    sort_numbers(code, degrees, number, (order, starts, count))
    code.free(degrees, starts)
    return order


def _breadth_first(code: Code, graph: _Graph, elements: SSAValue, part: int) -> None:
    """Breadth first (I. Al-Furaih and S. Ranka, IPPS 1998)."""
    _search(code, graph, elements)


def _partition(code: Code, graph: _Graph, elements: SSAValue, part: int) -> None:
    """Parts that grow breadth first, one after the other (C. Farhat, "A simple and efficient
    automatic FEM domain decomposer", Computers & Structures, 1988)."""
    _search(code, graph, elements, part=part)


def _cuthill_mckee(code: Code, graph: _Graph, elements: SSAValue, part: int) -> None:
    """Reverse Cuthill-McKee: breadth first from an element at the edge of the graph, elements with
    few neighbours first, and all that backwards (A. George, 1971).

    The start is the last element of another search, which begins at one with few neighbours.
    """
    number = graph.number
    by_degree = _by_degree(code, graph)
    ordered = code.array("ordered", code.extent(graph.neighbours, 0))
    places = code.array("places", number)
    with code.loop("e", 0, number) as (body, element):
        body.store(body.load(graph.starts, element), places, element)
    # Each element is put after those of lower degree in the list of each of its neighbours.
    with code.loop("t", 0, number) as (body, place):
        element = body.load(by_degree, place)
        with _neighbours_of(body, graph, element) as (inner, neighbour):
            target = inner.load(places, neighbour)
            inner.store(element, ordered, target)
            inner.store(inner.sum(target, 1), places, neighbour)
    sorted_graph = _Graph(graph.starts, ordered, number)
    _search(code, sorted_graph, elements, candidate=lambda code, n: code.load(by_degree, n))
    # The last element of each part of the graph is the first one of it from behind.
    last = code.difference(number, 1)
    _search(
        code,
        sorted_graph,
        by_degree,
        candidate=lambda code, n: code.load(elements, code.difference(last, n)),
    )
    with code.loop("t", 0, number) as (body, place):
        body.store(body.load(by_degree, body.difference(last, place)), elements, place)
    code.free(by_degree, ordered, places)


_Body: TypeAlias = Callable[[Code, _Graph, SSAValue, int], None]

_BODIES: Final[Mapping[str, _Body]] = MappingProxyType(
    {
        "breadth-first": _breadth_first,
        "cuthill-mckee": _cuthill_mckee,
        "partition": _partition,
    }
)
"""What adds the code of a function of each method that is generated."""
