// lu of PolyBench/C 4.2.1, in-place LU factorisation without pivoting.
func.func @kernel_lu(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %aij = affine.load %A[%i, %j] : memref<?x?xf64>
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %akj = affine.load %A[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %aik, %akj : f64
        %difference = arith.subf %aij, %product : f64
        affine.store %difference, %A[%i, %j] : memref<?x?xf64>
      }
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %pivot = affine.load %A[%j, %j] : memref<?x?xf64>
      %quotient = arith.divf %a, %pivot : f64
      affine.store %quotient, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %aij = affine.load %A[%i, %j] : memref<?x?xf64>
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %akj = affine.load %A[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %aik, %akj : f64
        %difference = arith.subf %aij, %product : f64
        affine.store %difference, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
