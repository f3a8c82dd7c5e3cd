// The sum of each row, scaled. One scalar holds the sum of each row in turn.
func.func @row_sums(%m: index, %n: index, %A: memref<?x?xf64>, %out: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %sum = memref.alloca() : memref<f64>
  affine.for %i = 0 to %m {
    affine.store %zero, %sum[] : memref<f64>
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %old = affine.load %sum[] : memref<f64>
      %new = arith.addf %old, %a : f64
      affine.store %new, %sum[] : memref<f64>
    }
    %total = affine.load %sum[] : memref<f64>
    %scaled = arith.mulf %half, %total : f64
    affine.store %scaled, %out[%i] : memref<?xf64>
  }
  return
}
