"""The pass `full-tile-separation`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.full_tiles import FullTileOptions, separate_full_tiles


@dataclass(frozen=True)
class FullTileSeparationPass(FullTileOptions, ScopPass):
    """Separate full tiles, whose point loops have constant bounds and no guards, from partial ones.

    Run it after all passes that make or order tiles. `points` is the loop type of the point loops
    of partial tiles: `atomic` loops contain guards, `separate` loops do not but need more code,
    and with `default` isl chooses. With `loop`, an address, only tiles from that loop on are
    separated.

    Before:

        poly.band "[{ S0[i] -> [(i - (i) mod 32)] }]" permutable coincident [true] {
          poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
        }

    After:

        poly.band "[{ S0[i] -> [(i - (i) mod 32)] }]" permutable coincident [true] {
          poly.sequence {
            poly.filter "{ S0[i] : 32*floor((i)/32) <= -32 + n }" {
              poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
            }
            poly.filter "{ S0[i] : 32*floor((i)/32) >= -31 + n }" {
              poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
            }
          }
        }
    """

    name = "full-tile-separation"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return separate_full_tiles(scop.schedule, dependences, scop.context, self)
