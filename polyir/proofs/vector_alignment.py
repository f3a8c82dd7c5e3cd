"""Vectors in GPU kernels: does each begin at a multiple of its size?

A thread that loads or stores a vector at another address stops with an error. All arrays of a
device begin at such a multiple (`polyir.model.vectors`); a local array does if it says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects.builtin import MemRefType

from polyir.model.local_arrays import Destination, destinations, local_marks
from polyir.model.scop import Scop
from polyir.model.vectors import aligned, element_bytes, element_number, first_elements, vector_of
from polyir.proofs.claims import FalseClaim
from polyir.sets.examples import example_of
from polyir.tree import ScheduleNode


def misaligned_vectors(scop: Scop, mark: ScheduleNode) -> Iterator[FalseClaim]:
    """The accesses to vectors in the kernel below `mark` that need not be aligned."""
    domain = mark.domain.intersect_params(scop.context)
    for body in scop.bodies:
        instances = domain.extract_set(body.domain.get_space())
        for access in body.accesses:
            vector = vector_of(access)
            if vector is None or instances.is_empty():
                continue
            if not access.certain:
                unknown = f"@{body.name} accesses vectors of {access.array} at unknown places"
                yield FalseClaim(mark.path, unknown)
                continue
            first = first_elements(access).intersect_domain(instances)
            moved, marks = replace(access, relation=first), local_marks(scop.schedule)
            for part in destinations(moved, marks, scop.context):
                message = _misalignment(scop, part, vector.element_count())
                if message is not None:
                    yield FalseClaim(mark.path, f"@{body.name} accesses {message}")


def _misalignment(scop: Scop, part: Destination, width: int) -> str | None:
    """What is wrong with the vectors of `width` elements that begin at the cells of an access."""
    local = {array.sym_name.data: array for array in scop.op.local_arrays}
    array = local.get(part.array)
    type = scop.arrays[part.array].type if array is None else array.memory.type
    assert isinstance(type, MemRefType)
    size = width * element_bytes(type)
    what = f"{width} elements of {part.array} at once, but"
    if array is not None and (array.alignment is None or array.alignment.data % size):
        return f"{what} @{part.array} is not aligned to {size} bytes"
    number = element_number(part.cells.get_space().range(), type)
    if number is None:
        return f"{what} the length of its rows is not known to be a multiple of {size} bytes"
    wrong = part.cells.subtract_range(aligned(number, width))
    if wrong.is_empty():
        return None
    example = example_of(wrong)
    return (
        f"{what} {example.source} begins at {example.target}, which is not at a multiple of {size} "
        f"bytes{example.where}"
    )
