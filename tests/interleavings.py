"""What the tests of interleavings share: brute force, and kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from beyond_kernels import ALL_KERNELS

from polyir import api
from polyir.interleaving.point import Interleaving, Level
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.scop_constraints import schedule_constraints


def total_preorders(count: int) -> Iterator[Level]:
    """Every total preorder of 0 to `count` - 1, by putting the last one everywhere."""
    if not count:
        yield ()
        return
    last = count - 1
    for level in total_preorders(last):
        for place in range(len(level) + 1):
            yield (*level[:place], (last,), *level[place:])
        for place, block in enumerate(level):
            yield (*level[:place], (*block, last), *level[place + 1 :])


def interleavings(count: int, depth: int) -> Iterator[Interleaving]:
    """Every interleaving at some levels: all tuples of preorders of which each refines the last."""

    def extended(levels: tuple[Level, ...]) -> Iterator[Interleaving]:
        if len(levels) == depth:
            yield Interleaving(levels)
            return
        for level in total_preorders(count):
            try:
                Interleaving((*levels, level))
            except ValueError:
                continue
            yield from extended((*levels, level))

    return extended(())


@cache
def constraints_of_kernel(name: str) -> ScheduleConstraints:
    """What a schedule of a kernel of the benchmarks must respect."""
    (scop_op,) = analysed_scops(api.parse(ALL_KERNELS[name].path.read_text()))
    scop = scop_of(scop_op)
    assert scop.dependences is not None
    return schedule_constraints(scop, scop.dependences)
