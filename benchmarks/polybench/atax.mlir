// atax of PolyBench/C 4.2.1: y := transpose(A) * (A * x).
func.func @kernel_atax(%m: index, %n: index, %A: memref<?x?xf64>, %x: memref<?xf64>,
                       %y: memref<?xf64>, %tmp: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %zero, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.store %zero, %tmp[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %t = affine.load %tmp[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %a, %xj : f64
      %sum = arith.addf %t, %product : f64
      affine.store %sum, %tmp[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %yj = affine.load %y[%j] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = affine.load %tmp[%i] : memref<?xf64>
      %product = arith.mulf %a, %t : f64
      %sum = arith.addf %yj, %product : f64
      affine.store %sum, %y[%j] : memref<?xf64>
    }
  }
  return
}
