// trisolv of PolyBench/C 4.2.1: solve L * x = b for a lower triangular L.
func.func @kernel_trisolv(%n: index, %L: memref<?x?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %bi = affine.load %b[%i] : memref<?xf64>
    affine.store %bi, %x[%i] : memref<?xf64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %xi = affine.load %x[%i] : memref<?xf64>
      %lij = affine.load %L[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %lij, %xj : f64
      %difference = arith.subf %xi, %product : f64
      affine.store %difference, %x[%i] : memref<?xf64>
    }
    %reduced = affine.load %x[%i] : memref<?xf64>
    %pivot = affine.load %L[%i, %i] : memref<?x?xf64>
    %quotient = arith.divf %reduced, %pivot : f64
    affine.store %quotient, %x[%i] : memref<?xf64>
  }
  return
}
