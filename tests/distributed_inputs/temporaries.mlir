// Memory of the function has no first values, and nobody gathers it; ranks exchange parts of it.
func.func @temporaries(%A: memref<?x?xf64>, %n: index, %m: index) {
  %T = memref.alloc(%n, %n) : memref<?x?xf64>
  %s = memref.alloca() : memref<f64>
  affine.for %t = 0 to %m {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %c = arith.addf %a, %b : f64
        affine.store %c, %T[%j, %i] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %c = affine.load %T[%i, %j] : memref<?x?xf64>
        affine.store %c, %s[] : memref<f64>
        %d = affine.load %s[] : memref<f64>
        %e = arith.mulf %d, %d : f64
        affine.store %e, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  memref.dealloc %T : memref<?x?xf64>
  return
}
