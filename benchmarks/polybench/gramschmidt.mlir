// gramschmidt of PolyBench/C 4.2.1, QR factorisation by the modified Gram-Schmidt process:
// A = Q * R, with A overwritten.
#after = affine_map<(d0) -> (d0 + 1)>

func.func @kernel_gramschmidt(%m: index, %n: index, %A: memref<?x?xf64>, %R: memref<?x?xf64>,
                              %Q: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %k = 0 to %n {
    %nrm = affine.for %i = 0 to %m iter_args(%partial = %zero) -> (f64) {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %square = arith.mulf %a, %a : f64
      %sum = arith.addf %partial, %square : f64
      affine.yield %sum : f64
    }
    %root = math.sqrt %nrm : f64
    affine.store %root, %R[%k, %k] : memref<?x?xf64>
    affine.for %i = 0 to %m {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %length = affine.load %R[%k, %k] : memref<?x?xf64>
      %unit = arith.divf %a, %length : f64
      affine.store %unit, %Q[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = #after(%k) to %n {
      affine.store %zero, %R[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %m {
        %old = affine.load %R[%k, %j] : memref<?x?xf64>
        %q = affine.load %Q[%i, %k] : memref<?x?xf64>
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %q, %a : f64
        %new = arith.addf %old, %product : f64
        affine.store %new, %R[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %m {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %q = affine.load %Q[%i, %k] : memref<?x?xf64>
        %r = affine.load %R[%k, %j] : memref<?x?xf64>
        %projection = arith.mulf %q, %r : f64
        %difference = arith.subf %a, %projection : f64
        affine.store %difference, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
