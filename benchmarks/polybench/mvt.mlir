// mvt of PolyBench/C 4.2.1, two matrix-vector products: x1 += A * y_1; x2 += transpose(A) * y_2.
func.func @kernel_mvt(%n: index, %x1: memref<?xf64>, %x2: memref<?xf64>, %y_1: memref<?xf64>,
                      %y_2: memref<?xf64>, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %x1[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %y = affine.load %y_1[%j] : memref<?xf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x1[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %x2[%i] : memref<?xf64>
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %y = affine.load %y_2[%j] : memref<?xf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x2[%i] : memref<?xf64>
    }
  }
  return
}
