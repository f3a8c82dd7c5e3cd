"""The pipelines that the pass `optimize` tries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from xdsl.passes import ModulePass

from polyir.cost.machine import Machine
from polyir.passes.intra_tile_order import IntraTileOrderPass
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.pluto_schedule import PlutoSchedulePass
from polyir.passes.prerequisites import ScopPass
from polyir.passes.privatize import PrivatizePass
from polyir.passes.privatize_reductions import PrivatizeReductionsPass
from polyir.passes.promote_private import PromotePrivatePass
from polyir.passes.register_tile import RegisterTilePass
from polyir.passes.spatial_schedule import SpatialSchedulePass
from polyir.passes.split_sequential import SplitSequentialPass
from polyir.passes.strategy_names import StrategyName
from polyir.passes.tile import TilePass
from polyir.passes.wavefront import WavefrontPass
from polyir.transform.reassociation.private_results import MOST_PARTS

TURN: Final = 16
"""The successive iterations of a loop that a thread adds to its results before another one's turn.

Stencils read few rows twice then, and threads have equally much to do even in short loops."""


@dataclass(frozen=True)
class Strategy:
    """A pipeline of passes on scops, by a name for remarks.

    Passes change the `memory`, then the `scheduler` makes a tree, and the `steps` change that.
    Those of the memory may change the tree, too: it tells what an iteration keeps for itself.
    With `sums`, it is for nests with statements that add up elements of a result; without, for
    those that have none; `None` for all. One that is `packed` then lets loops read operands from
    contiguous arrays. `if_scheduled`, it is not tried if its scheduler changes nothing.
    """

    name: StrategyName
    memory: tuple[ModulePass, ...]
    scheduler: tuple[ModulePass, ...]
    steps: tuple[ScopPass, ...]
    sums: bool | None = None
    packed: bool = False
    if_scheduled: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether no loops over tiles are made, but for those of blocks."""
        return not any(isinstance(each, TilePass) for each in (*self.memory, *self.steps))

    @property
    def copies_temporaries(self) -> bool:
        """Whether temporaries get copies, for iterations of loops or for all of them."""
        return any(isinstance(each, PrivatizePass) for each in self.memory)

    @property
    def is_for_few_accesses(self) -> bool:
        """Whether it takes long to find for programs with many accesses."""
        makes_order = bool(self.scheduler) and not self.if_scheduled
        return not self.sums and (makes_order or not self.is_simple)

    @property
    def before(self) -> tuple[ModulePass, ...]:
        """The passes before the steps."""
        return self.memory + self.scheduler


def strategies(
    machine: Machine, element_bytes: int, depth: int, threads: int, reassociate: bool
) -> tuple[Strategy, ...]:
    """What is tried, in this order; those with the same scheduler come one after the other.

    Register blocks fill three quarters of the vector registers with results. `depth` is the number
    of loops around statements: the more there are, the smaller the tiles of stencils are. With
    `reassociate`, sums may be computed in another order, and each of `threads` may have results of
    its own.
    """
    width = max(2, machine.vector_bits // (8 * element_bytes))
    apart, fused = (PlutoSchedulePass(fuse="none"),), (PlutoSchedulePass(),)
    spatial = (SpatialSchedulePass(),)
    private = (PrivatizePass(loops="all"),)
    parallel = MarkParallelPass(schedule="balanced", reassociate=reassociate)
    wavefront = WavefrontPass()
    rows = machine.vector_registers // 4
    blocks = RegisterTilePass(rows=rows, vectors=3, width=width, reassociate=reassociate)
    masked = replace(blocks, masked=True)
    whole = replace(masked, tiles=(96, 192, 384), shared_tiles=(32, 2304, 384))
    tiles, flat = TilePass(sizes=(96, 96, 256)), TilePass(sizes=(48, 48, 240))
    in_waves = (flat, wavefront, parallel, blocks)
    in_tiles = (TilePass(), wavefront, IntraTileOrderPass(), parallel, blocks)
    last, chains = IntraTileOrderPass(distribute=False), WavefrontPass(which="inner")
    sweeps = TilePass(sizes=(3 * width,), min_width=1)
    private_arrays = PromotePrivatePass()
    long = TilePass(sizes=(16, 32, 256) if depth <= 3 else (4, 8, 32, 512))
    in_time = (last, long, wavefront, IntraTileOrderPass(), chains, parallel, blocks)
    found = (
        Strategy("packed-blocks", (), apart, (whole, parallel), sums=True, packed=True),
        Strategy("register-blocks", (), apart, (tiles, parallel, blocks), sums=True),
        Strategy("untiled-blocks", (), apart, (parallel, masked), sums=True),
        Strategy("blocks-in-waves", private, spatial, in_waves, sums=True),
        Strategy("locality", private, spatial, in_tiles, sums=False),
        Strategy("untiled-locality", private, spatial, (parallel, blocks)),
        Strategy("sweeps", (sweeps, chains, private_arrays), (), (parallel, blocks), sums=False),
        Strategy("tiles", (), fused, (TilePass(), wavefront, parallel, blocks), sums=False),
        Strategy("time-tiles", (), fused, in_time, sums=False),
        Strategy("split", (), (SplitSequentialPass(),), (parallel, blocks), if_scheduled=True),
        Strategy("private", (PrivatizePass(),), (), (parallel, blocks)),
        Strategy("parallel", (), (), (parallel, blocks)),
    )
    if not reassociate:
        return found
    # Where only sums are slow, parallel regions may take longer than they do.
    one_thread = Strategy("reductions", (), (), (blocks,))
    if threads == 1:
        return (*found, one_thread)
    parts = PrivatizeReductionsPass(parts=min(threads, MOST_PARTS), block=TURN)
    return (*found, one_thread, Strategy("partial-results", (parts,), (), (parallel, blocks)))


def is_for_threads(step: ModulePass) -> bool:
    """Whether a pass only makes work for several threads; inner wavefronts help one, too."""
    if isinstance(step, WavefrontPass):
        return step.which == "outermost"
    return isinstance(step, MarkParallelPass)
