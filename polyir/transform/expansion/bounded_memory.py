"""Whether temporaries take at most as much memory as the arrays that a scop accesses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Final

import islpy as isl
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType

from polyir.model.scop import Scop
from polyir.model.temporaries import is_allocated
from polyir.model.vectors import element_bytes
from polyir.sets.boxes import NoBoxError, box_of, greatest_of
from polyir.sets.values import isl_value

SMALL: Final = 1 << 16
"""The bytes of a temporary that is small enough wherever it is."""


def larger_than_arrays(
    scop: Scop, original: Scop, promoted: Collection[str] = ()
) -> tuple[str, ...]:
    """The temporaries of `scop` that may take more memory than the arrays of `original`.

    `original` is the scop before temporaries got copies. Each temporary of more than `SMALL` bytes
    must have an array of the original for itself, with a dimension that is at least as long for
    each of its own, whatever the parameters are. The `promoted` ones take no memory.
    """
    context = original.context
    names = [name for name in scop.arrays if is_allocated(scop, name) and name not in promoted]
    free = {name: _extents(original, name) for name in original.arrays}
    found: list[str] = []
    for name in sorted(names, key=lambda each: each not in free):
        needed = _extents(scop, name)
        if needed is not None and needed.is_small:
            continue
        # Its own memory, as it was before, comes first.
        for other in sorted(free, key=lambda each: each != name):
            given = free[other]
            if needed is not None and given is not None and needed.fits(given, context):
                del free[other]
                break
        else:
            found.append(name)
    return tuple(found)


@dataclass(frozen=True)
class _Extents:
    """The extents of an array as functions of the parameters, but for those that are 1."""

    element_bytes: int
    extents: tuple[isl.PwAff, ...]

    @property
    def is_small(self) -> bool:
        """Whether the whole array never has more than `SMALL` bytes."""
        greatest = [greatest_of(isl.Set.from_pw_aff(each), 0) for each in self.extents]
        known = [each for each in greatest if each is not None]
        return len(known) == len(greatest) and self.element_bytes * prod(known) <= SMALL

    def fits(self, other: _Extents, context: isl.Set) -> bool:
        """Whether an array has at most the bytes of another one, dimension by dimension."""
        if self.element_bytes > other.element_bytes:
            return False
        return _matched(self.extents, other.extents, context)


def _matched(needed: Sequence[isl.PwAff], given: Sequence[isl.PwAff], context: isl.Set) -> bool:
    """Whether each extent has one for itself that is at least as large within `context`."""
    if not needed:
        return True
    first, *others = needed
    where = first.domain().intersect_params(context)
    return any(
        where.is_subset(first.le_set(each))
        and _matched(others, [*given[:number], *given[number + 1 :]], context)
        for number, each in enumerate(given)
    )


def _extents(scop: Scop, array: str) -> _Extents | None:
    """The extents of an array: those of its type, or else of a box around what is accessed.

    `None` if nothing is accessed, or if there is no such box.
    """
    type = scop.arrays[array].type
    assert isinstance(type, MemRefType)
    accesses = [
        access.relation.range()
        for statement in scop.statements
        for access in statement.accesses
        if access.array == array
    ]
    if not accesses:
        return None
    try:
        box = box_of(reduce(isl.Set.union, accesses), scop.context)
    except NoBoxError:
        return None
    extents = [
        side.extent if extent == DYNAMIC_INDEX else _constant(extent, side.extent)
        for side, extent in zip(box, type.get_shape(), strict=True)
    ]
    return _Extents(element_bytes(type), tuple(each for each in extents if not _is_one(each)))


def _constant(value: int, like: isl.PwAff) -> isl.PwAff:
    """A constant where `like` is defined."""
    return like.scale_val(isl_value(0)).add_constant_val(isl_value(value))


def _is_one(extent: isl.PwAff) -> bool:
    return bool(extent.domain().is_subset(extent.eq_set(_constant(1, extent))))
