"""Innermost loops of kernels with constant numbers of iterations, which compilers unroll.

A thread runs the last tile of a loop up to the end of the array, and all other tiles whole:

    for k = t to min(t + 32, n):            if t + 32 <= n:
      s += A[k]                        =>     for k = t to t + 32:    (unrolled)
                                                s += A[k]
                                            else:
                                              for k = t to min(t + 32, n):
                                                s += A[k]

What iterations load does not wait for what others do then, and no test ends each of them. It is the
separation of full tiles from partial ones (C. Ancourt and F. Irigoin, "Scanning polyhedra with DO
loops", PPoPP 1991), of one loop.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, gpu
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.dialects.loop_attributes import MOST_COPIES, UNROLLED_TRIPS, UnrollAttr
from polyir.loops.iteration_spaces import is_loop
from polyir.loops.loop_forms import conditional, range_of, set_range
from polyir.loops.loop_ranges import LoopRange
from polyir.model.index_expressions import Constraint, IndexExpression


def separate_full_trips(launch: Operation) -> None:
    """Give the innermost loops of a `gpu.launch` versions with constant numbers of iterations."""
    assert isinstance(launch, gpu.LaunchOp)
    sizes = _thread_sizes(launch)
    for op in tuple(launch.body.block.walk()):
        if isinstance(op, affine.ForOp) and not op.results and not _has_loops_or_barriers(op):
            _separate(op, sizes)


def _thread_sizes(launch: gpu.LaunchOp) -> dict[SSAValue, int]:
    """The numbers of threads of a block, by the value that numbers them."""
    found: dict[SSAValue, int] = {}
    sizes = launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ
    for thread, size in zip(launch.body.block.args[3:6], sizes, strict=True):
        match size.owner:
            case arith.ConstantOp(value=IntegerAttr(value=number)):
                found[thread] = number.data
            case _:
                pass
    return found


def _has_loops_or_barriers(loop: affine.ForOp) -> bool:
    return any(is_loop(op) or isinstance(op, gpu.BarrierOp) for op in loop.body.walk())


def _separate(loop: affine.ForOp, sizes: dict[SSAValue, int]) -> None:
    range = range_of(loop)
    if range is None or not range.step or len(range.lower) != 1:
        return
    for bound in range.upper:
        trips = _trips(range, bound, sizes)
        if trips is not None and 1 < trips <= MOST_COPIES:
            break
    else:
        return
    assert trips is not None
    (first,) = range.lower
    last = first.shift((trips - 1) * range.step)
    others = [each for each in range.upper if each is not bound]
    unrolled = UnrollAttr(min(trips, UNROLLED_TRIPS))
    if not others:
        loop.attributes.setdefault(UnrollAttr.name, unrolled)
        return
    runs_all = [Constraint((each - last).shift(-1), False) for each in others]
    full, partial = loop.clone(), loop.clone()
    full.attributes.setdefault(UnrollAttr.name, unrolled)
    then, otherwise = Block([full, affine.YieldOp.get()]), Block([partial, affine.YieldOp.get()])
    conditional(runs_all, then, otherwise, loop, Builder(InsertPoint.before(loop)))
    set_range(full, replace(range, upper=(first.shift(trips * range.step),)))
    loop.detach()
    loop.erase()


def _trips(range: LoopRange, bound: IndexExpression, sizes: dict[SSAValue, int]) -> int | None:
    """The iterations of a loop up to one of its bounds, if their number is always the same."""
    assert range.step is not None
    (first,) = range.lower
    distance = bound - first
    if distance.is_constant:
        return -(-distance.constant // range.step)
    # From the number of a thread on, in steps of the number of threads.
    if len(distance.terms) == 1 and distance.terms[0][1] == -1:
        thread = distance.terms[0][0]
        size = sizes.get(thread) if isinstance(thread, SSAValue) else None
        if size == range.step and distance.constant % size == 0:
            return distance.constant // size
    return None
