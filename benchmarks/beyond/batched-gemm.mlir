// Products of many small matrices: C[b] = A[b] B[b].
func.func @kernel_batched_gemm(%nb: index, %ni: index, %nj: index, %nk: index,
                               %A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>,
                               %C: memref<?x?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %b = 0 to %nb {
    affine.for %i = 0 to %ni {
      affine.for %j = 0 to %nj {
        affine.store %zero, %C[%b, %i, %j] : memref<?x?x?xf64>
        affine.for %k = 0 to %nk {
          %C_b_i_j = affine.load %C[%b, %i, %j] : memref<?x?x?xf64>
          %A_b_i_k = affine.load %A[%b, %i, %k] : memref<?x?x?xf64>
          %B_b_k_j = affine.load %B[%b, %k, %j] : memref<?x?x?xf64>
          %product = arith.mulf %A_b_i_k, %B_b_k_j : f64
          %sum = arith.addf %C_b_i_j, %product : f64
          affine.store %sum, %C[%b, %i, %j] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
