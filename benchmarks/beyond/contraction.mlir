// A contraction of two tensors of 4 indices each over 2 of them: C[i, j, k, l] is the sum of
// A[i, m, j, n] B[n, k, m, l] over m and n.
func.func @kernel_contraction(%ni: index, %nj: index, %nk: index, %nl: index, %nm: index,
                              %nn: index, %A: memref<?x?x?x?xf64>, %B: memref<?x?x?x?xf64>,
                              %C: memref<?x?x?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.for %k = 0 to %nk {
        affine.for %l = 0 to %nl {
          affine.store %zero, %C[%i, %j, %k, %l] : memref<?x?x?x?xf64>
          affine.for %m = 0 to %nm {
            affine.for %n = 0 to %nn {
              %C_i_j_k_l = affine.load %C[%i, %j, %k, %l] : memref<?x?x?x?xf64>
              %A_i_m_j_n = affine.load %A[%i, %m, %j, %n] : memref<?x?x?x?xf64>
              %B_n_k_m_l = affine.load %B[%n, %k, %m, %l] : memref<?x?x?x?xf64>
              %product = arith.mulf %A_i_m_j_n, %B_n_k_m_l : f64
              %sum = arith.addf %C_i_j_k_l, %product : f64
              affine.store %sum, %C[%i, %j, %k, %l] : memref<?x?x?x?xf64>
            }
          }
        }
      }
    }
  }
  return
}
