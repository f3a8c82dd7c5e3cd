// Pluto paper, figure 3: two matrix-vector products, x += a * y; y += a * x. The paper fuses the
// i loop of the first with the j loop of the second. With one y that is wrong: the second product
// would write y[i] while later rows of the first still read it. So polyir fuses nothing here; it
// does if the second product has a vector of its own (tests/filecheck/pluto/fig3_matvec_pair.mlir).
func.func @matvec_pair(%n: index, %a: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %x[%i] : memref<?xf64>
      %aij = affine.load %a[%i, %j] : memref<?x?xf64>
      %yj = affine.load %y[%j] : memref<?xf64>
      %product = arith.mulf %aij, %yj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %y[%i] : memref<?xf64>
      %aij = affine.load %a[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %aij, %xj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %y[%i] : memref<?xf64>
    }
  }
  return
}
