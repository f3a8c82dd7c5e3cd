// 2mm of PolyBench/C 4.2.1, two matrix products: D := alpha * A * B * C + beta * D.
func.func @kernel_2mm(%ni: index, %nj: index, %nk: index, %nl: index, %alpha: f64, %beta: f64,
                      %tmp: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>,
                      %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.store %zero, %tmp[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %alpha_a = arith.mulf %alpha, %a : f64
        %product = arith.mulf %alpha_a, %b : f64
        %old = affine.load %tmp[%i, %j] : memref<?x?xf64>
        %new = arith.addf %old, %product : f64
        affine.store %new, %tmp[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %d = affine.load %D[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %d, %beta : f64
      affine.store %scaled, %D[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nj {
        %t = affine.load %tmp[%i, %k] : memref<?x?xf64>
        %c = affine.load %C[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %t, %c : f64
        %old = affine.load %D[%i, %j] : memref<?x?xf64>
        %new = arith.addf %old, %product : f64
        affine.store %new, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
