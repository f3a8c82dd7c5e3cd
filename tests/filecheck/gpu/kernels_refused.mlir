// RUN: not polyir-opt --pluto-schedule --promote="arrays=A loop=S0.0 space=heap" --map-to-gpu %s 2>&1 | filecheck %s
// RUN: not polyir-opt --pluto-schedule --gpu-tile="tile=8 parallel=4" %s 2>&1 | filecheck %s --check-prefix PARALLEL
// PARALLEL: error: {{.*}}parallel must be 1, 2 or 3: parallel=4

// A kernel cannot allocate memory on the heap.

func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %0 = affine.load %A[%j] : memref<?xf64>
      %1 = affine.load %B[%i] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: kernels_refused.mlir:8:3: error: the local array @A_local is memory on the heap, which a kernel does not have
