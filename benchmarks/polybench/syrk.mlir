// syrk of PolyBench/C 4.2.1, symmetric rank-k update of the lower triangle:
// C := alpha * A * transpose(A) + beta * C.
#after = affine_map<(d0) -> (d0 + 1)>

func.func @kernel_syrk(%n: index, %m: index, %alpha: f64, %beta: f64, %C: memref<?x?xf64>,
                       %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #after(%i) {
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %c, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to #after(%i) {
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %ajk = affine.load %A[%j, %k] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %alpha_a = arith.mulf %alpha, %aik : f64
        %product = arith.mulf %alpha_a, %ajk : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
