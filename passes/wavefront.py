"""The pass `wavefront`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import parse_optional_address
from polyir.transform.bands import Degrees
from polyir.transform.wavefront import WavefrontOptions, wavefront


@dataclass(frozen=True)
class WavefrontPass(NamingPass):
    """Run the tiles of a permutable band in parallel wavefronts.

    Applies to the outermost permutable band of each nest, tiled or not, that has no parallel
    loop of its own. `degrees` is the number of loops that become parallel inside a wavefront,
    `all` for as many as there are. With `loop`, an address, only the outermost band from that
    loop on gets wavefronts.

    Before:

        poly.band "[{ S0[i, j] -> [(i - (i) mod 32)] }, { S0[i, j] -> [(j - (j) mod 32)] }]"
            permutable coincident [false, false] {
          ...
        }

    After (the first loop runs over the wavefronts, the second is parallel):

        poly.band "[{ S0[i, j] -> [(i + j - (i) mod 32 - (j) mod 32)] }]"
            permutable coincident [false] {
          poly.band "[{ S0[i, j] -> [(j - (j) mod 32)] }]" permutable coincident [true] {
            ...
          }
        }
    """

    name = "wavefront"

    degrees: Degrees = 1
    loop: str = ""

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(self._options().loop)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return wavefront(scop.schedule, dependences, self._options())

    def _options(self) -> WavefrontOptions:
        return WavefrontOptions(self.degrees, parse_optional_address(self.loop))
