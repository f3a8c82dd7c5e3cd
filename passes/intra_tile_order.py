"""The pass `intra-tile-order`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import NEAR_STRIDE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.intra_tile_order import IntraTileOptions, intra_tile_order


@dataclass(frozen=True)
class IntraTileOrderPass(IntraTileOptions, ScopPass):
    """Make the loop with the best locality innermost, in bands of point loops and in other bands.

    In each permutable band, this is the loop whose iterations access the same or neighbouring
    elements in most accesses, and distant elements in fewest. Neighbours are at most `max-stride`
    elements apart. Within tiles, fused statements get separate point loops if that is better,
    unless `distribute=false`. With `loop`, an address, only loops from that loop on are moved.

    Before (`C[i, j] += A[i, k] * B[k, j]`):

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]"
            permutable coincident [true, true, false]

    After:

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(j)] }]"
            permutable coincident [true, false, true]
    """

    name = "intra-tile-order"

    max_stride: int = NEAR_STRIDE

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return intra_tile_order(scop.schedule, dependences, scop.statements, self)
