// doitgen of PolyBench/C 4.2.1, a multi-resolution analysis kernel: every A[r][q] := A[r][q] * C4.
func.func @kernel_doitgen(%nr: index, %nq: index, %np: index, %A: memref<?x?x?xf64>,
                          %C4: memref<?x?xf64>, %sum: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %r = 0 to %nr {
    affine.for %q = 0 to %nq {
      affine.for %p = 0 to %np {
        affine.store %zero, %sum[%p] : memref<?xf64>
        affine.for %s = 0 to %np {
          %a = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c = affine.load %C4[%s, %p] : memref<?x?xf64>
          %product = arith.mulf %a, %c : f64
          %old = affine.load %sum[%p] : memref<?xf64>
          %new = arith.addf %old, %product : f64
          affine.store %new, %sum[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %np {
        %value = affine.load %sum[%p] : memref<?xf64>
        affine.store %value, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}
