// LU decomposition without pivoting in single precision, from the left column to the right: each
// step updates the rest of the matrix.
#after = affine_map<(d0) -> (d0 + 1)>

func.func @kernel_lu_float(%n: index, %A: memref<?x?xf32>) {
  affine.for %k = 0 to %n {
    affine.for %i = #after(%k) to %n {
      %A_i_k = affine.load %A[%i, %k] : memref<?x?xf32>
      %A_k_k = affine.load %A[%k, %k] : memref<?x?xf32>
      %quotient = arith.divf %A_i_k, %A_k_k : f32
      affine.store %quotient, %A[%i, %k] : memref<?x?xf32>
    }
    affine.for %i = #after(%k) to %n {
      affine.for %j = #after(%k) to %n {
        %A_i_j = affine.load %A[%i, %j] : memref<?x?xf32>
        %A_i_k = affine.load %A[%i, %k] : memref<?x?xf32>
        %A_k_j = affine.load %A[%k, %j] : memref<?x?xf32>
        %product = arith.mulf %A_i_k, %A_k_j : f32
        %difference = arith.subf %A_i_j, %product : f32
        affine.store %difference, %A[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
