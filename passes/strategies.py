"""The pipelines that the pass `optimize` tries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import FunctionType
from typing import Final

from xdsl.passes import ModulePass

from polyir.base.diagnostics import PolyirError, missed
from polyir.choose.machine import Machine
from polyir.choose.thresholds import TURN
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
from polyir.passes.strategy_names import PASS_NAME
from polyir.passes.tile import TilePass
from polyir.passes.wavefront import WavefrontPass
from polyir.transform.reassociation.private_results import MOST_PARTS
from polyir.universe import registered, registered_strategies, require_type


@dataclass(frozen=True)
class Strategy:
    """A pipeline of passes on scops.

    Passes change the `memory`, then the `scheduler` makes a tree, and the `steps` change that.
    Those of the memory may change the tree, too: it tells what an iteration keeps for itself.
    With `sums`, it is for nests with statements that add up elements of a result; without, for
    those that have none; `None` for all. One that is `packed` then lets loops read operands from
    contiguous arrays. `if_scheduled`, it is not tried if its scheduler changes nothing. Its `name`
    is the one that it is registered by.
    """

    memory: tuple[ModulePass, ...]
    scheduler: tuple[ModulePass, ...]
    steps: tuple[ScopPass, ...]
    sums: bool | None = None
    packed: bool = False
    if_scheduled: bool = False
    name: str = ""

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


@dataclass(frozen=True)
class Situation:
    """What a strategy is made for.

    `element_bytes` is the size of the largest elements, `depth` the number of loops around
    statements. With `reassociate`, sums may be computed in another order, and each of `threads` may
    have results of its own.
    """

    machine: Machine
    element_bytes: int
    depth: int
    threads: int
    reassociate: bool = False

    @property
    def width(self) -> int:
        """The elements of a vector register."""
        return max(2, self.machine.vector_bits // (8 * self.element_bytes))

    @property
    def parallel(self) -> MarkParallelPass:
        """What marks parallel loops, each thread with as much to do."""
        return MarkParallelPass(schedule="balanced", reassociate=self.reassociate)

    @property
    def blocks(self) -> RegisterTilePass:
        """Register blocks: they fill three quarters of the vector registers with results."""
        return RegisterTilePass(
            rows=self.machine.vector_registers // 4,
            vectors=3,
            width=self.width,
            reassociate=self.reassociate,
        )

    @property
    def last(self) -> tuple[ScopPass, ...]:
        """The last steps of most strategies."""
        return (self.parallel, self.blocks)


APART: Final = (PlutoSchedulePass(fuse="none"),)
FUSED: Final = (PlutoSchedulePass(),)
SPATIAL: Final = (SpatialSchedulePass(),)
PRIVATE: Final = (PrivatizePass(loops="all"),)
WAVES: Final = WavefrontPass()
CHAINS: Final = WavefrontPass(which="inner")


def packed_blocks(given: Situation) -> Strategy:
    """Tiles whose operands fit into caches, read from contiguous arrays."""
    whole = replace(given.blocks, masked=True, tiles=(96, 192, 384), shared_tiles=(32, 2304, 384))
    return Strategy((), APART, (whole, given.parallel), sums=True, packed=True)


def register_blocks(given: Situation) -> Strategy:
    """Tiles of register blocks."""
    tiles = TilePass(sizes=(96, 96, 256))
    return Strategy((), APART, (tiles, *given.last), sums=True)


def untiled_blocks(given: Situation) -> Strategy:
    """Register blocks, for sizes that no block divides, too."""
    masked = replace(given.blocks, masked=True)
    return Strategy((), APART, (given.parallel, masked), sums=True)


def blocks_in_waves(given: Situation) -> Strategy:
    """Tiles of register blocks, in wavefronts."""
    flat = TilePass(sizes=(48, 48, 240))
    return Strategy(PRIVATE, SPATIAL, (flat, WAVES, *given.last), sums=True)


def locality(given: Situation) -> Strategy:
    """Tiles of loops that go through cache lines."""
    steps = (TilePass(), WAVES, IntraTileOrderPass(), *given.last)
    return Strategy(PRIVATE, SPATIAL, steps, sums=False)


def untiled_locality(given: Situation) -> Strategy:
    """Loops that go through cache lines."""
    return Strategy(PRIVATE, SPATIAL, given.last)


def sweeps(given: Situation) -> Strategy:
    """Strips of a few vectors, with temporaries of their own, in the original order."""
    strips = TilePass(sizes=(3 * given.width,), min_width=1)
    return Strategy((strips, CHAINS, PromotePrivatePass()), (), given.last, sums=False)


def tiles(given: Situation) -> Strategy:
    """Pluto's tiles."""
    return Strategy((), FUSED, (TilePass(), WAVES, *given.last), sums=False)


def time_tiles(given: Situation) -> Strategy:
    """Tiles with long rows, for stencils; the more loops there are, the smaller they are."""
    long = TilePass(sizes=(16, 32, 256) if given.depth <= 3 else (4, 8, 32, 512))
    order = IntraTileOrderPass(distribute=False)
    steps = (order, long, WAVES, IntraTileOrderPass(), CHAINS, *given.last)
    return Strategy((), FUSED, steps, sums=False)


def split(given: Situation) -> Strategy:
    """Sequential parts apart from parallel ones."""
    return Strategy((), (SplitSequentialPass(),), given.last, if_scheduled=True)


def private(given: Situation) -> Strategy:
    """The original order, with temporaries for each iteration of a parallel loop."""
    return Strategy((PrivatizePass(),), (), given.last)


def parallel(given: Situation) -> Strategy:
    """The original order, in parallel."""
    return Strategy((), (), given.last)


def reductions(given: Situation) -> Strategy | None:
    """Vectors of partial results on one thread.

    Where only sums are slow, parallel regions may take longer than they do.
    """
    return Strategy((), (), (given.blocks,)) if given.reassociate else None


def partial_results(given: Situation) -> Strategy | None:
    """Results of its own for each thread."""
    if not given.reassociate or given.threads == 1:
        return None
    parts = PrivatizeReductionsPass(parts=min(given.threads, MOST_PARTS), block=TURN)
    return Strategy((parts,), (), given.last)


def strategies(given: Situation) -> tuple[Strategy, ...]:
    """What is tried, in this order; those with the same scheduler come one after the other.

    Strategies of other packages come last. One that cannot be loaded is left out, with a remark.
    """
    found: list[Strategy] = []
    known = registered_strategies()
    for name in known:
        try:
            made = registered("strategy", name, known, FunctionType)(given)
            if made is not None:
                found.append(replace(require_type(f"strategy '{name}'", made, Strategy), name=name))
        except PolyirError as error:
            missed(PASS_NAME, error.message, once=True)
    return tuple(found)


def is_for_threads(step: ModulePass) -> bool:
    """Whether a pass only makes work for several threads; inner wavefronts help one, too."""
    if isinstance(step, WavefrontPass):
        return step.which == "outermost"
    return isinstance(step, MarkParallelPass)
