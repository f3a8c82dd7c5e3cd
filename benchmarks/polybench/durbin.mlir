// durbin of PolyBench/C 4.2.1, the Levinson-Durbin recursion: y solves the Yule-Walker equations
// of the Toeplitz matrix with diagonal 1 and off-diagonals r.
func.func @kernel_durbin(%n: index, %r: memref<?xf64>, %y: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %z = memref.alloc(%n) : memref<?xf64>
  %alpha = memref.alloca() : memref<f64>
  %beta = memref.alloca() : memref<f64>

  %r0 = affine.load %r[0] : memref<?xf64>
  %minus_r0 = arith.negf %r0 : f64
  affine.store %minus_r0, %y[0] : memref<?xf64>
  affine.store %one, %beta[] : memref<f64>
  affine.store %minus_r0, %alpha[] : memref<f64>

  affine.for %k = 1 to %n {
    %alpha0 = affine.load %alpha[] : memref<f64>
    %beta0 = affine.load %beta[] : memref<f64>
    %square = arith.mulf %alpha0, %alpha0 : f64
    %complement = arith.subf %one, %square : f64
    %new_beta = arith.mulf %complement, %beta0 : f64
    affine.store %new_beta, %beta[] : memref<f64>

    %sum = affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) iter_args(%partial = %zero) -> (f64) {
      %ri = affine.load %r[%k - %i - 1] : memref<?xf64>
      %yi = affine.load %y[%i] : memref<?xf64>
      %product = arith.mulf %ri, %yi : f64
      %next = arith.addf %partial, %product : f64
      affine.yield %next : f64
    }

    %rk = affine.load %r[%k] : memref<?xf64>
    %beta1 = affine.load %beta[] : memref<f64>
    %total = arith.addf %rk, %sum : f64
    %minus_total = arith.negf %total : f64
    %new_alpha = arith.divf %minus_total, %beta1 : f64
    affine.store %new_alpha, %alpha[] : memref<f64>

    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %yi = affine.load %y[%i] : memref<?xf64>
      %alpha1 = affine.load %alpha[] : memref<f64>
      %mirrored = affine.load %y[%k - %i - 1] : memref<?xf64>
      %product = arith.mulf %alpha1, %mirrored : f64
      %zi = arith.addf %yi, %product : f64
      affine.store %zi, %z[%i] : memref<?xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %zi = affine.load %z[%i] : memref<?xf64>
      affine.store %zi, %y[%i] : memref<?xf64>
    }
    %alpha2 = affine.load %alpha[] : memref<f64>
    affine.store %alpha2, %y[%k] : memref<?xf64>
  }
  memref.dealloc %z : memref<?xf64>
  return
}
