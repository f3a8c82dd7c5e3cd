// Pluto paper, figure 9: a chain of two matrix products, C += A * B; D += E * C. After fusion each
// element of C is consumed right after it is made.
func.func @matmul_chain(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                        %D: memref<?x?xf64>, %E: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %d = affine.load %D[%i, %j] : memref<?x?xf64>
        %e = affine.load %E[%i, %k] : memref<?x?xf64>
        %c = affine.load %C[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %e, %c : f64
        %sum = arith.addf %d, %product : f64
        affine.store %sum, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
