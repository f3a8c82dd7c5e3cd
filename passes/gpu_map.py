"""The pass `gpu-map`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.gpu import GENERIC_GPU
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.gpu.mapping import GpuMapOptions, gpu_map


@dataclass(frozen=True)
class GpuMapPass(GpuMapOptions, ScopPass):
    """Map the loops of GPU kernels to blocks and threads.

    The parallel loops over tiles are run by blocks, the parallel loops inside a tile by threads,
    up to three each. `block` are the numbers of threads of a block along x, y and z; the default is
    one thread for each point of a tile, but at most 256. Neighbouring threads along x access
    neighbouring elements where that is possible. With `grid`, there are at most so many
    blocks, and each runs several tiles.

    Before:

        poly.mark #poly.kernel {
          poly.band "[{ S0[i] -> [(i - (i) mod 256)] }]" permutable coincident [true] {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
        }

    After:

        poly.mark #poly.kernel<block [256]> {
          poly.band "[{ S0[i] -> [(i - (i) mod 256)] }]" permutable coincident [true]
              loop_attributes [[#poly.map<block x>]] {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
                loop_attributes [[#poly.map<thread x>]]
          }
        }
    """

    name = "gpu-map"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_on(GENERIC_GPU)

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return gpu_map(scop, dependences, self, GENERIC_GPU)
