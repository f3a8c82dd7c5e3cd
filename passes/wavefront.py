"""The pass `wavefront`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.wavefront import WavefrontOptions, wavefront


@dataclass(frozen=True)
class WavefrontPass(WavefrontOptions, ScopPass):
    """Run the tiles, or the points, of a permutable band in parallel wavefronts.

    Applies to the outermost permutable band of each nest, tiled or not, if it has no parallel
    loop. `degrees` is the number of loops that become parallel inside a wavefront,
    or `all`. With `which=inner`, applies instead to the last two loops of each innermost
    permutable band, if none of its loops is parallel as the innermost one; else, that loop
    becomes innermost; within tiles, it also moves inside several nests. Independent iterations
    hide the latency of operations. With `loop`, an address, only bands from that loop on get
    wavefronts.

    Before:

        poly.band "[{ S0[i, j] -> [(i - (i) mod 32)] }, { S0[i, j] -> [(j - (j) mod 32)] }]"
            permutable {
          ...
        }

    After (the first loop runs over the wavefronts, the second is parallel):

        poly.band "[{ S0[i, j] -> [(i + j - (i) mod 32 - (j) mod 32)] }]"
            permutable {
          poly.band "[{ S0[i, j] -> [(j - (j) mod 32)] }]" permutable coincident [true] {
            ...
          }
        }
    """

    name = "wavefront"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return wavefront(scop.schedule, dependences, self)
