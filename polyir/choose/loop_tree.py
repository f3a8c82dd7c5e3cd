"""A schedule tree as plain loops, whose values are numbers; tiles can be put in without isl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.choose.program import (
    Division,
    Function,
    StatementModel,
    Values,
    constraints_of,
    function_of,
)
from polyir.choose.regions import Constraint, Form
from polyir.dialects.loop_attributes import (
    DynamicAttr,
    JamAttr,
    ParallelAttr,
    PartsAttr,
    ReductionAttr,
    VectorAttr,
)
from polyir.model.tree_loops import isolates_iterations, member_functions
from polyir.sets.lists import sets_of
from polyir.tree import Kind, Schedule, ScheduleNode

Filters = Mapping[str, tuple[Constraint, ...]]
"""The statements that pass, each with what restricts its instances."""


@dataclass(frozen=True)
class Loop:
    """A member of a band: its function for each statement. `band` numbers the bands of a tree.

    Where it `is_balanced`, threads take iterations as they become free. `width` is that of the
    vectors that the loop runs in, and `rows` the copies that it is unrolled to around them; 0 if it
    is no such loop. If it `is_reduction`, each lane has a partial result. Where full tiles are
    apart from partial ones, it `is_apart`.
    """

    functions: Mapping[str, Function]
    body: Node
    is_parallel: bool = False
    is_coincident: bool = False
    band: int = -1
    is_balanced: bool = False
    width: int = 0
    rows: int = 0
    is_reduction: bool = False
    is_apart: bool = False

    @property
    def runs_over_tiles(self) -> bool:
        """Whether the values are those of divisions only."""
        return all(f.divisions and not f.linear.terms for f in self.functions.values())


@dataclass(frozen=True)
class Parts:
    """Children in order, each with the statements that it runs and what restricts them."""

    children: tuple[tuple[Filters, Node], ...]


@dataclass(frozen=True)
class Leaf:
    """The instances themselves."""


Node = Loop | Parts | Leaf


def loop_tree(schedule: Schedule, values: Values) -> Node:
    """The loops of a schedule tree; marks, guards and contexts are looked through."""
    return _Reader(values).read(schedule.root)


class _Reader:
    def __init__(self, values: Values) -> None:
        self._values = values
        self._bands = 0
        self._unrolled: dict[str, Function] = {}

    def read(self, node: ScheduleNode) -> Node:
        """The loops from a node down."""
        match node.kind:
            case Kind.LEAF:
                return Leaf()
            case Kind.BAND:
                return self._band(node)
            case Kind.SEQUENCE | Kind.SET:
                return self._sequence(node)
            case _:
                return self.read(node.child(0))

    def _band(self, node: ScheduleNode) -> Node:
        number, self._bands = self._bands, self._bands + 1
        attributes = node.loop_attributes
        is_apart = isolates_iterations(node)
        body = self.read(node.child(0))
        if _is_unrolled(node) and isinstance(body, Leaf):
            self._unrolled |= self._functions(node, 0)
            return body
        for member in reversed(range(len(node.members))):
            functions = {
                name: self._without_strips(name, function)
                for name, function in self._functions(node, member).items()
            }
            own = {type(each): each for each in attributes[member]}
            coincident = node.members[member].is_coincident
            jam, reduction = own.get(JamAttr), own.get(ReductionAttr)
            vector = own.get(VectorAttr, reduction)
            body = Loop(
                functions,
                body,
                ParallelAttr in own or PartsAttr in own,
                coincident,
                number,
                DynamicAttr in own,
                vector.data if isinstance(vector, VectorAttr | ReductionAttr) else 0,
                jam.data if isinstance(jam, JamAttr) else 0,
                reduction is not None,
                is_apart,
            )
        return body

    def _functions(self, band: ScheduleNode, member: int) -> dict[str, Function]:
        return {
            f.get_domain_space().get_tuple_name(isl.dim_type.set): function_of(f, self._values)
            for f in member_functions(band, member)
        }

    def _without_strips(self, name: str, function: Function) -> Function:
        """The loop whose copies are jammed into others, for the one over its strips."""
        copies = self._unrolled.get(name)
        if copies is None or function.linear.terms or len(function.divisions) != 1:
            return function
        return copies if function.divisions[0].form == copies.smooth else function

    def _sequence(self, node: ScheduleNode) -> Node:
        children = []
        for position in range(node.n_children):
            child = node.child(position)
            filters: dict[str, tuple[Constraint, ...]] = {}
            for part in sets_of(child.filter):
                whole = part.plain_is_universe()
                own = () if whole else constraints_of(part, self._values)
                filters[part.get_tuple_name()] = own
            children.append((filters, self.read(child.child(0))))
        return Parts(tuple(children))


def _is_unrolled(band: ScheduleNode) -> bool:
    """Whether a band is one loop that is unrolled."""
    if len(band.members) != 1:
        return False
    kind = band.members[0].kind
    return kind is isl.ast_loop_type.unroll


def bands_of(node: Node) -> tuple[tuple[Loop, ...], ...]:
    """The bands of a tree, parents first: their loops, outermost first."""
    match node:
        case Loop():
            members = [node]
            body = node.body
            while isinstance(body, Loop) and body.band == node.band:
                members.append(body)
                body = body.body
            return (tuple(members), *bands_of(body))
        case Parts(children):
            return tuple(band for _, child in children for band in bands_of(child))
        case _:
            return ()


def tiled(node: Node, band: int, levels: Sequence[Sequence[int]]) -> Node:
    """The tree with the loops of a band cut into tiles, the outermost level first.

    What is parallel of the band are then the loops over the outermost tiles.
    """
    match node:
        case Loop() if node.band == band:
            members = bands_of(node)[0]
            body = members[-1].body
            for loop in reversed(members):
                body = replace(loop, body=body, is_parallel=False)
            for number, sizes in reversed(tuple(enumerate(levels))):
                for loop, size in reversed(tuple(zip(members, sizes, strict=True))):
                    functions = {name: _tiles(f, size) for name, f in loop.functions.items()}
                    is_parallel = loop.is_parallel and number == 0
                    body = Loop(functions, body, is_parallel, loop.is_coincident, band)
            return body
        case Loop():
            return replace(node, body=tiled(node.body, band, levels))
        case Parts(children):
            return Parts(tuple((names, tiled(child, band, levels)) for names, child in children))
        case _:
            return node


def _tiles(function: Function, size: int) -> Function:
    """`size * floor(function / size)`."""
    return Function(Form(()), (Division(float(size), function.smooth, float(size)),))


def directions(
    loops: Sequence[Loop], models: Mapping[str, StatementModel], name: str
) -> tuple[float, ...] | None:
    """How the iterators of a statement move from one iteration of the last loop to the next.

    `None` where that is not a loop of the statement, or its loops do not fix its iterators.
    """
    last = loops[-1].functions.get(name)
    if last is None or not last.linear.terms or last.divisions:
        return None
    rank = len(models[name].region.low)
    functions = [each.functions[name] for each in loops[:-1] if name in each.functions]
    rows = [f.linear.terms for f in functions if not f.divisions]
    return solved(rows, last.linear.terms, rank, last.step)


def solved(
    zero: Sequence[tuple[tuple[int, float], ...]],
    last: tuple[tuple[int, float], ...],
    rank: int,
    step: float,
) -> tuple[float, ...] | None:
    """The vector with the product 0 with all rows and `step` with the last one, if unique."""
    system = [[*_dense(row, rank), 0.0] for row in zero] + [[*_dense(last, rank), step]]
    pivots: list[int] = []
    for column in range(rank):
        start = len(pivots)
        best = max(range(start, len(system)), key=lambda r: abs(system[r][column]), default=None)
        if best is None or abs(system[best][column]) < 1e-9:
            return None
        system[start], system[best] = system[best], system[start]
        scale = system[start][column]
        system[start] = [entry / scale for entry in system[start]]
        for row in range(len(system)):
            if row != start and system[row][column]:
                factor = system[row][column]
                system[row] = [
                    a - factor * b for a, b in zip(system[row], system[start], strict=True)
                ]
        pivots.append(column)
    if any(abs(row[-1]) > 1e-9 for row in system[rank:]):
        return None
    return tuple(row[-1] for row in system[:rank])


def _dense(terms: tuple[tuple[int, float], ...], rank: int) -> list[float]:
    row = [0.0] * rank
    for variable, factor in terms:
        row[variable] = factor
    return row
