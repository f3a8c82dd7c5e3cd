"""The pass `tile-symbolic`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import scops_in
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.proofs.remembered import keeping_proof
from polyir.transform.symbolic_tile import (
    SymbolicTileOptions,
    declare_sizes,
    free_size_names,
    require_extensible,
    tile_symbolically,
)


@dataclass(frozen=True)
class TileSymbolicPass(SymbolicTileOptions, ScopPass):
    """Tile the permutable bands, with sizes that are chosen at run time.

    The sizes become arguments of the function, after the others, of type index: T0 for the first
    loop of each band, T1 for the second. `loops` and `min-width` select what is
    tiled, as for `tile`. `origins` determines which tiles are visited: `outset`, those with
    points, or `box`, all in the rectangular hull of the points, which has simpler bounds.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable

    After (the mark represents the loops over tiles):

        poly.mark #poly.tile<outset [T0, T1]> {
          poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable
        }
    """

    name = "tile-symbolic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        super().apply(ctx, op)
        for scop in scops_in(op):
            with keeping_proof(scop):
                declare_sizes(scop)

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        require_extensible(scop.op)
        return tile_symbolically(scop.schedule, dependences, free_size_names(scop), self)
