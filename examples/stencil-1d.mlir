// A one-dimensional stencil in time and space, in place. It carries (0,1), (1,0) and (1,-1):
// the loops can be tiled only after a skew.
func.func @stencil(%steps: index, %n: index, %A: memref<?xf64>) {
  %third = arith.constant 0.33 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %centre = affine.load %A[%i] : memref<?xf64>
      %right = affine.load %A[%i + 1] : memref<?xf64>
      %s0 = arith.addf %left, %centre : f64
      %s1 = arith.addf %s0, %right : f64
      %average = arith.mulf %third, %s1 : f64
      affine.store %average, %A[%i] : memref<?xf64>
    }
  }
  return
}
