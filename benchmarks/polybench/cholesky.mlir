// cholesky of PolyBench/C 4.2.1, in-place Cholesky factorisation of a positive-definite matrix: the
// lower triangle of A becomes L with A = L * transpose(L).
func.func @kernel_cholesky(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %aij = affine.load %A[%i, %j] : memref<?x?xf64>
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %ajk = affine.load %A[%j, %k] : memref<?x?xf64>
        %product = arith.mulf %aik, %ajk : f64
        %difference = arith.subf %aij, %product : f64
        affine.store %difference, %A[%i, %j] : memref<?x?xf64>
      }
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %pivot = affine.load %A[%j, %j] : memref<?x?xf64>
      %quotient = arith.divf %a, %pivot : f64
      affine.store %quotient, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %aii = affine.load %A[%i, %i] : memref<?x?xf64>
      %aik = affine.load %A[%i, %k] : memref<?x?xf64>
      %square = arith.mulf %aik, %aik : f64
      %difference = arith.subf %aii, %square : f64
      affine.store %difference, %A[%i, %i] : memref<?x?xf64>
    }
    %diagonal = affine.load %A[%i, %i] : memref<?x?xf64>
    %root = math.sqrt %diagonal : f64
    affine.store %root, %A[%i, %i] : memref<?x?xf64>
  }
  return
}
