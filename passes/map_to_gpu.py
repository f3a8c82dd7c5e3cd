"""The pass `map-to-gpu`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base import budgets
from polyir.base.diagnostics import errors_at, missed
from polyir.base.inner_steps import apply_inside
from polyir.base.limits import ResourceError
from polyir.choose.gpu import GENERIC_GPU
from polyir.choose.sizes import ASSUMED_SIZE
from polyir.dialects.scop import ScopOp, scops_in
from polyir.loops.on_device import assume_on_device
from polyir.passes.gpu_kernels import GpuKernelsPass
from polyir.passes.gpu_map import GpuMapPass
from polyir.passes.gpu_promote import GpuPromotePass
from polyir.passes.gpu_synchronise import GpuSynchronisePass
from polyir.passes.gpu_tile import GpuTilePass
from polyir.passes.options import PassWithOptions
from polyir.passes.reassociate import ReassociatePass
from polyir.proofs.gpu import require_correct_kernels
from polyir.proofs.remembered import is_unchecked
from polyir.transform.gpu.placement import SequentialParts
from polyir.transform.gpu.promotion import Registers, SharedArrays, Vectors
from polyir.transform.scop_state import ScopState


@dataclass(frozen=True)
class MapToGpuPass(PassWithOptions):
    """Map scheduled loops to GPU kernels: all steps from the schedule to blocks and threads.

    The steps are `gpu-kernels`, `gpu-tile`, `gpu-map`, `gpu-promote` and `gpu-synchronise`, which
    also work alone and have more to say. `tile` are the tile sizes of the loops of a kernel,
    `block` the threads of a block along x, y and z, and `grid` the largest numbers of blocks.
    With `reassociate`, the pass of that name runs first, so that blocks compute sums and other
    reductions as trees: floating-point numbers are then rounded in another order.
    `shared`, `registers`, `limit`, `padding`, `vectors`, `buffers` and `kernels` say what is kept
    in shared memory and in registers, and how it is copied, as for `gpu-promote`. `sequential` and
    `assumed-size` say where parts without parallel loops run, as for `gpu-kernels`. At the end, the
    kernels are proved right as by `check-gpu`; with `check=false`, that is left to `lower-poly`.
    With `assume-on-device`, `lower-poly` uses the arrays that functions are passed without copying
    them to the device; as they may begin anywhere, no vectors of them are copied.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]

    After:

        poly.mark #poly.kernel<block [256]> {
          poly.band "[{ S0[i] -> [(i - (i) mod 256)] }]" permutable coincident [true]
              loop_attributes [[#poly.map<block x>]] {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
                loop_attributes [[#poly.map<thread x>]]
          }
        }
    """

    name = "map-to-gpu"

    tile: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    shared: SharedArrays = "auto"
    registers: Registers = "auto"
    limit: int = GENERIC_GPU.shared_bytes
    padding: int | None = None
    vectors: Vectors = "auto"
    buffers: int = 1
    kernels: tuple[int, ...] = ()
    sequential: SequentialParts = "auto"
    assumed_size: int = ASSUMED_SIZE
    reassociate: bool = False
    check: bool = True
    assume_on_device: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit = None if self.shared == "none" else self.limit // max(self.buffers, 1)
        tile = GpuTilePass(tile=self.tile, limit=limit)
        mapping = GpuMapPass(block=self.block, grid=self.grid)
        # Arrays that are on the device cannot be used on the host.
        is_fixed = self.assume_on_device and self.sequential == "auto"
        sequential: SequentialParts = "device" if is_fixed else self.sequential
        kernels = GpuKernelsPass(sequential=sequential, assumed_size=self.assumed_size)
        trees = (ReassociatePass(),) if self.reassociate else ()
        for step in (*trees, kernels, tile, mapping):
            apply_inside(step, ctx, op)
        for scop in scops_in(op):
            with errors_at(scop):
                in_global_memory = (self.shared, self.registers) == ("none", "none")
                if in_global_memory or not self._promote(scop):
                    GpuSynchronisePass().rewrite(scop)
        if self.assume_on_device:
            for scop in scops_in(op):
                if scop.function is not None:
                    assume_on_device(scop.function)
        if self.check and not is_unchecked():
            try:
                for scop in scops_in(op):
                    require_correct_kernels(scop, self.name)
            except ResourceError as error:
                error.message += "; map-to-gpu{check=false} leaves it to lower-poly"
                raise

    def _promote(self, scop: ScopOp) -> bool:
        """Promote arrays and add barriers; whether that was done.

        It is not if there is nothing to promote, or if it takes isl too long to prove.
        """
        before = ScopState.of(scop)
        promote = GpuPromotePass(
            shared=self.shared,
            registers=self.registers,
            limit=self.limit,
            padding=self.padding,
            buffers=self.buffers,
            kernels=self.kernels,
            vectors="none" if self.assume_on_device else self.vectors,
        )
        promote.rewrite(scop)
        if len(scop.local_arrays) == len(before.arrays):
            return False
        if not GpuSynchronisePass().synchronise(scop, is_bounded=True):
            exceeded = budgets.KERNEL_BARRIERS.exceeded
        elif (
            self.check
            and not is_unchecked()
            and not require_correct_kernels(scop, self.name, is_bounded=True)
        ):
            exceeded = budgets.KERNEL_CHECK.exceeded
        else:
            return True
        before.restore(scop)
        missed(
            self.name,
            f"{exceeded} with local arrays, or isl fails: all arrays stay in global memory",
            scop,
            name="local-array",
        )
        return False
