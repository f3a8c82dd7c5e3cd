"""Which candidates there are for a kernel, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, product
from typing import Final

from polyir.base import budgets
from polyir.choose.model import CostModel
from polyir.choose.strategies import situation_of, strategies
from polyir.choose.this_machine import machine_of_system
from polyir.interleaving.point import Interleaving
from polyir.interleaving.schedule import InterleavingScheduler
from polyir.model.analysis import bounded
from polyir.model.scop import Scop
from polyir.passes.interleaving_schedule import InterleavingSchedulePass
from polyir.passes.intra_tile_order import IntraTileOrderPass
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.pluto_schedule import PlutoSchedulePass
from polyir.passes.register_tile import RegisterTilePass
from polyir.passes.scheduler_pass import schedulers
from polyir.passes.tile import TilePass
from polyir.passes.wavefront import WavefrontPass
from polyir.schedule.scop_constraints import schedule_constraints
from polyir.tuning.kernel import MeasuredFunction
from polyir.tuning.recipes import CHOSEN, Passes, Recipe, neighbours, recipe_of_strategy

FIRST_POINTS: Final = 4
SAMPLED_POINTS: Final = 8
"""How many legal interleavings are candidates: the first ones, and others at random."""

SEED: Final = 0


@dataclass(frozen=True)
class Space:
    """The candidates: those to start with, in order, and what can be put into each slot.

    `width` is how many elements a vector register has, `threads` the numbers of threads.
    """

    first: tuple[Recipe, ...]
    threads: tuple[int, ...]
    width: int

    def around(self, recipe: Recipe) -> Iterator[Recipe]:
        """Candidates that differ from one in a slot: in sizes first, in the scheduler last."""
        yield from neighbours(recipe, self.threads, self.width)
        for schedule in self.schedules:
            yield replace(recipe.plain(), schedule=schedule)

    @cached_property
    def schedules(self) -> tuple[Passes, ...]:
        """What can stand before the first step."""
        return tuple(dict.fromkeys(recipe.schedule for recipe in self.first))


def space_of(kernel: MeasuredFunction, threads: tuple[int, ...]) -> Space:
    """The candidates for a kernel on this machine.

    First, the strategies of `optimize`, and the policies of fusion, with and without register
    tiles; then tile sizes by models, the legal interleavings and all schedulers. `threads` begins
    with the most.
    """
    machine = machine_of_system()
    most = threads[0]
    costs = [CostModel(scop, machine, threads=most) for scop in kernel.scops]
    situation = situation_of(costs, machine, most)
    width = situation.width
    named = [recipe_of_strategy(each, most) for each in strategies(situation)]
    blocks = RegisterTilePass(rows=machine.vector_registers // 4, width=width)
    policies = [(PlutoSchedulePass(fuse=fuse),) for fuse in ("none", "smart", "max")]
    plain = Recipe((), tile=TilePass(), parallel=MarkParallelPass(), threads=most)
    fixed = [
        replace(plain, schedule=schedule, blocks=each)
        for each, schedule in product((blocks, None), policies)
    ]
    others: list[Passes] = [(each,) for each in interleavings(kernel.scops)]
    others += [(each,) for each in schedulers("polyir-tune").values()]
    balanced = replace(plain, parallel=MarkParallelPass(schedule="balanced"), blocks=blocks)
    tiled = replace(balanced, wavefront=WavefrontPass(), order=IntraTileOrderPass())
    untiled = replace(balanced, tile=None, blocks=replace(blocks, masked=True))
    more = (replace(form, schedule=schedule) for schedule in others for form in (tiled, untiled))
    models = [replace(tiled, schedule=each, tile=tile) for tile, each in product(CHOSEN, policies)]
    # Neither the strategies nor the policies are all tried before the other ones begin.
    count = len(policies)
    parts = (named[:4], fixed[:count], named[4:8], fixed[count:], named[8:], models, more)
    found = dict.fromkeys(chain(*parts))
    return Space(tuple(found), threads, width)


def interleavings(scops: Sequence[Scop]) -> Iterator[InterleavingSchedulePass]:
    """Schedulers for some legal interleavings of a scop with several statements.

    None for several scops, whose statements have the same names, nor where isl exceeds the budget.
    """
    if len(scops) != 1 or len(scops[0].statements) < 2:
        return
    (scop,) = scops
    points = bounded(budgets.INTERLEAVINGS, lambda: _points(scop), scop.op)
    for text in points or ():
        yield InterleavingSchedulePass(pattern=(text,))


def _points(scop: Scop) -> list[str]:
    assert scop.dependences is not None
    scheduler = InterleavingScheduler(schedule_constraints(scop, scop.dependences))
    legal = scheduler.legal_space
    points: list[Interleaving] = list(islice(legal.points(), FIRST_POINTS))
    points += legal.sample(SAMPLED_POINTS, SEED)
    return [each.text(scheduler.names) for each in dict.fromkeys(points)]
