// Some writes are under a condition on data: an element keeps the value that another rank computed.
func.func @conditional_writes(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0.5 : f64
  affine.for %t = 0 to %m {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %c = arith.cmpf olt, %a, %zero : f64
      scf.if %c {
        %s = arith.addf %a, %zero : f64
        affine.store %s, %B[%n - %i] : memref<?xf64>
      }
    }
    affine.for %i = 1 to %n {
      %b = affine.load %B[%i - 1] : memref<?xf64>
      %c = arith.cmpf olt, %b, %zero : f64
      scf.if %c {
        %s = arith.mulf %b, %zero : f64
        affine.store %s, %A[%i] : memref<?xf64>
      }
    }
  }
  return
}
