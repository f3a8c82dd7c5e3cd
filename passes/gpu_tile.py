"""The pass `gpu-tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.gpu import GENERIC_GPU
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.gpu.mapping import GpuTileOptions, gpu_tile


@dataclass(frozen=True)
class GpuTilePass(GpuTileOptions, ScopPass):
    """Tile the outermost loops of GPU kernels, for blocks and their threads.

    `tile` are the tile sizes of the loops; the last one also applies to all further loops. The
    default depends on the number of parallel loops: 256; 32 x 32; 4 x 4 x 32. With `limit`, default
    tiles are made smaller if the parts of arrays that are to be copied to shared memory take more
    bytes than that. With `parallel`, only kernels with so many parallel loops are tiled (3: three
    or more), so that each kind may have sizes of its own. Loops over tiles are not tiled again.
    Without `gpu-kernels` before it, the kernels are marked first.

    Before:

        poly.mark #poly.kernel {
          poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
        }

    After:

        poly.mark #poly.kernel {
          poly.band "[{ S0[i] -> [(i - (i) mod 256)] }]" permutable coincident [true] {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
        }
    """

    name = "gpu-tile"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return gpu_tile(scop, dependences, self, GENERIC_GPU)
