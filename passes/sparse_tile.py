"""sparse-tile: tiles across loops with index arrays and across time steps, found at run time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, PolyirError, idle, missed, remark
from polyir.choose.sizes import SPARSE_SWEEPS, SPARSE_TILE
from polyir.irregular.sparse_tiles import TilingOptions, sparse_tile
from polyir.irregular.tile_growth import Seed
from polyir.irregular.tile_runs import InOrder, InReadyQueue, InWavefronts
from polyir.irregular.time_steps import TimeSteps, irregular_time_steps, reason_of
from polyir.loops.levels import lower_scops
from polyir.passes.irregular_pass import privatize_variables, report_left

_Runs = type[InOrder] | type[InWavefronts] | type[InReadyQueue]

_RUNS: Final[Mapping[str, _Runs]] = MappingProxyType(
    {"wavefronts": InWavefronts, "queue": InReadyQueue}
)


@dataclass(frozen=True)
class SparseTilePass(ModulePass):
    """Tile sequences of loops with index arrays, and the time steps around them.

        func.func @kernel(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
          affine.for %s = 0 to %t {
            affine.for %i = 0 to %n {
              %pi = affine.load %p[%i] : memref<?xindex>
              %v = memref.load %x[%pi] : memref<?xf64>
              affine.store %v, %x[%i] : memref<?xf64>
            }
          }
          func.return
        }

    becomes two functions and the kernel that calls both. `@kernel_inspector` fills the arrays of
    the schedule function (for each tile and each loop, the iterations) and those of the wavefronts
    of tiles, and `@kernel_executor` has the loops

        scf.for %first = %0 to %t step %4 {
          scf.for %w = %0 to %wavefronts {
            scf.parallel (%q) = (%fronts[%w]) to (%fronts[%w + 1]) {
              %tile = memref.load %order[%q] : memref<?xindex>
              scf.for %s = %first to min(%first + 4, %t) {
                %cell = %tile * 4 + %s - %first
                scf.for %p = %starts[%cell] to %starts[%cell + 1] {
                  %i = memref.load %iterations[%p] : memref<?xindex>
                  ...

    With `run=queue`, the inspector fills the dependence graph of tiles instead of wavefronts, and
    the loops over tiles are one parallel loop whose iterations take tiles out of a queue.

    `tile` is the number of iterations of each block of the `seed`, the inner loop whose counter has
    this name, or the one in the middle. `sweeps` iterations of the outer loop are tiled together;
    by default 4 if it has one inner loop, and 1 if it has several. Tiles that do not depend on each
    other run in parallel, unless `parallel=false`: in wavefronts, or with `run=queue` each as soon
    as those that it depends on have ended. With `numbering=coloured`, tiles are numbered by a
    colouring of the blocks, so that more of them may. With `order=wavefronts`, the iterations of
    a loop in a tile run in the order of their wavefronts, so that a processor need not wait for the
    results of each one. All dependences are kept, and so are the bits of the results.

    With `reorder=true`, the caller agrees to other results: the unknowns of an inner loop, such as
    that of Gauss-Seidel, run in the order of the coloured tiles, and so tiles depend less on each
    other. The results are those of the original loop on a matrix whose rows and columns have that
    order.
    """

    name = "sparse-tile"

    tile: int = SPARSE_TILE
    sweeps: int | None = None
    seed: str | None = None
    numbering: Literal["natural", "coloured"] = "natural"
    order: Literal["program", "wavefronts"] = "program"
    parallel: bool = True
    run: Literal["wavefronts", "queue"] = "wavefronts"
    reorder: bool = False
    loops: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("tile", "sweeps"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise OptionError(f"{name} must be 1 or more: {name}={number}")
        if self.run == "queue" and not self.parallel:
            raise OptionError("run=queue is for tiles in parallel, but there is parallel=false")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        privatize_variables(self.name, op)
        found = irregular_time_steps(op, self.loops)
        report_left(self.name, found.reasons, bool(found.loops))
        for steps in found.loops:
            try:
                sparse_tile(steps, self._options(steps), partial(remark, self.name))
            except PolyirError as error:
                missed(self.name, reason_of(error), steps.loop, name="irregular-loop")
        if not found.loops and not found.reasons:
            idle(self.name, "nothing to do: no loop holds a sequence of irregular loops", op)

    def _options(self, steps: TimeSteps) -> TilingOptions:
        names = [slice.loop.body.block.args[0].name_hint for slice in steps.slices]
        loop = len(names) // 2
        if self.seed is not None:
            if self.seed not in names:
                raise PolyirError(f"it has no inner loop '{self.seed}'", name="unknown-loop")
            loop = names.index(self.seed)
        sweeps = self.sweeps or (SPARSE_SWEEPS if len(names) == 1 else 1)
        seed = Seed(loop, self.tile, sweeps)
        return TilingOptions(
            seed,
            is_coloured=self.numbering == "coloured",
            runs=_RUNS[self.run] if self.parallel else InOrder,
            by_wavefronts=self.order == "wavefronts",
            reorders=self.reorder,
        )
