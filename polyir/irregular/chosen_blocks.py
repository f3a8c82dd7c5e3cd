"""Wavefronts of blocks whose sizes an inspector chooses, and the loops that run them.

The wavefronts of single iterations say how parallel a loop is: how many iterations there are for
each one on the longest path of dependences. Iterations that follow each other in the program are
in a block of about a size that leaves `PARALLEL_BLOCKS` in a wavefront. A block ends early before
an iteration that depends on nothing in it, so that the lines of a grid and the blocks agree; and
only if the wavefronts of such blocks are as parallel as that do they run. Otherwise iterations run
by their own wavefronts; those that are too small to be shared among threads are joined to one, and
run in the order of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import Report
from polyir.irregular.counting_sorts import sort_numbers
from polyir.irregular.decisive_accesses import decisive_accesses
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import Bounds, bounds_before, move_body
from polyir.irregular.placement import function_of
from polyir.irregular.plans import functions_in
from polyir.irregular.shadows import Shadows, find_wavefronts
from polyir.irregular.slices import AddressSlice, Values, Visit
from polyir.loops.code import Code
from polyir.loops.loop_forms import is_outside
from polyir.sets.names import unique_name

PARALLEL_BLOCKS: Final = 8
"""How many blocks a wavefront should have. With fewer, threads wait for each other; with more,
neighbouring iterations are in different blocks."""

_LEAST_PARALLEL: Final = PARALLEL_BLOCKS // 2
"""With fewer blocks in a wavefront on average, iterations run by their own wavefronts."""

_LEAST_LENGTH: Final = 8
"""The same if blocks have fewer iterations: then iterations are in no order that blocks keep."""


def inspect_chosen_blocks(slice: AddressSlice, grain: int, report: Report) -> None:
    """Replace a loop by one over wavefronts, with a parallel loop over the blocks of each.

    Iterations run in the order of `order`, from 0 on. Those of the block in place t are in the
    places from `blocks[t]` to before `blocks[t + 1]`, and the blocks of wavefront w in those from
    `starts[w]` to before `starts[w + 1]`. A wavefront of at most `grain` iterations is one block.
    """
    inspection = Inspection(decisive_accesses(slice))
    inspection.explain(report)

    def iterations(code: Code, bounds: Bounds, _: Values) -> list[SSAValue]:
        return [bounds.iterations(code)]

    def ends(code: Code, bounds: Bounds, _: Values) -> list[SSAValue]:
        return [code.sum(bounds.iterations(code), 1)]

    outputs = _Schedule(
        inspection.output("order", iterations),
        inspection.output("blocks", ends),
        inspection.output("starts", ends),
        inspection.output("wavefronts"),
    )
    _Inspector(inspection, grain, outputs).fill()
    _execute(slice, _Schedule(*inspection.finish()))


@dataclass(frozen=True)
class _Schedule:
    """The outputs of an inspector."""

    order: SSAValue
    blocks: SSAValue
    starts: SSAValue
    wavefronts: SSAValue


class _Inspector:
    """Makes the body of an inspector."""

    def __init__(self, inspection: Inspection, grain: int, outputs: _Schedule) -> None:
        self._slice, self._grain, self._outputs = inspection.slice, grain, outputs
        self._values, self._bounds = inspection.values, inspection.bounds
        self._code = inspection.code
        self._size = self._bounds.iterations(self._code)
        self._shadows = Shadows(self._code, inspection.extents())

    def fill(self) -> None:
        """Add the code that fills the outputs."""
        code, size, count = self._code, self._size, self._outputs.wavefronts
        levels = code.array("level", size)
        self._shadows.fill(code, 0)
        find_wavefronts(code, size, self._shadows, self._visit_iteration, levels, count)
        depth = code.load(count)
        limit = code.quotient(size, code.maximum(code.product(depth, PARALLEL_BLOCKS), 1))
        firsts = code.array("first", code.sum(size, 1))
        number = self._divide(levels, code.maximum(limit, 1), firsts)
        fronts = code.array("front", number)
        self._find_fronts(firsts, number, fronts)
        self._shadows.free(code)
        with self._keeps_blocks(number) as (then, otherwise):
            self._sort_blocks(then, firsts, number, fronts)
            self._sort_iterations(otherwise, levels, depth)
        code.free(levels, firsts, fronts)

    def _divide(self, levels: SSAValue, limit: SSAValue, firsts: SSAValue) -> SSAValue:
        """Divide the iterations into blocks; how many there are.

        An iteration that is in no later wavefront than any of a block depends on nothing there. A
        block of `limit` iterations ends before the next one that does not depend on the last one,
        or when it has twice as many.
        """
        code = self._code
        number, lowest, first, last = map(code.cell, ("number", "lowest", "block", "last"))
        for cell, value in ((number, 0), (lowest, 0), (first, 0), (last, 0)):
            code.store(value, cell)
        longest = code.product(limit, 2)
        with code.loop("t", 0, self._size) as (body, iteration):
            level = body.load(levels, iteration)
            length = body.difference(iteration, body.load(first))
            waits = body.compared(level, "sgt", body.load(lowest))
            follows = body.compared(level, "sgt", body.load(last))
            goes_on = body.choice(
                body.compared(length, "slt", limit),
                waits,
                body.both(body.both(waits, follows), body.compared(length, "slt", longest)),
            )
            stays = body.both(goes_on, body.compared(iteration, "sgt", 0))
            place = body.load(number)
            body.store(iteration, firsts, place)
            body.store(body.choice(stays, place, body.sum(place, 1)), number)
            body.store(body.choice(stays, body.load(first), iteration), first)
            body.store(body.choice(stays, body.minimum(body.load(lowest), level), level), lowest)
            body.store(level, last)
        # Iterations that stay in a block are written to the place of the next one.
        total = code.load(number)
        code.store(self._size, firsts, total)
        return total

    def _find_fronts(self, firsts: SSAValue, number: SSAValue, fronts: SSAValue) -> None:
        """Find the wavefronts of blocks, if these have enough iterations."""
        code = self._code

        def visit(code: Code, block: SSAValue, visit: Visit) -> None:
            first, end = code.load(firsts, block), code.load(firsts, code.sum(block, 1))
            with code.loop("i", first, end) as (body, iteration):
                self._visit_iteration(body, iteration, visit)

        with code.conditional(self._are_long(code, number)) as body:
            self._shadows.fill(body, 0)
            count = self._outputs.wavefronts
            find_wavefronts(body, number, self._shadows, visit, fronts, count)

    def _are_long(self, code: Code, number: SSAValue) -> SSAValue:
        """Whether blocks have enough iterations on average."""
        return code.compared(self._size, "sge", code.product(number, _LEAST_LENGTH))

    @contextmanager
    def _keeps_blocks(self, number: SSAValue) -> Iterator[tuple[Code, Code]]:
        """Code that runs if the wavefronts of blocks are parallel enough, and if not."""
        code = self._code
        count = code.load(self._outputs.wavefronts)
        fits = code.both(
            code.compared(number, "sge", code.product(count, _LEAST_PARALLEL)),
            code.compared(self._size, "sge", code.product(count, self._grain)),
        )
        holds = code.both(self._are_long(code, number), fits)
        flag = code.choice(holds, code.constant(1), code.constant(0))
        with code.either(flag, "eq", 1) as branches:
            yield branches

    def _sort_blocks(
        self, code: Code, firsts: SSAValue, number: SSAValue, fronts: SSAValue
    ) -> None:
        """Fill the outputs by blocks in the order of their wavefronts."""
        outputs = self._outputs
        sorted = code.array("sorted", number)
        sort_numbers(code, fronts, number, (sorted, outputs.starts, outputs.wavefronts))
        code.store(0, outputs.blocks, 0)
        with code.loop("t", 0, number) as (body, place):
            block = body.load(sorted, place)
            length = body.difference(
                body.load(firsts, body.sum(block, 1)), body.load(firsts, block)
            )
            end = body.sum(body.load(outputs.blocks, place), length)
            body.store(end, outputs.blocks, body.sum(place, 1))
        with code.parallel_loop("t", 0, number) as (body, place):
            start = body.load(outputs.blocks, place)
            end = body.load(outputs.blocks, body.sum(place, 1))
            shift = body.difference(body.load(firsts, body.load(sorted, place)), start)
            with body.loop("p", start, end) as (inner, target):
                inner.store(inner.sum(target, shift), outputs.order, target)
        code.free(sorted)

    def _sort_iterations(self, code: Code, levels: SSAValue, depth: SSAValue) -> None:
        """Fill the outputs by iterations in the order of their own wavefronts."""
        outputs, size = self._outputs, self._size
        sizes, joined = code.array("sizes", depth), code.array("joined", depth)
        code.fill(sizes, 0, [depth])
        with code.loop("t", 0, size) as (body, iteration):
            level = body.load(levels, iteration)
            body.store(body.sum(body.load(sizes, level), 1), sizes, level)
        self._join(code, sizes, joined, depth)
        with code.parallel_loop("t", 0, size) as (body, iteration):
            body.store(body.load(joined, body.load(levels, iteration)), levels, iteration)
        places = code.array("fronts", code.sum(depth, 1))
        sort_numbers(code, levels, size, (outputs.order, places, outputs.wavefronts))
        self._cut(code, places, sizes)
        code.free(sizes, joined, places)

    def _join(self, code: Code, sizes: SSAValue, joined: SSAValue, depth: SSAValue) -> None:
        """Join wavefronts that follow each other and are small.

        `joined` gets the number of the new one for each, and `sizes` the number of iterations that
        may be shared among threads, by the new numbers: 0 if the iterations must run in their
        order.
        """
        count = self._outputs.wavefronts
        was_small = code.cell("small")
        code.store(0, count)
        code.store(0, was_small)
        with code.loop("w", 0, depth) as (body, wavefront):
            size = body.load(sizes, wavefront)
            small = body.select(size, "sle", self._grain, 1, 0)
            known = body.load(count)
            both = body.compared(body.sum(small, body.load(was_small)), "eq", 2)
            after = body.choice(both, known, body.sum(known, 1))
            mine = body.difference(after, 1)
            body.store(mine, joined, wavefront)
            body.store(body.select(small, "eq", 1, 0, size), sizes, mine)
            body.store(after, count)
            body.store(small, was_small)

    def _cut(self, code: Code, places: SSAValue, sizes: SSAValue) -> None:
        """Cut wavefronts of iterations into blocks of about as many, at most `grain`."""
        outputs = self._outputs
        number = code.cell("number")
        code.store(0, number)
        code.store(0, outputs.starts, 0)
        code.store(0, outputs.blocks, 0)
        with code.loop("w", 0, code.load(outputs.wavefronts)) as (body, wavefront):
            start = body.load(places, wavefront)
            size = body.difference(body.load(places, body.sum(wavefront, 1)), start)
            shared = body.load(sizes, wavefront)
            pieces = body.maximum(body.steps(0, shared, self._grain), 1)
            known = body.load(number)
            with body.loop("b", 1, body.sum(pieces, 1)) as (inner, piece):
                end = inner.sum(start, inner.quotient(inner.product(size, piece), pieces))
                inner.store(end, outputs.blocks, inner.sum(known, piece))
            after = body.sum(known, pieces)
            body.store(after, number)
            body.store(after, outputs.starts, body.sum(wavefront, 1))

    def _visit_iteration(self, code: Code, iteration: SSAValue, visit: Visit) -> None:
        """Visit the accesses of an iteration."""
        self._slice.replay(code, self._bounds.counter(code, iteration), self._values, visit)


def _execute(slice: AddressSlice, schedule: _Schedule) -> None:
    """Replace the loop by those over wavefronts and their blocks.

    A block is a function. Its parameters say that arrays do not overlap, which C compilers do not
    know of the variables in a loop that threads share. A block alone runs without other threads.
    """
    loop = slice.loop
    bounds = bounds_before(loop)
    block, arguments = _block_function(slice, bounds, schedule.order)
    code = Code(InsertPoint.before(loop))

    def run(code: Code, place: SSAValue) -> None:
        first = code.load(schedule.blocks, place)
        end = code.load(schedule.blocks, code.sum(place, 1))
        code.add(func.CallOp(block, [first, end, *arguments], []))

    with code.loop("w", 0, code.load(schedule.wavefronts)) as (body, wavefront):
        start = body.load(schedule.starts, wavefront)
        end = body.load(schedule.starts, body.sum(wavefront, 1))
        with body.either(body.difference(end, start), "eq", 1) as (then, otherwise):
            run(then, start)
            with otherwise.parallel_loop("t", start, end) as (inner, place):
                run(inner, place)
    Rewriter.erase_op(loop)


def _block_function(
    slice: AddressSlice, bounds: Bounds, order: SSAValue
) -> tuple[str, list[SSAValue]]:
    """Add the function that runs a block: its name, and its arguments after the places in `order`.

    The body of the loop moves there.
    """
    loop = slice.loop
    executor = function_of(loop)
    table = executor.parent_block()
    assert table is not None
    body = Block(arg_types=[bounds.lower.type] * 2)
    first, end = body.args
    first.name_hint, end.name_hint = "block_start", "block_end"
    function = func.FuncOp("block", ([], []), Region(body), visibility="private")
    code = Code(InsertPoint.at_end(body))
    with code.loop("t", first, end) as (inner, place):
        number = inner.load(order, place)
        move_body(loop, bounds.counter(inner, number), inner)
    code.add(func.ReturnOp())
    arguments = _captured(function)
    name = executor.sym_name.data.removesuffix("_executor")
    function.sym_name = StringAttr(unique_name(f"{name}_block", set(functions_in(table))))
    table.insert_op_before(function, executor)
    return function.sym_name.data, arguments


def _captured(function: func.FuncOp) -> list[SSAValue]:
    """Make parameters of the values that the body takes from outside; constants are copied."""
    body = function.body.block
    outside: dict[SSAValue, SSAValue] = {}
    first = body.first_op
    assert first is not None
    for op in tuple(function.walk()):
        for place, value in enumerate(op.operands):
            if not is_outside(value, function):
                continue
            if value not in outside:
                outside[value] = _inside(value, body, first)
            op.operands[place] = outside[value]
    function.update_function_type()
    return [value for value, mine in outside.items() if isinstance(mine.owner, Block)]


def _inside(value: SSAValue, body: Block, first: Operation) -> SSAValue:
    """What stands for a value from outside in a function."""
    if isinstance(value.owner, arith.ConstantOp):
        copy = value.owner.clone()
        body.insert_op_before(copy, first)
        return copy.results[0]
    argument = body.insert_arg(value.type, len(body.args))
    argument.name_hint = value.name_hint
    return argument
