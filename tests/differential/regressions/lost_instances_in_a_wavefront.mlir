// lower: isl loses instances of a strided loop inside a tile and a wavefront
// pipeline: tile{sizes=5 levels=1 min-width=1 ratio=8},wavefront{degrees=1}
// run: 9 21 [9x21] []
// run: 14 11 [14x11] []
// run: 0 1 [0x1] []
func.func @program(%n: index, %m: index, %A: memref<?x?xf64>, %x: memref<f64>) {
  affine.for %i = 2 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %m step 2 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[] : memref<f64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%i, %j] : memref<?x?xf64>
      affine.store %c, %x[] : memref<f64>
    }
  }
  return
}
