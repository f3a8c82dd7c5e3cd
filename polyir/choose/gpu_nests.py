"""The statements of a tree with kernels: who runs them, and how what they access moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, inf
from typing import Final

import islpy as isl

from polyir.choose.loop_tree import solved
from polyir.choose.program import (
    Function,
    Reference,
    StatementModel,
    Values,
    constraints_of,
    function_of,
)
from polyir.choose.regions import Form, Region, count
from polyir.choose.states import State
from polyir.dialects.mark_attributes import KernelSizes
from polyir.model.gpu import AXES, axis_of, is_kernel_mark, sizes_of_kernel
from polyir.model.tree_loops import member_functions
from polyir.sets.lists import sets_of
from polyir.tree import Kind, ScheduleNode

Direction = tuple[float, ...]
"""How the iterators of a statement move."""

_SET: Final = isl.dim_type.set
_NO_SIZES: Final = KernelSizes()


@dataclass(frozen=True, eq=False)
class MappedLoop:
    """A loop around a statement, and the axes of blocks and of threads that run it."""

    function: Function
    is_unrolled: bool
    block: str | None
    thread: str | None


@dataclass
class Threads:
    """How a nest runs in one launch: what is mapped, and what each thread does one by one.

    There are so many `launches` and `blocks`, and `lanes` threads with work along each axis.
    `inner` are the loops of a thread with their iterations, outermost first. `state` has the
    instances of a block in the middle.
    """

    launches: float = 1.0
    blocks: float = 1.0
    lanes: dict[str, float] = field(default_factory=dict)
    inner: list[tuple[MappedLoop, float]] = field(default_factory=list)
    state: State | None = None


@dataclass(frozen=True, eq=False)
class Nest:
    """The instances of a statement at a leaf of the tree, and the loops around it.

    The host runs the first `host` of them. `kernel` is the number of the kernel, `None` outside of
    all of them. `place` is that of the innermost band in the tree.
    """

    model: StatementModel
    state: State
    loops: tuple[MappedLoop, ...]
    place: tuple[int, ...]
    host: int = 0
    sizes: KernelSizes = _NO_SIZES
    kernel: int | None = None

    @property
    def instances(self) -> float:
        """How many instances there are in all launches."""
        iterators = [Form(((v, 1.0),)) for v in range(len(self.model.strides))]
        return self.model.share * count(self.state.region, iterators)

    @cached_property
    def threads(self) -> Threads:
        """How the nest is mapped, in a launch and a block in the middle."""
        found, state = Threads(), self.state
        for number, loop in enumerate(self.loops):
            low, high = state.range(loop.function)
            step = self.model.step(loop.function)
            values = max(1.0, (high - low) // step + 1)
            if number < self.host:
                found.launches *= values
            elif loop.block is not None:
                axis, limits = AXES.index(loop.block), self.sizes.grid
                found.blocks *= min(values, limits[axis]) if axis < len(limits) else values
            else:
                found.state = found.state or state
                threads = 1
                if loop.thread is not None:
                    threads = self.sizes.threads(AXES.index(loop.thread))
                    found.lanes[loop.thread] = min(values, threads)
                found.inner.append((loop, ceil(values / threads)))
            state = state.at(loop.function, low + step * ((high - low) / step // 2))
        found.state = found.state or state
        return found

    @cached_property
    def directions(self) -> dict[MappedLoop, Direction | None]:
        """How the iterators move with each loop while all others stay; `None` over tiles."""
        plain = {
            loop: loop.function.linear.terms
            for loop in self.loops
            if loop.function.linear.terms and not loop.function.divisions
        }
        found: dict[MappedLoop, Direction | None] = dict.fromkeys(self.loops)
        for loop, terms in plain.items():
            others = [each for other, each in plain.items() if other is not loop]
            step = self.model.step(loop.function)
            found[loop] = solved(others, terms, len(self.model.strides), step)
        return found

    @property
    def across(self) -> Direction | None:
        """How the iterators move from a thread to its neighbour, if that is simple."""
        found = (self.directions[loop] for loop in self.loops if loop.thread == "x")
        return next(found, None)

    def lanes_of_warp(self, warp: int) -> tuple[float, float]:
        """How many threads of a warp have work, and in how many rows of the block they are."""
        width, lanes = self.sizes.threads(0), self.threads.lanes
        across = lanes.get("x", 1.0)
        if width >= warp:
            return min(float(warp), across), 1.0
        rows = min(warp // width, self.sizes.threads(1), lanes.get("y", 1.0))
        return across * rows, float(rows)

    def held(self, reference: Reference) -> tuple[float, float]:
        """For how many iterations a thread keeps an element, and by how many bytes it moves then.

        It is infinitely far to another row, and if the subscripts are not affine.
        """
        held = 1.0
        for loop, values in reversed(self.threads.inner):
            direction = self.directions[loop]
            if direction is None or values <= 1:
                continue
            moves = moves_of(reference, direction)
            if any(moves):
                return held, inf if any(moves[:-1]) else abs(moves[-1]) * reference.bytes
            held *= values
        return held, inf


def moves_of(reference: Reference, direction: Direction) -> Direction:
    """How the subscripts of a reference move with the iterators."""
    if reference.subscripts is None:
        return (inf,)
    return tuple(sum(f * direction[v] for v, f in form.terms) for form in reference.subscripts)


def row_of(reference: Reference) -> object:
    """What references have in common whose addresses differ by a constant."""
    if not reference.subscripts:
        return reference.array, reference.subscripts
    return reference.array, (*reference.subscripts[:-1], reference.subscripts[-1].terms)


@dataclass(frozen=True)
class _Around:
    """What is around a node: loops, filters, and the kernel with the number of loops outside."""

    loops: tuple[tuple[ScheduleNode, int], ...] = ()
    filters: tuple[ScheduleNode, ...] = ()
    mark: ScheduleNode | None = None
    host: int = 0


def nests_in(
    root: ScheduleNode, models: Mapping[str, StatementModel], values: Values
) -> Iterator[Nest]:
    """The statements from a node down, in order; kernels are numbered from 0."""
    kernels = 0

    def visit(node: ScheduleNode, around: _Around) -> Iterator[Nest]:
        nonlocal kernels
        if is_kernel_mark(node):
            around = replace(around, mark=node, host=len(around.loops))
            kernels += 1
        if node.kind is Kind.BAND:
            members = tuple((node, position) for position in range(len(node.members)))
            around = replace(around, loops=around.loops + members)
        if node.kind is Kind.FILTER:
            around = replace(around, filters=(*around.filters, node))
        if node.n_children == 0:
            for part in sets_of(node.domain):
                if model := models.get(part.get_tuple_name()):
                    found = _nest(model, around, values)
                    if around.mark is not None:
                        sizes = sizes_of_kernel(around.mark)
                        found = replace(found, host=around.host, sizes=sizes, kernel=kernels - 1)
                    yield found
        for child in node.children():
            yield from visit(child, around)

    yield from visit(root, _Around())


def _nest(model: StatementModel, around: _Around, values: Values) -> Nest:
    region = model.region
    for node in around.filters:
        for part in sets_of(node.filter):
            if part.get_tuple_name() == model.name and not part.plain_is_universe():
                own = constraints_of(part, values)
                region = Region((*region.constraints, *own), region.low, region.high)
    loops = []
    for band, position in around.loops:
        attributes = band.loop_attributes[position]
        is_unrolled = band.members[position].kind is isl.ast_loop_type.unroll
        axes = axis_of(attributes, "block"), axis_of(attributes, "thread")
        for function in member_functions(band, position):
            if function.get_domain_space().get_tuple_name(_SET) == model.name:
                loops.append(MappedLoop(function_of(function, values), is_unrolled, *axes))
    place = around.loops[-1][0].path if around.loops else ()
    return Nest(model, State(region), tuple(loops), place)
