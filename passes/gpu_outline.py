"""gpu-outline: kernels as functions in a module for the device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import idle, remark
from polyir.loops.gpu_outlining import outline_kernels
from polyir.loops.levels import lower_scops


@dataclass(frozen=True)
class GpuOutlinePass(ModulePass):
    """Move the bodies of kernels to functions in a module for the device. Scops are lowered first.

        func.func @f(%n: index, %A: memref<?xf64>) {
          %one = arith.constant 1 : index
          %size = arith.constant 32 : index
          %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
          gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %one, %gz = %one)
                     threads(%tx, %ty, %tz) in (%sx = %size, %sy = %one, %sz = %one) {
            %tile = memref.alloca() : memref<32xf64, #gpu.address_space<workgroup>>
            %v = affine.load %A[%bx * 32 + %tx] : memref<?xf64>
            affine.store %v, %tile[%tx] : memref<32xf64, #gpu.address_space<workgroup>>
            gpu.terminator
          }
          return
        }

    becomes

        gpu.module @f_kernels {
          gpu.func @f_0(%A: memref<?xf64>)
              workgroup(%tile : memref<32xf64, #gpu.address_space<workgroup>>)
              kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
            %bx = gpu.block_id x
            %tx = gpu.thread_id x
            %v = affine.load %A[%bx * 32 + %tx] : memref<?xf64>
            affine.store %v, %tile[%tx] : memref<32xf64, #gpu.address_space<workgroup>>
            gpu.return
          }
        }
        func.func @f(%n: index, %A: memref<?xf64>) {
          %one = arith.constant 1 : index
          %size = arith.constant 32 : index
          %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
          gpu.launch_func @f_kernels::@f_0 blocks in (%blocks, %one, %one)
              threads in (%size, %one, %one) args(%A : memref<?xf64>)
          return
        }

    The values from outside that a kernel uses become its arguments; constants, sums and products
    are computed in it. What it allocates in the spaces `workgroup` and `private` becomes memory of
    the function.
    """

    name = "gpu-outline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        if not outline_kernels(op, partial(remark, self.name)):
            idle(self.name, "nothing to do: the module has no gpu.launch", op)
