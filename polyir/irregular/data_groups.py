"""The arrays that a loop accesses by index arrays, and which of them need a common order."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from polyir.irregular.placement import function_of
from polyir.irregular.slices import (
    AddressSlice,
    address_slice,
    load_of_place,
)
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import ElementAccess, ElementLoad, accesses_of


def data_slice(loop: SequentialLoop) -> AddressSlice | None:
    """The part of a loop that computes the places in arrays that come out of index arrays.

    These are the first subscripts. `None` if there are none; raises `PolyirError` if an inspector
    cannot run it before the loop.
    """
    memories = [memory for group in data_groups(loop) for memory in group]
    return address_slice(loop, memories) if memories else None


def data_groups(loop: SequentialLoop) -> list[tuple[SSAValue, ...]]:
    """The arrays that a loop accesses by index arrays, those that need a common order together.

    These are arrays that one index array leads to, and arrays whose elements at the counter of a
    loop in the function are accessed. Index arrays that others lead to keep their order.
    """
    leading: dict[SSAValue, dict[SSAValue, None]] = {}
    for op in loop.walk():
        if isinstance(op, memref.LoadOp | memref.StoreOp) and is_outside(op.memref, loop):
            load = index_load(op.indices[0], loop) if op.indices else None
            if load is not None:
                leading.setdefault(op.memref, {})[load.memref] = None
    index_arrays = {array for arrays in leading.values() for array in arrays}
    groups = [
        ([memory], set(arrays)) for memory, arrays in leading.items() if memory not in index_arrays
    ]
    links = [set(group) for group in _accessed_together(loop)]
    found: list[tuple[list[SSAValue], set[SSAValue]]] = []
    for memories, arrays in groups:
        mine, others = (memories, arrays), []
        for group in found:
            is_linked = any(link & set(mine[0]) and link & set(group[0]) for link in links)
            if is_linked or group[1] & mine[1]:
                mine = ([*group[0], *mine[0]], group[1] | mine[1])
            else:
                others.append(group)
        found = [*others, mine]
    return [tuple(memories) for memories, _ in found]


def _accessed_together(loop: SequentialLoop) -> Iterator[list[SSAValue]]:
    """For each loop of a function, the memories of which it accesses the element at its counter.

    The function is that around `loop`.
    """
    for other in function_of(loop).walk():
        if isinstance(other, SequentialLoop):
            counter = other.body.block.args[0]
            yield [
                op.memref
                for op in other.walk()
                if isinstance(op, ElementAccess) and is_at(op, counter)
            ]


def index_load(place: SSAValue, around: Operation) -> ElementLoad | None:
    """The load of an index array inside an operation whose result is a place."""
    load = load_of_place(place)
    return load if load is not None and around.is_ancestor(load) else None


def is_at(access: ElementAccess, counter: SSAValue) -> bool:
    """Whether the first subscript of an access is the counter of a loop."""
    try:
        return accesses_of(access)[0].subscripts()[:1] == (IndexExpression.of(counter),)
    except NotAffineError:
        return False
