// RUN: not polyir-opt --map-to-gpu --distribute-memory --emit=none %s 2>&1 | filecheck %s --check-prefix=LOCAL
// RUN: not polyir-opt --map-to-gpu --distribute-memory --emit=none %S/options.mlir 2>&1 | filecheck %s --check-prefix=KERNELS
// RUN: not polyir-opt --poly-raise --distribute-memory --emit=none %s 2>&1 | filecheck %s --check-prefix=PLAIN

// LOCAL: refused_trees.mlir:9:3: error: the static control part is not distributed: its schedule tree has the local array 'C_private'
// KERNELS: options.mlir:{{.*}}: error: the static control part is not distributed: its schedule tree has kernels for a GPU
// PLAIN: refused_trees.mlir:9:3: error: the static control part is not distributed: no loop of its schedule is parallel, so that one rank would run all
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
