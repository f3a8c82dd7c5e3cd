// intra-tile-order put a sequential loop first in the band under a mark "parallel"
// pipeline: mark-parallel{which=all},intra-tile-order{distribute=true}
// run: 4 7 [4x4] [2x3] []
func.func @program(%n: index, %m: index, %A0: memref<?x?xi64>, %A1: memref<?x?xi64>, %A2: memref<i64>) {
  affine.parallel (%i3) = (0) to (3) step (1) {
  affine.for %i4 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 {
  %v0 = affine.load %A2[] : memref<i64>
  %v1 = affine.load %A1[1, %i3] : memref<?x?xi64>
  %v2 = affine.load %A0[%i4, %i4] : memref<?x?xi64>
  %v3 = arith.maxui %v1, %v2 : i64
  %v4 = arith.muli %v0, %v3 : i64
  affine.store %v4, %A1[1, %i3] : memref<?x?xi64>
  }
  }
  return
}
