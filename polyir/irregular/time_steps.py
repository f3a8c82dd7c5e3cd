"""The loops of a time step: the form of what can be tiled across loops at run time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from polyir.base.diagnostics import PolyirError, location_of
from polyir.irregular.loop_parts import IrregularLoopError, is_wanted
from polyir.irregular.slices import AddressSlice, address_slice
from polyir.loops.loop_forms import SequentialLoop, range_of
from polyir.model.raising.effects import LOADS, is_pure, loads_in, may_overlap, stores_in


@dataclass(frozen=True)
class TimeSteps:
    """A sequential loop, whose body is a sequence of loops and of what computes their operands.

    `slices` are of the inner loops, in the order of the program, with the addresses of all that
    the outer loop writes.
    """

    loop: SequentialLoop
    slices: tuple[AddressSlice, ...]

    @property
    def memories(self) -> tuple[SSAValue, ...]:
        """The memrefs that the loop writes."""
        return self.slices[0].memories

    def is_irregular(self) -> bool:
        """Whether an element that is accessed, or whether it is, comes out of memory."""
        return any(isinstance(op, LOADS) for slice in self.slices for op in slice.needed)


@dataclass
class FoundTimeSteps:
    """The loops that can be tiled at run time, and why not others, with the operation."""

    loops: list[TimeSteps] = field(default_factory=list)
    reasons: list[tuple[str, Operation]] = field(default_factory=list)


def irregular_time_steps(root: Operation, names: Collection[str] = ()) -> FoundTimeSteps:
    """The outermost loops in `root` whose iterations are sequences of loops with index arrays.

    With `names`, only loops whose counters have these names are looked at, and they may be
    without index arrays.
    """
    found = FoundTimeSteps()
    _add(root, names, found)
    return found


def reason_of(error: PolyirError) -> str:
    """Why a loop is left, with the place in the program that is the reason."""
    place = "" if error.location is None else f" ({error.location})"
    return f"loop left: {error.message}{place}"


def _add(op: Operation, names: Collection[str], found: FoundTimeSteps) -> None:
    if isinstance(op, SequentialLoop) and is_wanted(op, names) and _inner_loops(op):
        try:
            steps = time_steps(op)
        except PolyirError as error:
            if names or _uses_index_arrays(op):
                found.reasons.append((reason_of(error), op))
        else:
            if names or steps.is_irregular():
                found.loops.append(steps)
                return
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                _add(inner, names, found)


def time_steps(loop: SequentialLoop) -> TimeSteps:
    """The inner loops of `loop`, with their slices.

    Raises `PolyirError`, with a place, if its body is not a sequence of loops.
    """
    if loop.results:
        raise IrregularLoopError("its iterations carry values in iter_args", location_of(loop))
    if range_of(loop) is None:
        raise IrregularLoopError("its step is not a positive constant", location_of(loop))
    for op in prepared_in(loop):
        is_unwritten = isinstance(op, LOADS) and not any(
            may_overlap(store.memref, op.memref) for store in stores_in(loop)
        )
        if not (is_unwritten or is_pure(op)):
            raise IrregularLoopError(f"'{op.name}' is outside of its inner loops", location_of(op))
    return TimeSteps(loop, tuple(address_slice(inner, around=loop) for inner in _inner_loops(loop)))


def prepared_in(loop: SequentialLoop) -> Iterator[Operation]:
    """What an iteration of a loop does outside of its inner loops."""
    block = loop.body.block
    for op in block.ops:
        if op is not block.last_op and not isinstance(op, SequentialLoop):
            yield op


def _inner_loops(loop: SequentialLoop) -> list[SequentialLoop]:
    return [op for op in loop.body.block.ops if isinstance(op, SequentialLoop)]


def _uses_index_arrays(loop: SequentialLoop) -> bool:
    """Whether the loop loads integers, which subscripts may be."""
    loaded = (result for load in loads_in(loop) for result in load.op.results)
    return any(isinstance(result.type, IndexType | IntegerType) for result in loaded)
