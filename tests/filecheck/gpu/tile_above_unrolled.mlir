// RUN: polyir-opt --isl-schedule --unroll="loop=S0.1 factor=2" --gpu-kernels --gpu-tile=tile=4 --print-schedule %s 2>&1 | filecheck %s

// isl inserts no band above options of code generation that name loops by their depth: the kernel
// keeps its loops as they are.
func.func @copy(%n: index, %in: memref<?x?xf64>, %out: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %in[%i, %j] : memref<?x?xf64>
      affine.store %0, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: tile_above_unrolled.mlir:6:3: warning: [gpu-tile] S0: not tiled: AST options below name loops by their depth
