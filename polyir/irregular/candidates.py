"""Which loops an inspector is for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, SSAValue

from polyir.dialects.index_arrays import INSPECTOR
from polyir.irregular.loop_parts import is_wanted
from polyir.irregular.slices import AddressSlice, CannotInspectError, address_slice
from polyir.loops.code import COPY_LOOP
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.raising.control import LOOPS
from polyir.model.raising.effects import LOADS, inputs_of, stores_in

FOR_READERS: Final = "--poly-raise=data-loops --privatize --promote --mark-parallel"
"""The passes for loops that index arrays make irregular, but give no dependences."""


@dataclass
class IrregularLoops:
    """Loops that an inspector can be made for, and why not for others, with the operation."""

    slices: list[AddressSlice] = field(default_factory=list)
    reasons: list[tuple[str, Operation]] = field(default_factory=list)


def irregular_loops(root: Operation, names: Collection[str] = ()) -> IrregularLoops:
    """The loops inside `root` that write memory at places that come out of index arrays.

    Of nested ones, it is the outermost one whose counter chooses the elements of index arrays. With
    `names`, only loops whose counters have these names are looked at.
    """
    found = IrregularLoops()
    _add(root, names, found)
    return found


def _add(op: Operation, names: Collection[str], found: IrregularLoops) -> None:
    if _is_generated(op):
        return
    reasons: list[tuple[str, Operation]] = []
    if isinstance(op, SequentialLoop) and is_wanted(op, names):
        try:
            slice = address_slice(op)
        except CannotInspectError as error:
            if _has_irregular_access(op):
                reasons.append((f"loop left: {error.message}", error.op))
        else:
            if _is_irregular(slice):
                found.slices.append(slice)
                return
    known = len(found.slices)
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                _add(inner, names, found)
    if len(found.slices) == known:
        found.reasons += reasons


def _is_irregular(slice: AddressSlice) -> bool:
    """Whether some address or control comes out of memory at places that the counter chooses."""
    changing = dependent_values(slice.loop)
    return any(
        isinstance(inner, LOADS) and any(index in changing for index in inner.indices)
        for op in slice.needed
        for inner in op.walk()
    )


def dependent_values(loop: SequentialLoop) -> set[SSAValue]:
    """The values inside a loop that depend on its counter."""
    found: set[SSAValue] = {loop.body.block.args[0]}
    for op in loop.body.block.walk():
        if any(value in found for value in inputs_of(op)):
            found.update(op.results)
        if isinstance(op, LOOPS) and any(value in found for value in op.operands):
            found.update(op.body.block.args)
    return found


def _has_irregular_access(loop: SequentialLoop) -> bool:
    """Whether a place in memory that the loop writes is computed from what it loads."""
    written = {op.memref for op in stores_in(loop)}
    return any(
        isinstance(op, memref.LoadOp | memref.StoreOp)
        and op.memref in written
        and any(_is_loaded(index, loop) for index in op.indices)
        for op in loop.walk()
    )


def _is_loaded(value: SSAValue, loop: SequentialLoop) -> bool:
    owner = value.owner
    if isinstance(owner, Block) or is_outside(value, loop):
        return False
    return isinstance(owner, LOADS) or any(_is_loaded(each, loop) for each in owner.operands)


def nothing_to_do(root: Operation) -> str:
    """Why no loop inside `root` gets an inspector, and what to use instead."""
    found = "nothing to do: no loop writes elements by index arrays"
    if not loops_with_index_arrays(root):
        return found
    return f"{found}; for loops that only read by them, there is {FOR_READERS}"


def loops_with_index_arrays(
    root: Operation, names: Collection[str] = (), only_stores: bool = False
) -> list[SequentialLoop]:
    """The outermost loops whose counters decide, by index arrays, which elements are accessed.

    With `only_stores`, they decide which ones are written. With `names`, only loops whose counters
    have these names are looked at.
    """
    kinds = memref.StoreOp if only_stores else memref.LoadOp | memref.StoreOp
    found: list[SequentialLoop] = []
    for op in _without_generated(root):
        if any(outer.is_ancestor(op) for outer in found):
            continue
        if isinstance(op, SequentialLoop) and is_wanted(op, names):
            derived = dependent_values(op)
            if any(
                index in derived and _is_loaded(index, op)
                for inner in op.walk()
                if isinstance(inner, kinds)
                for index in inner.indices
            ):
                found.append(op)
    return found


def _is_generated(op: Operation) -> bool:
    """Whether an inspector or a copy is all there is in an operation."""
    return INSPECTOR in op.attributes or COPY_LOOP in op.attributes


def _without_generated(root: Operation) -> Iterator[Operation]:
    """The operations inside `root`, without those of inspectors and copies."""
    if not _is_generated(root):
        yield root
        for region in root.regions:
            for block in region.blocks:
                for op in block.ops:
                    yield from _without_generated(op)
