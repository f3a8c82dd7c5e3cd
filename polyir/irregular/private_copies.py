"""Private copies of the arrays that a loop updates: each part of the iterations has one.

    for (c = 0; c < copies; c++) {               in parallel
      for (e = 0; e < n; e++) copy[c][e] = 0;
      for (i = ...; a part of the iterations)
        copy[c][p[i]] += ...;
    }
    for (e = 0; e < n; e++)                      in parallel
      x[e] = x[e] + copy[0][e] + copy[1][e] + ...;

The parts and the order of the last loop do not depend on the number of threads, and so neither do
the results (L. Rauchwerger and D. Padua, "The LRPD test", 1995, section on reductions; H. Han and
C.-W. Tseng, "A comparison of parallelization techniques for irregular reductions", 2001, where this
is replicated buffers).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import Report, location_of
from polyir.irregular.extents import UNKNOWN_EXTENTS, Extent, places_of
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import Bounds, IrregularLoopError, bounds_before, move_body
from polyir.irregular.placement import function_of
from polyir.irregular.slices import address_slice, computed_subscripts
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.memory_accesses import ElementAccess, ElementLoad
from polyir.model.raising.context import shape_of
from polyir.model.updates import Chain


@dataclass(frozen=True)
class _Copies:
    """The copies of one memref: an array with one dimension more, the number of the copy."""

    memory: SSAValue
    chain: Chain
    array: SSAValue
    extents: Sequence[Extent]

    def places(self, code: Code, subscripts: Sequence[SSAValue]) -> list[SSAValue]:
        """Where an element is in a copy."""
        return places_of(code, self.extents, subscripts)


def require_neutral(chains: Sequence[Chain]) -> None:
    """Raise `PolyirError` if copies that nothing is added to would change a result.

    `old < new ? old : new` is `new` where the old number is NaN, also for an element that no
    iteration updates.
    """
    for chain in chains:
        choice = chain.combiner.choice
        if choice is not None and not choice.keeps_old:
            message = f"this {chain.combiner.name} with a private copy would replace NaN"
            raise IrregularLoopError(message, location_of(chain.steps[-1]))


def use_private_copies(
    loop: SequentialLoop, chains: Sequence[Chain], count: int, report: Report
) -> None:
    """Let `count` parts of a loop that only updates elements run in parallel, on copies of them.

    The updates may run in any order, and have neutral elements (`require_neutral`).
    """
    bounds = bounds_before(loop)
    made = _with_copies(loop, chains, count, report)
    _run_parts(loop, chains, made, count, bounds)
    for each in made.values():
        _combine(Code(InsertPoint.before(loop)), each, count)
    Rewriter.erase_op(loop)


def _with_copies(
    loop: SequentialLoop, chains: Sequence[Chain], count: int, report: Report
) -> dict[SSAValue, _Copies]:
    """Add the arrays of the copies of all memrefs that the loop updates, by memref."""
    of = {chain.store.memref: chain for chain in chains}
    if UNKNOWN_EXTENTS in function_of(loop).attributes:
        place, extents = _inspected_extents(loop, chains, report)
    else:
        place = _place_of_allocation(loop, tuple(of))
        before = Code(InsertPoint.before(place))
        extents = {memory: [Extent(e) for e in before.extents(memory)] for memory in of}
    before, after = Code(InsertPoint.before(place)), Code(InsertPoint.after(place))
    made = {}
    for memory, chain in of.items():
        array = _array(before, memory, count, extents[memory])
        after.free(array)
        made[memory] = _Copies(memory, chain, array, extents[memory])
    return made


def _place_of_allocation(loop: SequentialLoop, memories: Sequence[SSAValue]) -> Operation:
    """The outermost sequential loop around that does not make the memrefs: memory is reused."""
    place: Operation = loop
    around = place.parent_op()
    while isinstance(around, affine.ForOp | scf.ForOp):
        if not all(is_outside(memory, around) for memory in memories):
            break
        place, around = around, around.parent_op()
    return place


def _inspected_extents(
    loop: SequentialLoop, chains: Sequence[Chain], report: Report
) -> tuple[Operation, dict[SSAValue, list[Extent]]]:
    """The subscripts that an inspector finds, and the operation before which they are known."""
    slice = address_slice(loop).only([chain.store for chain in chains])
    inspection = Inspection(slice)
    inspection.explain(report)
    found = inspection.extents()
    for memory, extents in found.items():
        for extent in extents:
            if extent.first is not None:
                name = memory.name_hint or "memory"
                pair = inspection.output(f"{name}_first"), inspection.output(f"{name}_size")
                for value, cell in zip((extent.first, extent.size), pair, strict=True):
                    inspection.code.store(value, cell)
    place = inspection.place.before
    outputs = iter(inspection.finish())
    before = Code(InsertPoint.before(place))
    known: dict[SSAValue, list[Extent]] = {}
    for memory in found:
        known[memory] = []
        for size in shape_of(memory):
            if size == DYNAMIC_INDEX:
                first, end = before.load(next(outputs)), before.load(next(outputs))
                known[memory].append(Extent(end, first))
            else:
                known[memory].append(Extent(before.constant(size)))
    return place, known


def _array(code: Code, memory: SSAValue, count: int, extents: Sequence[Extent]) -> SSAValue:
    assert isinstance(memory.type, MemRefType)
    shape = memory.type.get_shape()
    sizes = [
        extent.size for extent, known in zip(extents, shape, strict=True) if known == DYNAMIC_INDEX
    ]
    op = memref.AllocOp.get(memory.type.element_type, shape=[count, *shape], dynamic_sizes=sizes)
    code.add(op)
    op.memref.name_hint = f"{memory.name_hint or 'memory'}_copies"
    return op.memref


def _run_parts(
    loop: SequentialLoop,
    chains: Sequence[Chain],
    made: dict[SSAValue, _Copies],
    count: int,
    bounds: Bounds,
) -> None:
    """Add the parallel loop over the parts, and move the iterations into it."""
    code = Code(InsertPoint.before(loop))
    size = code.product(code.steps(0, bounds.iterations(code), count), bounds.step)
    with code.parallel_loop("c", 0, code.constant(count)) as (body, copy):
        for each in made.values():
            _clear(body, each, copy)
        first = body.sum(bounds.lower, body.product(copy, size))
        end = body.minimum(body.sum(first, size), bounds.upper)
        with body.loop("i", first, end, bounds.step) as (inner, counter):
            for chain in chains:
                copies = made[chain.store.memref]
                for access in (chain.load, chain.store):
                    _redirect(access, copies, copy)
            move_body(loop, counter, inner)


def _clear(code: Code, copies: _Copies, copy: SSAValue) -> None:
    """Add code that sets a copy to the neutral element."""
    with code.loops("e", [extent.size for extent in copies.extents]) as (body, places):
        body.store(copies.chain.neutral(body.builder), copies.array, copy, *places)


def _redirect(access: ElementAccess, copies: _Copies, copy: SSAValue) -> None:
    """Let an access go to a copy."""
    code = Code(InsertPoint.before(access))
    places = copies.places(code, computed_subscripts(access, code, {}))
    if isinstance(access, ElementLoad):
        moved = memref.LoadOp.get(copies.array, [copy, *places])
        moved.res.name_hint = access.results[0].name_hint
        Rewriter.replace_op(access, moved)
    else:
        Rewriter.replace_op(access, memref.StoreOp.get(access.value, copies.array, [copy, *places]))


def _combine(code: Code, copies: _Copies, count: int) -> None:
    """Add the loops that combine what is in the copies with the elements."""
    with ExitStack() as stack:
        places: list[SSAValue] = []
        for extent in copies.extents:
            make = code.loop if places else code.parallel_loop
            code, place = stack.enter_context(make("e", 0, extent.size))
            places.append(place)
        own = [
            place if extent.first is None else code.sum(place, extent.first)
            for extent, place in zip(copies.extents, places, strict=True)
        ]
        copied = (code.load(copies.array, number, *places) for number in range(count))
        values = itertools.chain([code.load(copies.memory, *own)], copied)
        code.store(copies.chain.combined(values, code.builder), copies.memory, *own)
