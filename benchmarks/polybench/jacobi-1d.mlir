// jacobi-1d of PolyBench/C 4.2.1: a three-point stencil in one dimension, A and B in turn.
#inner = affine_map<()[s0] -> (s0 - 1)>

func.func @kernel_jacobi_1d(%tsteps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %third = arith.constant 0.33333 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #inner()[%n] {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %centre = affine.load %A[%i] : memref<?xf64>
      %right = affine.load %A[%i + 1] : memref<?xf64>
      %s0 = arith.addf %left, %centre : f64
      %s1 = arith.addf %s0, %right : f64
      %average = arith.mulf %third, %s1 : f64
      affine.store %average, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to #inner()[%n] {
      %left = affine.load %B[%i - 1] : memref<?xf64>
      %centre = affine.load %B[%i] : memref<?xf64>
      %right = affine.load %B[%i + 1] : memref<?xf64>
      %s0 = arith.addf %left, %centre : f64
      %s1 = arith.addf %s0, %right : f64
      %average = arith.mulf %third, %s1 : f64
      affine.store %average, %A[%i] : memref<?xf64>
    }
  }
  return
}
