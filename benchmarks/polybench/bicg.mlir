// bicg of PolyBench/C 4.2.1, the kernel of the BiCGStab solver: s := transpose(A) * r; q := A * p.
func.func @kernel_bicg(%m: index, %n: index, %A: memref<?x?xf64>, %s: memref<?xf64>,
                       %q: memref<?xf64>, %p: memref<?xf64>, %r: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    affine.store %zero, %s[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %zero, %q[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      %sj = affine.load %s[%j] : memref<?xf64>
      %ri = affine.load %r[%i] : memref<?xf64>
      %a0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %ra = arith.mulf %ri, %a0 : f64
      %new_s = arith.addf %sj, %ra : f64
      affine.store %new_s, %s[%j] : memref<?xf64>

      %qi = affine.load %q[%i] : memref<?xf64>
      %a1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %pj = affine.load %p[%j] : memref<?xf64>
      %ap = arith.mulf %a1, %pj : f64
      %new_q = arith.addf %qi, %ap : f64
      affine.store %new_q, %q[%i] : memref<?xf64>
    }
  }
  return
}
