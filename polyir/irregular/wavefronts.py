"""Wavefronts: iterations of an irregular loop that may run at the same time.

The inspector of a loop visits its accesses in the order of the program, and remembers for each
element the last wavefronts that read and wrote it. An iteration is in the first wavefront after
those that it depends on by a flow, anti or output dependence (A. Rajopadhye and others,
"Computations on Iteration Spaces", The Compiler Design Handbook, 2007, section 15.3.2.3; the
algorithm is J. Saltz, R. Mirchandaney and K. Crowley, "Run-time parallelization and scheduling of
loops", IEEE Transactions on Computers, 1991). It takes time linear in the number of accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import Report
from polyir.irregular.counting_sorts import sort_numbers
from polyir.irregular.decisive_accesses import decisive_accesses
from polyir.irregular.extents import Extents
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import Bounds, bounds_before, move_body
from polyir.irregular.shadows import Shadows, VisitBlock, find_wavefronts
from polyir.irregular.slices import AddressSlice, Values, Visit
from polyir.loops.code import Code

NumberBlocks: TypeAlias = Callable[[Code, SSAValue, Extents, VisitBlock, SSAValue], SSAValue]
"""Adds code that gives each block of a loop the number of its wavefront, in a new array.

It gets the number of blocks, the extents of the memories that they access, what visits these
accesses, and where to store the number of wavefronts."""


def first_wavefronts(
    code: Code,
    blocks: SSAValue,
    extents: Extents,
    visit: VisitBlock,
    count: SSAValue,
    has_loads: bool = True,
) -> SSAValue:
    """The first wavefront after those that a block depends on; `has_loads` is as in `Shadows`."""
    shadows = Shadows(code, extents, has_loads)
    shadows.fill(code, 0)
    wavefronts = code.array("wavefront", blocks)
    find_wavefronts(code, blocks, shadows, visit, wavefronts, count)
    shadows.free(code)
    return wavefronts


def inspect_wavefronts(
    slice: AddressSlice,
    block: int,
    report: Report,
    number: NumberBlocks = first_wavefronts,
) -> None:
    """Replace a loop by one over wavefronts, with a parallel loop over the blocks of each.

    A block is `block` iterations that follow each other, and run in that order; `number` chooses
    the wavefronts. Block `order[t]` is the one in place t; those of wavefront w are in the places
    from `starts[w]` to before `starts[w + 1]`, in the order of the program.
    """
    inspection = Inspection(decisive_accesses(slice))
    inspection.explain(report)

    def blocks(code: Code, bounds: Bounds, _: Values) -> list[SSAValue]:
        return [_blocks(code, bounds, block)]

    def starts_of_wavefronts(code: Code, bounds: Bounds, _: Values) -> list[SSAValue]:
        return [code.sum(_blocks(code, bounds, block), 1)]

    order = inspection.output("order", blocks)
    starts = inspection.output("starts", starts_of_wavefronts)
    count = inspection.output("wavefronts")
    _Inspector(inspection, block).fill(number, order, starts, count)
    _execute(slice, block, *inspection.finish())


def _blocks(code: Code, bounds: Bounds, block: int) -> SSAValue:
    """The number of blocks of a loop."""
    return code.steps(0, bounds.iterations(code), block)


class _Inspector:
    """Makes the body of an inspector of wavefronts."""

    def __init__(self, inspection: Inspection, block: int) -> None:
        self._slice, self._block = inspection.slice, block
        self._values, self._bounds = inspection.values, inspection.bounds
        self._code = inspection.code
        self._blocks = _blocks(self._code, self._bounds, block)
        self._extents = inspection.extents()

    def fill(
        self, number: NumberBlocks, order: SSAValue, starts: SSAValue, count: SSAValue
    ) -> None:
        """Add the code that fills the outputs."""
        code = self._code
        wavefronts = number(code, self._blocks, self._extents, self._visit, count)
        sort_numbers(code, wavefronts, self._blocks, (order, starts, count))
        code.free(wavefronts)

    def _visit(self, code: Code, place: SSAValue, visit: Visit) -> None:
        """Visit the accesses of a block."""
        with iterations_of_block(code, self._bounds, place, self._block) as (body, counter):
            self._slice.replay(body, counter, self._values, visit)


@contextmanager
def iterations_of_block(
    code: Code, bounds: Bounds, place: SSAValue, block: int
) -> Iterator[tuple[Code, SSAValue]]:
    """The iterations of a loop in one of its blocks: code for the body, and the counter."""
    if block == 1:
        yield code, bounds.counter(code, place)
        return
    size = code.product(bounds.step, block)
    first = code.sum(bounds.lower, code.product(place, size))
    end = code.minimum(code.sum(first, size), bounds.upper)
    with code.loop("i", first, end, bounds.step) as (body, counter):
        yield body, counter


def _execute(
    slice: AddressSlice, block: int, order: SSAValue, starts: SSAValue, count: SSAValue
) -> None:
    """Replace the loop by those over wavefronts and their blocks."""
    loop = slice.loop
    bounds = bounds_before(loop)
    code = Code(InsertPoint.before(loop))
    with code.loop("w", 0, code.load(count)) as (body, wavefront):
        first = body.load(starts, wavefront)
        end = body.load(starts, body.sum(wavefront, 1))
        with body.parallel_loop("t", first, end) as (inner, place):
            number = inner.load(order, place)
            with iterations_of_block(inner, bounds, number, block) as (code, counter):
                move_body(loop, counter, code)
    Rewriter.erase_op(loop)
