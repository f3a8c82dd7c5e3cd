// gemver of PolyBench/C 4.2.1, two vector additions and two matrix-vector products:
// A += u1 * v1' + u2 * v2'; x += beta * transpose(A) * y + z; w += alpha * A * x.
func.func @kernel_gemver(%n: index, %alpha: f64, %beta: f64, %A: memref<?x?xf64>,
                         %u1: memref<?xf64>, %v1: memref<?xf64>, %u2: memref<?xf64>,
                         %v2: memref<?xf64>, %w: memref<?xf64>, %x: memref<?xf64>,
                         %y: memref<?xf64>, %z: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %u1i = affine.load %u1[%i] : memref<?xf64>
      %v1j = affine.load %v1[%j] : memref<?xf64>
      %u2i = affine.load %u2[%i] : memref<?xf64>
      %v2j = affine.load %v2[%j] : memref<?xf64>
      %first = arith.mulf %u1i, %v1j : f64
      %second = arith.mulf %u2i, %v2j : f64
      %partial = arith.addf %a, %first : f64
      %new = arith.addf %partial, %second : f64
      affine.store %new, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %xi = affine.load %x[%i] : memref<?xf64>
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %yj = affine.load %y[%j] : memref<?xf64>
      %beta_a = arith.mulf %beta, %a : f64
      %product = arith.mulf %beta_a, %yj : f64
      %sum = arith.addf %xi, %product : f64
      affine.store %sum, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %xi = affine.load %x[%i] : memref<?xf64>
    %zi = affine.load %z[%i] : memref<?xf64>
    %sum = arith.addf %xi, %zi : f64
    affine.store %sum, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %wi = affine.load %w[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %alpha_a = arith.mulf %alpha, %a : f64
      %product = arith.mulf %alpha_a, %xj : f64
      %sum = arith.addf %wi, %product : f64
      affine.store %sum, %w[%i] : memref<?xf64>
    }
  }
  return
}
