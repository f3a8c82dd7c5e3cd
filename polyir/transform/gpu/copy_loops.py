"""The loops of copies to shared memory: which thread copies which elements."""

from __future__ import annotations

from collections.abc import Collection

import islpy as isl
from xdsl.dialects.builtin import MemRefType

from polyir.dialects.loop_attributes import GpuDimension, MapAttr
from polyir.model.vectors import vector_width
from polyir.sets.boxes import Box, sizes_of
from polyir.sets.values import isl_value
from polyir.transform.copy_statements import CopyLoop, CopyVectors, element_functions
from polyir.transform.gpu.thread_use import ThreadedKernel
from polyir.transform.reference_groups import LoopBody


def shared_copy_loops(
    kernel: ThreadedKernel, place: LoopBody, box: Box, width: int = 1
) -> tuple[CopyLoop, ...]:
    """The loops of a copy of a box, mapped so that neighbouring threads copy neighbours.

    Where the rows are long enough, each dimension has an axis of the block, the last one x.
    Else the elements are numbered, and so are the threads. What is copied are vectors of `width`
    elements of a row, which must be no shorter.
    """
    if all(side.size == 1 for side in box):
        return ()
    rank, axes = len(box), kernel.axes
    elements = element_functions(iterations_and_elements(place, rank), rank)
    loops = elements[0].dim(isl.dim_type.in_) - rank
    cells: list[isl.PwAff] = []
    sizes: list[int] = []
    for element, side, size in zip(elements, box, sizes_of(box), strict=True):
        if size > 1:
            first = side.lower.insert_dims(isl.dim_type.in_, loops, rank)
            cells.append(element.sub(isl.PwAff.from_aff(first)))
            sizes.append(size)
    if width > 1:
        cells[-1] = cells[-1].scale_down_val(isl_value(width)).floor()
        sizes[-1] = -(-sizes[-1] // width)
    if 1 < len(axes) <= len(sizes) and sizes[-1] >= kernel.threads(axes[0]):
        rows = len(sizes) - len(axes) + 1
        functions = [_number(cells[:rows], sizes[:rows]), *cells[rows:]]
    else:
        functions = [_number(cells, sizes)]
        for axis in axes[:-1]:
            threads = isl_value(kernel.threads(axis))
            functions.insert(0, functions[0].scale_down_val(threads).floor())
    return tuple(
        CopyLoop(function, (MapAttr(GpuDimension("thread", axis)),))
        for function, axis in zip(functions, reversed(axes), strict=True)
    )


def shared_copy_vectors(
    kernel: ThreadedKernel, place: LoopBody, box: Box, type: MemRefType
) -> CopyVectors | None:
    """How to copy a box of an array of this type in vectors; `None` if its rows are too short."""
    width = vector_width(type)
    if not any(size >= width > 1 for size in sizes_of(box)[-1:]):
        return None
    return CopyVectors(width, type, shared_copy_loops(kernel, place, box, width))


def iterations_and_elements(place: LoopBody, rank: int) -> isl.Set:
    """The space `{ [t, a] }` of iterations of a place and elements."""
    iterations = isl.Set.from_union_set(place.iterations.range())
    return isl.Set.universe(iterations.get_space().add_dims(isl.dim_type.set, rank))


def _number(cells: Collection[isl.PwAff], sizes: Collection[int]) -> isl.PwAff:
    """The number of a cell of a box, in rows."""
    number: isl.PwAff | None = None
    for cell, size in zip(cells, sizes, strict=True):
        number = cell if number is None else number.scale_val(isl_value(size)).add(cell)
    assert number is not None
    return number
