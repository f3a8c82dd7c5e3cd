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
    """Give full tiles point loops of their own, with constant bounds and without guards.

    Comes after all that makes and orders tiles. `points` is the kind of the point loops, which
    matters in partial tiles: `atomic` loops have all guards inside, `separate` ones none, which
    is more code, and `default` leaves it to isl. With `loop`, an address, only tiles from that
    loop on are looked at.

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
