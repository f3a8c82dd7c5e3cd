// jacobi-2d of PolyBench/C 4.2.1: a five-point stencil in two dimensions, A and B in turn.
#inner = affine_map<()[s0] -> (s0 - 1)>

func.func @kernel_jacobi_2d(%tsteps: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %fifth = arith.constant 0.2 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #inner()[%n] {
      affine.for %j = 1 to #inner()[%n] {
        %centre = affine.load %A[%i, %j] : memref<?x?xf64>
        %west = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %east = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %south = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %north = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %s0 = arith.addf %centre, %west : f64
        %s1 = arith.addf %s0, %east : f64
        %s2 = arith.addf %s1, %south : f64
        %s3 = arith.addf %s2, %north : f64
        %average = arith.mulf %fifth, %s3 : f64
        affine.store %average, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to #inner()[%n] {
      affine.for %j = 1 to #inner()[%n] {
        %centre = affine.load %B[%i, %j] : memref<?x?xf64>
        %west = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %east = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %south = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %north = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %s0 = arith.addf %centre, %west : f64
        %s1 = arith.addf %s0, %east : f64
        %s2 = arith.addf %s1, %south : f64
        %s3 = arith.addf %s2, %north : f64
        %average = arith.mulf %fifth, %s3 : f64
        affine.store %average, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
