"""The pass `gpu-kernels`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.diagnostics import LocalArrayError
from polyir.choose.gpu import GENERIC_GPU
from polyir.choose.sizes import ASSUMED_SIZE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.gpu.kernels import gpu_kernels
from polyir.transform.gpu.placement import PlacementOptions, Placer, SequentialParts


@dataclass(frozen=True)
class GpuKernelsPass(ScopPass):
    """Decide which parts of a schedule become GPU kernels.

    A kernel begins at the outermost band with a parallel loop; the loops around it stay on the
    host. A part without parallel loops becomes a kernel of a single thread or runs on the host,
    whichever is estimated to take less time, with the transfers that it needs. `sequential=device`
    and `sequential=host` decide for all of them; `assumed-size` is the number that parameters and
    unknown extents count as.

    Before:

        poly.band "[{ S0[t, i] -> [(t)] }]" permutable {
          poly.band "[{ S0[t, i] -> [(i)] }]" permutable coincident [true]
        }

    After:

        poly.band "[{ S0[t, i] -> [(t)] }]" permutable {
          poly.mark #poly.kernel {
            poly.band "[{ S0[t, i] -> [(i)] }]" permutable coincident [true]
          }
        }
    """

    name = "gpu-kernels"
    needs_parallel_loops = True

    sequential: SequentialParts = "auto"
    assumed_size: int = ASSUMED_SIZE

    def __post_init__(self) -> None:
        PlacementOptions(self.sequential, self.assumed_size)

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        for array in scop.op.local_arrays:
            if array.space.data == "heap":
                # A thread could only allocate it by itself.
                raise LocalArrayError(
                    f"the local array @{array.sym_name.data} is memory on the heap, which a kernel "
                    "does not have"
                )
        placer = Placer(scop, PlacementOptions(self.sequential, self.assumed_size), GENERIC_GPU)
        return gpu_kernels(scop.schedule, dependences, placer)
