// The rank that writes an element changes from phase to phase; some values are overwritten unread.
func.func @changing_owners(%A: memref<?xf64>, %B: memref<?xf64>, %C: memref<1xf64>, %n: index, %m: index) {
  affine.for %t = 0 to %m {
    affine.for %i = 0 to %n {
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
    }
    affine.for %i = 0 to %n {
      %b = affine.load %B[%n - %i - 1] : memref<?xf64>
      %s = arith.addf %b, %b : f64
      affine.store %s, %A[%n - %i - 1] : memref<?xf64>
    }
    %c = affine.load %C[0] : memref<1xf64>
    %a0 = affine.load %A[%n floordiv 2] : memref<?xf64>
    %d = arith.addf %c, %a0 : f64
    affine.store %d, %C[0] : memref<1xf64>
    affine.store %d, %A[%n floordiv 3] : memref<?xf64>
    affine.for %i = 0 to %n {
      %a = affine.load %A[%n - %i - 1] : memref<?xf64>
      %e = affine.load %C[0] : memref<1xf64>
      %s = arith.mulf %a, %e : f64
      affine.store %s, %B[%i] : memref<?xf64>
    }
  }
  return
}
