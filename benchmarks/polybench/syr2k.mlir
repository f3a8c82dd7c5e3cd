// syr2k of PolyBench/C 4.2.1, symmetric rank-2k update of the lower triangle:
// C := alpha * A * transpose(B) + alpha * B * transpose(A) + beta * C.
func.func @kernel_syr2k(%n: index, %m: index, %alpha: f64, %beta: f64, %C: memref<?x?xf64>,
                        %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %c, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %ajk = affine.load %A[%j, %k] : memref<?x?xf64>
        %bik = affine.load %B[%i, %k] : memref<?x?xf64>
        %bjk = affine.load %B[%j, %k] : memref<?x?xf64>
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_alpha = arith.mulf %ajk, %alpha : f64
        %ab = arith.mulf %a_alpha, %bik : f64
        %b_alpha = arith.mulf %bjk, %alpha : f64
        %ba = arith.mulf %b_alpha, %aik : f64
        %update = arith.addf %ab, %ba : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %sum = arith.addf %c, %update : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
