// Pluto paper, section 3.6: a chain of matrix-vector products, y = A x; z = B y; w = C z. Either
// neighbouring pair can be fused, not all three. The results start from what they hold.
func.func @matvec_chain(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                        %x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>,
                        %w: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %y[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %a, %xj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %y[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %z[%i] : memref<?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %yj = affine.load %y[%j] : memref<?xf64>
      %product = arith.mulf %b, %yj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %z[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %w[%i] : memref<?xf64>
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %zj = affine.load %z[%j] : memref<?xf64>
      %product = arith.mulf %c, %zj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %w[%i] : memref<?xf64>
    }
  }
  return
}
