// symm of PolyBench/C 4.2.1, product with a symmetric matrix of which the lower triangle is stored:
// C := alpha * A * B + beta * C.
func.func @kernel_symm(%m: index, %n: index, %alpha: f64, %beta: f64, %C: memref<?x?xf64>,
                       %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %temp2 = memref.alloca() : memref<f64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.store %zero, %temp2[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %ckj = affine.load %C[%k, %j] : memref<?x?xf64>
        %bij = affine.load %B[%i, %j] : memref<?x?xf64>
        %aik0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %alpha_b = arith.mulf %alpha, %bij : f64
        %update = arith.mulf %alpha_b, %aik0 : f64
        %new_c = arith.addf %ckj, %update : f64
        affine.store %new_c, %C[%k, %j] : memref<?x?xf64>

        %t = affine.load %temp2[] : memref<f64>
        %bkj = affine.load %B[%k, %j] : memref<?x?xf64>
        %aik1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %product = arith.mulf %bkj, %aik1 : f64
        %new_t = arith.addf %t, %product : f64
        affine.store %new_t, %temp2[] : memref<f64>
      }
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %a = affine.load %A[%i, %i] : memref<?x?xf64>
      %sum = affine.load %temp2[] : memref<f64>
      %beta_c = arith.mulf %beta, %c : f64
      %alpha_bij = arith.mulf %alpha, %b : f64
      %diagonal = arith.mulf %alpha_bij, %a : f64
      %partial = arith.addf %beta_c, %diagonal : f64
      %alpha_sum = arith.mulf %alpha, %sum : f64
      %result = arith.addf %partial, %alpha_sum : f64
      affine.store %result, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
