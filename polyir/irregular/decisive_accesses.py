"""The accesses of a loop that decide how its iterations depend on each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from polyir.base.diagnostics import PolyirError
from polyir.irregular.slices import AddressSlice, subscripts_of
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.index_expressions import Atom, IndexExpression
from polyir.model.memory_accesses import ElementAccess
from polyir.model.raising.effects import STORES

_Place: TypeAlias = tuple[tuple[frozenset[tuple[Atom, int]], int], ...]
"""Subscripts, whose terms may be written in any order."""


def decisive_accesses(slice: AddressSlice) -> AddressSlice:
    """The slice without accesses that add no dependences between iterations of the loop.

    These are the accesses of memories of which each iteration has elements of its own, and those
    of an element that the same iteration has accessed before, unless only the later one is a store.
    """
    places = {op: _place(op, slice.loop) for op in slice.accesses}
    memories = tuple(each for each in slice.memories if not _is_private(slice, each))
    kept: list[ElementAccess] = []
    for op in slice.accesses:
        if op.memref in memories and not any(
            earlier.memref is op.memref
            and places[op] is not None
            and places[earlier] == places[op]
            and (isinstance(earlier, STORES) or not isinstance(op, STORES))
            and _comes_first(earlier, op)
            for earlier in kept
        ):
            kept.append(op)
    return replace(slice.only(kept), memories=memories)


def _is_private(slice: AddressSlice, memory: SSAValue) -> bool:
    """Whether the counter, in the same way in all accesses, is in some subscript of a memory."""
    found = [_subscripts(op, slice.loop) for op in slice.accesses if op.memref is memory]
    if not found or any(each is None for each in found):
        return False
    counter = slice.loop.body.block.args[0]
    known = [each for each in found if each is not None]
    return any(
        len(first.terms) == 1
        and first.terms[0][0] is counter
        and all(each[dimension] == first for each in known)
        for dimension, first in enumerate(known[0])
    )


def _subscripts(op: ElementAccess, loop: SequentialLoop) -> tuple[IndexExpression, ...] | None:
    try:
        return subscripts_of(op, loop)
    except PolyirError:
        return None


def _place(op: ElementAccess, loop: SequentialLoop) -> _Place | None:
    subscripts = _subscripts(op, loop)
    if subscripts is None:
        return None
    return tuple((frozenset(each.terms), each.constant) for each in subscripts)


def _comes_first(earlier: Operation, later: Operation) -> bool:
    """Whether an operation has run whenever a later one runs, in the same iteration.

    `later` comes after `earlier` in the program.
    """
    block = earlier.parent_block()
    around: Operation | None = later
    while around is not None and around.parent_block() is not block:
        around = around.parent_op()
    return around is not None
