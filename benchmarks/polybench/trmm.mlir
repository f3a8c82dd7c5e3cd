// trmm of PolyBench/C 4.2.1, in-place product with the transpose of a unit lower triangular matrix:
// B := alpha * transpose(A) * B.
func.func @kernel_trmm(%m: index, %n: index, %alpha: f64, %A: memref<?x?xf64>,
                       %B: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
        %a = affine.load %A[%k, %i] : memref<?x?xf64>
        %bkj = affine.load %B[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %a, %bkj : f64
        %bij = affine.load %B[%i, %j] : memref<?x?xf64>
        %sum = arith.addf %bij, %product : f64
        affine.store %sum, %B[%i, %j] : memref<?x?xf64>
      }
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %alpha, %b : f64
      affine.store %scaled, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
