// Matrix products with the loops in every order: of transposed operands, with a symmetric
// operand S of which only the lower triangle is read, and with a symmetric result C6 of which
// only that is computed.
#same = affine_map<(d0) -> (d0)>

func.func @kernel_products(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>,
                           %S: memref<?x?xf64>, %C1: memref<?x?xf64>, %C2: memref<?x?xf64>,
                           %C3: memref<?x?xf64>, %C4: memref<?x?xf64>, %C5: memref<?x?xf64>,
                           %C6: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %C1_i_j = affine.load %C1[%i, %j] : memref<?x?xf64>
        %A_k_i = affine.load %A[%k, %i] : memref<?x?xf64>
        %B_k_j = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %A_k_i, %B_k_j : f64
        %sum = arith.addf %C1_i_j, %product : f64
        affine.store %sum, %C1[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      affine.for %j = 0 to %n {
        %C2_i_j = affine.load %C2[%i, %j] : memref<?x?xf64>
        %A_i_k = affine.load %A[%i, %k] : memref<?x?xf64>
        %B_j_k = affine.load %B[%j, %k] : memref<?x?xf64>
        %product = arith.mulf %A_i_k, %B_j_k : f64
        %sum = arith.addf %C2_i_j, %product : f64
        affine.store %sum, %C2[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        %C3_i_j = affine.load %C3[%i, %j] : memref<?x?xf64>
        %A_k_i = affine.load %A[%k, %i] : memref<?x?xf64>
        %B_j_k = affine.load %B[%j, %k] : memref<?x?xf64>
        %product = arith.mulf %A_k_i, %B_j_k : f64
        %sum = arith.addf %C3_i_j, %product : f64
        affine.store %sum, %C3[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %j = 0 to %n {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        %C4_i_j = affine.load %C4[%i, %j] : memref<?x?xf64>
        %A_i_k = affine.load %A[%i, %k] : memref<?x?xf64>
        %B_k_j = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %A_i_k, %B_k_j : f64
        %sum = arith.addf %C4_i_j, %product : f64
        affine.store %sum, %C4[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %k = 0 to %n {
    affine.for %i = 0 to #same(%k) {
      affine.for %j = 0 to %n {
        %C5_i_j = affine.load %C5[%i, %j] : memref<?x?xf64>
        %S_k_i = affine.load %S[%k, %i] : memref<?x?xf64>
        %B_k_j = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %S_k_i, %B_k_j : f64
        %sum = arith.addf %C5_i_j, %product : f64
        affine.store %sum, %C5[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = #same(%k) to %n {
      affine.for %j = 0 to %n {
        %C5_i_j = affine.load %C5[%i, %j] : memref<?x?xf64>
        %S_i_k = affine.load %S[%i, %k] : memref<?x?xf64>
        %B_k_j = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %S_i_k, %B_k_j : f64
        %sum = arith.addf %C5_i_j, %product : f64
        affine.store %sum, %C5[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %k = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %i = #same(%j) to %n {
        %C6_i_j = affine.load %C6[%i, %j] : memref<?x?xf64>
        %A_i_k = affine.load %A[%i, %k] : memref<?x?xf64>
        %A_j_k = affine.load %A[%j, %k] : memref<?x?xf64>
        %product = arith.mulf %A_i_k, %A_j_k : f64
        %sum = arith.addf %C6_i_j, %product : f64
        affine.store %sum, %C6[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
