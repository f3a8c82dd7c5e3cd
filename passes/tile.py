"""The pass `tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.diagnostics import OptionError, remark
from polyir.choose.sizes import TILE_RATIO, TILE_SIZE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.passes.strategy_names import ROOFLINE, CostModelName
from polyir.transform.tile import Levels, LevelsOfBand, TileOptions, tile
from polyir.transform.walk import with_permutable_bands


@dataclass(frozen=True)
class TilePass(TileOptions, ScopPass):
    """Tile the permutable bands.

    `sizes` are the tile sizes of the loops of a band, in order; the last one also applies to all
    further loops. With `levels`, `sizes` are those of the innermost tiles, and tiles of each
    further level are `ratio` times as large: `sizes=32,32,8 levels=2` makes tiles of 32 x 32 x 8
    inside tiles of 256 x 256 x 64. For other sizes, tile twice, outer tiles first:
    `--tile=100,100 --tile=32,8`. Bands of fewer than `min-width` loops, and bands that are not
    permutable, are not tiled.

    With `auto`, the cost model (`polyir.choose.tile_sizes`) chooses the sizes of each band, in one
    level or two, or no tiles where they do not pay, for the `machine` of that name or that a JSON
    file describes, by default the one that this runs on. Trip counts that are known are divided
    evenly.

    With `model`, the sizes are the solution of an integer geometric program (see
    `polyir.choose.tile_program`), for one level of tiles that fits into a cache of that machine and
    leaves no one of `threads` without a tile; `explain` prints the program as remarks.

    `loops` lists addresses of nested loops: only these are tiled, permutable or not. Their tile
    loops, in the given order, are placed around the outermost of them. Tiles that violate a
    dependence are refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [true, false]

    After `--tile=32,8`:

        poly.band "[{ S0[i, j] -> [(i - (i) mod 32)] }, { S0[i, j] -> [(j - (j) mod 8)] }]"
            permutable coincident [true, false] {
          poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
              permutable coincident [true, false]
        }
    """

    name = "tile"
    needs_parallel_loops = True

    sizes: tuple[int, ...] = (TILE_SIZE,)
    ratio: int = TILE_RATIO

    auto: bool = False
    model: bool = False
    machine: str = ""
    threads: int = 1
    explain: bool = False
    cost_model: CostModelName = ROOFLINE

    def __post_init__(self) -> None:
        super().__post_init__()
        chooses = [name for name in ("auto", "model") if getattr(self, name)]
        if len(chooses) > 1:
            raise OptionError("auto and model exclude each other")
        if self.machine and not chooses:
            raise OptionError(f"only auto and model use a machine: machine={self.machine}")
        if self.cost_model != ROOFLINE and not chooses:
            raise OptionError(f"only auto and model use a cost model: {self.cost_model}")
        if chooses and self.loops:
            given = ",".join(map(str, self.loops))
            raise OptionError(f"{chooses[0]} chooses sizes for bands, not for loops: loops={given}")
        if self.threads < 1:
            raise OptionError(f"threads must be 1 or more: threads={self.threads}")
        if not self.model and (self.explain or self.threads > 1):
            raise OptionError("only model uses threads and explain")

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        choose = self._chooser(scop, dependences) if self.auto or self.model else None
        return tile(scop.schedule, dependences, self, choose)

    def _chooser(self, scop: Scop, dependences: Dependences) -> LevelsOfBand:
        """The sizes that a model chooses for the bands of a tree."""
        # Most uses of the pass need no model.
        from polyir.choose.machine import machine_of_option
        from polyir.choose.tile_program import modelled_tile_sizes
        from polyir.choose.tile_sizes import tile_sizes

        machine = machine_of_option(self.machine)
        model = self.cost_model.model()(scop, machine, threads=self.threads)
        tree = model.tree(with_permutable_bands(scop.schedule, dependences))

        def choose(number: int) -> tuple[Levels, str]:
            if self.auto:
                choice = tile_sizes(model, tree, number)
                return choice.levels, choice.why
            found = modelled_tile_sizes(model, tree, number)
            if found is None:
                return (), "no tile fits into a cache"
            if self.explain:
                for line in found.explanation:
                    remark(self.name, line, scop.op)
            return (found.sizes,), found.why

        return choose
