"""Which memory that a region accesses under several names may be the same.

Different variables, and different members of one structure, do not overlap. What pointers lead
to may, unless the points-to analysis, `restrict` or the types (C11, 6.5, paragraph 7) exclude it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pycparser import c_ast
from xdsl.ir import Block

from polyir.frontend.c.calls import CallRead
from polyir.frontend.c.errors import NotModelledError, refuse, refuse_call
from polyir.frontend.c.places import BaseObject, SourceArgument, SourceArray, SourcePointer
from polyir.frontend.c.points_to import OUTSIDE, Object, PointsTo
from polyir.frontend.c.types import Arithmetic, CArrayType, Pointer
from polyir.model.memory_accesses import accesses_in


@dataclass(frozen=True)
class PossibleOverlap:
    """Two things that may share memory, and of which at least one is written; or one thing twice.

    Then, rows of an array may share memory, as pointers lead to them.
    Each is the position of an argument of the region's function, or the spelling of a variable.
    """

    first: int | str
    second: int | str


@dataclass(frozen=True)
class _Accessed:
    """Something that a region accesses, and the objects in which it may lie."""

    operand: int | str
    origin: BaseObject
    type: Arithmetic
    is_written: bool
    objects: frozenset[Object]


def overlaps(
    entry: Block,
    arguments: Sequence[SourceArgument],
    counters: Mapping[str, Arithmetic],
    points_to: PointsTo,
) -> tuple[PossibleOverlap, ...]:
    """The pairs of arguments and of `counters`, which loops set, that may share memory.

    `entry` is the body of the region's function, before it is raised. Raises `NotModelledError`
    for two names of the same memory.
    """
    accessed = tuple(_accessed(entry, arguments, counters, points_to))
    found: list[PossibleOverlap] = []
    for position, argument in enumerate(arguments):
        # Rows of one array may share memory, too.
        if isinstance(argument, SourceArray) and argument.has_rows_apart:
            found.append(PossibleOverlap(position, position))
    for one, other in combinations(accessed, 2):
        if not (one.is_written or other.is_written) or _is_apart(one, other):
            continue
        if not points_to.may_overlap(one.objects, other.objects):
            continue
        for pointer, target in ((one, other), (other, one)):
            error = _shown(pointer.origin, target.origin, points_to)
            if error is not None:
                raise error
        found.append(PossibleOverlap(one.operand, other.operand))
    return tuple(found)


def check_reads(
    reads: Sequence[CallRead],
    entry: Block,
    arguments: Sequence[SourceArgument],
    counters: Mapping[str, Arithmetic],
    points_to: PointsTo,
) -> None:
    """Refuse calls that may read what the region writes.

    What they read has no place in the function of the region.
    """
    written = [
        accessed
        for accessed in _accessed(entry, arguments, counters, points_to)
        if accessed.is_written
    ]
    for read in reads:
        targets = tuple(_targets(read, points_to))
        for accessed in written:
            for objects, type in targets:
                is_apart = type is not None and not _may_alias(type, accessed.type)
                if not is_apart and points_to.may_overlap(objects, accessed.objects):
                    what = f"'{accessed.origin.root}', which the region writes"
                    raise refuse_call(
                        read.node, f"a call of '{read.function}', which may read {what}"
                    )


def _targets(
    read: CallRead, points_to: PointsTo
) -> Iterator[tuple[frozenset[Object], Arithmetic | None]]:
    """The objects that a call may read, and the type as which, if that is known."""
    for name in sorted(read.reads.variables):
        yield frozenset({Object("variable", name)}), None
    if read.reads.arguments or read.reads.anything:
        for pointer, type in read.pointers:
            element = type
            while isinstance(element, Pointer | CArrayType):
                element = element.target if isinstance(element, Pointer) else element.element
            objects = points_to.values_of(pointer)
            if isinstance(element, Arithmetic) and not read.reads.anything:
                yield objects, element
            else:
                yield objects, None
    if read.reads.anything:
        yield frozenset({OUTSIDE}), None


def _accessed(
    entry: Block,
    arguments: Sequence[SourceArgument],
    counters: Mapping[str, Arithmetic],
    points_to: PointsTo,
) -> Iterator[_Accessed]:
    stored = {access.memref for access in accesses_in(entry) if access.is_write}
    variables: dict[str, None] = {}
    for position, argument in enumerate(arguments):
        if isinstance(argument, SourcePointer):
            continue
        is_array = isinstance(argument, SourceArray)
        type = argument.element if isinstance(argument, SourceArray) else argument.type
        origin = argument.origin
        if origin.pointer is None and is_array:
            variables[origin.root] = None
        is_written = entry.args[position] in stored
        yield _Accessed(position, origin, type, is_written, points_to.objects(origin))
    for name, type in counters.items():
        if name not in variables:
            origin = BaseObject(name)
            yield _Accessed(name, origin, type, True, points_to.objects(origin))


def _is_apart(one: _Accessed, other: _Accessed) -> bool:
    """Whether two accesses are known to be of different memory by their names and types."""
    first, second = one.origin, other.origin
    if first.pointer is None and second.pointer is None:
        return True
    if first.pointer == second.pointer and first.root == second.root:
        return True
    return not _may_alias(one.type, other.type)


def _may_alias(one: Arithmetic, other: Arithmetic) -> bool:
    """Whether one object may be accessed as both types."""
    is_character = any(type.width == 8 for type in (one, other))
    same = (one.width, one.is_float, one.rank) == (other.width, other.is_float, other.rank)
    return is_character or same


def _shown(pointer: BaseObject, target: BaseObject, points_to: PointsTo) -> NotModelledError | None:
    """The error that `pointer` leads to what the region accesses as `target`, if that is shown."""
    if pointer.pointer is None or pointer.pointer != pointer.root:
        return None
    start = points_to.start(pointer.root)
    if start is None:
        return None
    name = pointer.root
    if target.pointer is None:
        if start.root != target.root:
            return None
        message = f"'{name}' points to '{target.root}', and the region accesses both"
    else:
        other = points_to.start(target.root) if target.pointer == target.root else None
        root = target.pointer if other is None else other.root
        is_exact = start.is_exact and (other is None or other.is_exact)
        if start.root != root or not is_exact:
            return None
        message = f"'{name}' points to the same memory as '{target.pointer}'"
    return refuse(_located(start.node) or pointer.node, message, name="pointer")


def _located(node: c_ast.Node | None) -> c_ast.Node | None:
    return node if getattr(node, "coord", None) is not None else None
