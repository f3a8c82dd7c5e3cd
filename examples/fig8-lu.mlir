// Pluto paper, figure 8: LU decomposition. The division is one loop shallower than the update.
#after = affine_map<(d0) -> (d0 + 1)>

func.func @lu(%n: index, %a: memref<?x?xf64>) {
  affine.for %k = 0 to %n {
    affine.for %j = #after(%k) to %n {
      %akj = affine.load %a[%k, %j] : memref<?x?xf64>
      %pivot = affine.load %a[%k, %k] : memref<?x?xf64>
      %quotient = arith.divf %akj, %pivot : f64
      affine.store %quotient, %a[%k, %j] : memref<?x?xf64>
    }
    affine.for %i = #after(%k) to %n {
      affine.for %j = #after(%k) to %n {
        %aij = affine.load %a[%i, %j] : memref<?x?xf64>
        %aik = affine.load %a[%i, %k] : memref<?x?xf64>
        %akj = affine.load %a[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %aik, %akj : f64
        %difference = arith.subf %aij, %product : f64
        affine.store %difference, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
