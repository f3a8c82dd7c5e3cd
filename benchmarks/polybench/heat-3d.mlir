// heat-3d of PolyBench/C 4.2.1: the heat equation in three dimensions, A and B in turn.
#inner = affine_map<()[s0] -> (s0 - 1)>

func.func @kernel_heat_3d(%tsteps: index, %n: index, %A: memref<?x?x?xf64>,
                          %B: memref<?x?x?xf64>) {
  %eighth = arith.constant 0.125 : f64
  %two = arith.constant 2.0 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #inner()[%n] {
      affine.for %j = 1 to #inner()[%n] {
        affine.for %k = 1 to #inner()[%n] {
          %centre = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %twice = arith.mulf %two, %centre : f64
          %i_after = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %i_before = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %i_s0 = arith.subf %i_after, %twice : f64
          %i_s1 = arith.addf %i_s0, %i_before : f64
          %i_flow = arith.mulf %eighth, %i_s1 : f64
          %j_after = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %j_before = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %j_s0 = arith.subf %j_after, %twice : f64
          %j_s1 = arith.addf %j_s0, %j_before : f64
          %j_flow = arith.mulf %eighth, %j_s1 : f64
          %k_after = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %k_before = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %k_s0 = arith.subf %k_after, %twice : f64
          %k_s1 = arith.addf %k_s0, %k_before : f64
          %k_flow = arith.mulf %eighth, %k_s1 : f64
          %ij_flow = arith.addf %i_flow, %j_flow : f64
          %flow = arith.addf %ij_flow, %k_flow : f64
          %new = arith.addf %flow, %centre : f64
          affine.store %new, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to #inner()[%n] {
      affine.for %j = 1 to #inner()[%n] {
        affine.for %k = 1 to #inner()[%n] {
          %centre = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %twice = arith.mulf %two, %centre : f64
          %i_after = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %i_before = affine.load %B[%i - 1, %j, %k] : memref<?x?x?xf64>
          %i_s0 = arith.subf %i_after, %twice : f64
          %i_s1 = arith.addf %i_s0, %i_before : f64
          %i_flow = arith.mulf %eighth, %i_s1 : f64
          %j_after = affine.load %B[%i, %j + 1, %k] : memref<?x?x?xf64>
          %j_before = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %j_s0 = arith.subf %j_after, %twice : f64
          %j_s1 = arith.addf %j_s0, %j_before : f64
          %j_flow = arith.mulf %eighth, %j_s1 : f64
          %k_after = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %k_before = affine.load %B[%i, %j, %k - 1] : memref<?x?x?xf64>
          %k_s0 = arith.subf %k_after, %twice : f64
          %k_s1 = arith.addf %k_s0, %k_before : f64
          %k_flow = arith.mulf %eighth, %k_s1 : f64
          %ij_flow = arith.addf %i_flow, %j_flow : f64
          %flow = arith.addf %ij_flow, %k_flow : f64
          %new = arith.addf %flow, %centre : f64
          affine.store %new, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
