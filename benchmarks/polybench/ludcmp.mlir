// ludcmp of PolyBench/C 4.2.1: solve A * x = b by LU factorisation in place, forward substitution
// into y, and back substitution, which runs from the last row to the first.
#reverse = affine_map<(d0)[s0] -> (s0 - 1 - d0)>

func.func @kernel_ludcmp(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>,
                         %y: memref<?xf64>) {
  %w = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %old = affine.load %w[] : memref<f64>
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %akj = affine.load %A[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %aik, %akj : f64
        %new = arith.subf %old, %product : f64
        affine.store %new, %w[] : memref<f64>
      }
      %reduced = affine.load %w[] : memref<f64>
      %pivot = affine.load %A[%j, %j] : memref<?x?xf64>
      %quotient = arith.divf %reduced, %pivot : f64
      affine.store %quotient, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %old = affine.load %w[] : memref<f64>
        %aik = affine.load %A[%i, %k] : memref<?x?xf64>
        %akj = affine.load %A[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %aik, %akj : f64
        %new = arith.subf %old, %product : f64
        affine.store %new, %w[] : memref<f64>
      }
      %reduced = affine.load %w[] : memref<f64>
      affine.store %reduced, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %bi = affine.load %b[%i] : memref<?xf64>
    affine.store %bi, %w[] : memref<f64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %old = affine.load %w[] : memref<f64>
      %aij = affine.load %A[%i, %j] : memref<?x?xf64>
      %yj = affine.load %y[%j] : memref<?xf64>
      %product = arith.mulf %aij, %yj : f64
      %new = arith.subf %old, %product : f64
      affine.store %new, %w[] : memref<f64>
    }
    %reduced = affine.load %w[] : memref<f64>
    affine.store %reduced, %y[%i] : memref<?xf64>
  }
  affine.for %step = 0 to %n {
    %i = affine.apply #reverse(%step)[%n]
    %yi = affine.load %y[%i] : memref<?xf64>
    affine.store %yi, %w[] : memref<f64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
      %old = affine.load %w[] : memref<f64>
      %aij = affine.load %A[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %aij, %xj : f64
      %new = arith.subf %old, %product : f64
      affine.store %new, %w[] : memref<f64>
    }
    %reduced = affine.load %w[] : memref<f64>
    %pivot = affine.load %A[%i, %i] : memref<?x?xf64>
    %quotient = arith.divf %reduced, %pivot : f64
    affine.store %quotient, %x[%i] : memref<?xf64>
  }
  return
}
