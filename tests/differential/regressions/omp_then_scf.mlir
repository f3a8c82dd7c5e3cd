// OpenMP, then a loop that shares its bound
// pipeline: pluto-schedule{fuse=none},mark-parallel{which=all},lower-poly,convert-parallel-to-omp,convert-affine-to-scf
// run: 5 3 [3x6] []
// run: 7 3 [3x6] []
// run: 0 0 [1x1] []
func.func @program(%n: index, %m: index, %A0: memref<?x?xf64>, %A1: memref<f64>) {
  %v0 = affine.load %A1[] : memref<f64>
  %v1 = affine.load %A1[] : memref<f64>
  %v2 = arith.maximumf %v0, %v1 : f64
  %x0_last = affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 iter_args(%x0 = %v2) -> (f64) {
  affine.if affine_set<(d0)[] : (d0 >= 0, d0 >= 0)>(%i0)[] {
  %v3 = arith.constant -2.5 : f64
  %v4 = arith.mulf %v3, %x0 : f64
  %v5 = arith.constant 1.5 : f64
  %v6 = arith.addf %v5, %x0 : f64
  %v7 = arith.addf %v4, %v6 : f64
  affine.store %v7, %A1[] : memref<f64>
  affine.if affine_set<()[s0] : (s0 + 1 >= 0)>()[%n] {
  %v8 = affine.load %A0[%i0, %i0 + -1] : memref<?x?xf64>
  affine.store %v8, %A0[%i0, %i0 * 3 + -1] : memref<?x?xf64>
  }
  }
  %v9 = arith.addf %x0, %x0 : f64
  %v10 = arith.addf %x0, %v9 : f64
  affine.yield %v10 : f64
  }
  affine.store %x0_last, %A1[] : memref<f64>
  return
}
