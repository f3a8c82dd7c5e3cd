"""The pass `full-tile-separation`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import Address, parse_optional_address
from polyir.transform.full_tiles import FullTileOptions, LoopKind, separate_full_tiles


@dataclass(frozen=True)
class FullTileSeparationPass(NamingPass):
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

    points: LoopKind = "default"
    loop: str = ""

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._loop()

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(self._loop())

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        options = FullTileOptions(self.points, self._loop())
        return separate_full_tiles(scop.schedule, dependences, scop.context, options)

    def _loop(self) -> Address | None:
        return parse_optional_address(self.loop)
