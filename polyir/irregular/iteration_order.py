"""Iterations of an irregular loop in the order of the elements that they access.

An inspector sorts the iterations: by the first element that each accesses by an index array
(lexicographic grouping), or by all of them, the first one first (lexicographic sorting; H. Han and
C.-W. Tseng, "Exploiting locality for irregular scientific codes", IEEE Transactions on Parallel and
Distributed Systems, 2006). The executor is the loop in that order, with the arrays that it reads
from one end to the other in that order, too.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Literal, TypeAlias

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import AnyFloat, IndexType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import Report, location_of
from polyir.irregular.counting_sorts import sort_order
from polyir.irregular.data_groups import index_load, is_at
from polyir.irregular.independence import own_memories
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import Bounds, IrregularLoopError, move_body
from polyir.irregular.reduction_loops import updates_in
from polyir.irregular.slices import (
    AddressSlice,
    Element,
    Values,
    first_subscript,
)
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.memory_accesses import ElementAccess, ElementLoad, accesses_of
from polyir.model.writes import first_write


def require_any_order(loop: SequentialLoop, reassociate: bool) -> None:
    """Raise `PolyirError` unless the iterations of a loop may run in any order.

    They may if each writes elements that are its own, or only updates elements; with `reassociate`,
    floating-point numbers, too.
    """
    for chain in updates_in(loop, own_memories(loop)):
        if isinstance(chain.load.results[0].type, AnyFloat) and not reassociate:
            raise IrregularLoopError(
                "another order of the updates changes how they are rounded: "
                "allow it by reassociate=true",
                location_of(chain.steps[-1]),
            )
        chain.allow_overflow()


Method: TypeAlias = Literal["grouping", "sorting"]
"""Whether iterations are sorted by the first element that they access, or by all of them."""


def reorder_iterations(slice: AddressSlice, method: Method, report: Report) -> None:
    """Let a loop, whose iterations may run in any order, run in that of what it accesses.

    That are the memories of the slice, which have elements of index arrays as first subscripts.
    """
    inspection = Inspection(slice, with_memories=False)
    loop, region = slice.loop, inspection.place.before
    inspection.explain(report)
    streams = _streams(loop, region)
    order = inspection.output("order", _size)
    pointers = {
        each: inspection.output(f"{each.name_hint or 'memory'}_sorted", _size)
        for each in streams
        if each in inspection.values and isinstance(_element_type(each), IndexType)
    }
    _sort(inspection, order, method)
    for each, output in pointers.items():
        _gather(inspection.code, inspection.values[each], order, output)
    new_order, *outputs = inspection.finish()
    copies = dict(zip(pointers, outputs, strict=True))
    for each in streams:
        if each not in copies:
            copies[each] = _gathered(each, region, new_order)
    _execute(loop, new_order, streams, copies)


def _size(code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
    return [bounds.iterations(code)]


def _element_type(memory: SSAValue) -> Attribute:
    assert isinstance(memory.type, MemRefType)
    element: Attribute = memory.type.element_type
    return element


def _streams(loop: SequentialLoop, region: Operation) -> dict[SSAValue, list[ElementAccess]]:
    """The one-dimensional arrays that a loop reads at its counter, and a region does not write.

    Each iteration reads them: if some do not, arrays may be shorter than the copies.
    """
    found: dict[SSAValue, list[ElementAccess]] = {}
    counter = loop.body.block.args[0]
    for op in loop.walk():
        if isinstance(op, ElementLoad) and accesses_of(op)[0].rank == 1 and is_at(op, counter):
            found.setdefault(op.memref, []).append(op)
    # A copy reads the element of each iteration: one that is not read by all may not be there.
    return {
        memory: loads
        for memory, loads in found.items()
        if is_outside(memory, region)
        and first_write(region, memory) is None
        and any(load.parent is loop.body.block for load in loads)
    }


def _sort(inspection: Inspection, order: SSAValue, method: Method) -> None:
    """Add the code that sorts the iterations by the elements that they access."""
    code, bounds = inspection.code, inspection.bounds
    iterations = bounds.iterations(code)
    keys, key, count = code.array("keys", iterations), code.cell("key"), code.cell("count")
    parts = _accesses_by_element(inspection.slice)
    if method == "grouping":
        parts = [[access for part in parts for access in part]]
    with code.loop("t", 0, iterations) as (body, place):
        body.store(place, order, place)
    # The order of what comes first is that of the last sort, which keeps the others where it can.
    for part in reversed(parts):
        code.store(0, count)
        slice = inspection.slice.only(part)
        with code.loop("t", 0, iterations) as (body, place):
            body.store(-1, key)
            slice.replay(
                body, bounds.counter(body, place), inspection.values, partial(_note_first, key)
            )
            found = body.maximum(body.load(key), 0)
            body.store(found, keys, place)
            body.store(body.maximum(body.load(count), body.sum(found, 1)), count)
        sort_order(code, keys, code.load(count), order)
    code.free(keys)
    with code.loop("t", 0, iterations) as (body, place):
        number = body.load(order, place)
        body.store(bounds.counter(body, number), order, place)


def _accesses_by_element(slice: AddressSlice) -> list[list[ElementAccess]]:
    """The accesses by index arrays in the order of the loop; those to one place are together."""
    found: dict[Hashable, list[ElementAccess]] = {}
    for access in slice.accesses:
        is_affine = isinstance(access, affine.LoadOp | affine.StoreOp)
        if not is_affine and index_load(access.indices[0], slice.loop) is not None:
            found.setdefault(first_subscript(access), []).append(access)
    return list(found.values())


def _note_first(key: SSAValue, code: Code, element: Element) -> None:
    """Store the first subscript of an element, unless there was one before."""
    known = code.load(key)
    code.store(code.select(known, "slt", 0, element.subscripts[0], known), key)


def _gather(code: Code, memory: SSAValue, order: SSAValue, target: SSAValue) -> None:
    """Add the code that reads an array in an order, and fills another one."""
    with code.copy_loops("t", [code.extent(order, 0)]) as (body, (place,)):
        body.store(body.load(memory, body.load(order, place)), target, place)


def _gathered(memory: SSAValue, region: Operation, order: SSAValue) -> SSAValue:
    """A copy of an array in an order, made before a region."""
    before = Code(InsertPoint.before(region))
    name = f"{memory.name_hint or 'memory'}_sorted"
    copy = before.array(name, before.extent(order, 0), element=_element_type(memory))
    _gather(before, memory, order, copy)
    Code(InsertPoint.after(region)).free(copy)
    return copy


def _execute(
    loop: SequentialLoop,
    order: SSAValue,
    streams: dict[SSAValue, list[ElementAccess]],
    copies: dict[SSAValue, SSAValue],
) -> None:
    """Replace the loop by one in the new order."""
    code = Code(InsertPoint.before(loop))
    with code.loop("t", 0, code.extent(order, 0)) as (body, place):
        counter = body.load(order, place)
        for memory, loads in streams.items():
            for load in loads:
                moved = memref.LoadOp.get(copies[memory], [place])
                moved.res.name_hint = load.results[0].name_hint
                Rewriter.replace_op(load, moved)
        move_body(loop, counter, body)
        if counter.first_use is None:
            assert isinstance(counter.owner, Operation)
            Rewriter.erase_op(counter.owner)
    Rewriter.erase_op(loop)
