// RUN: polyir-opt --poly-raise --distribute-memory="reassociate=true" --split-input-file --verify-diagnostics --emit=none %s

// The partial sums are stored, too: each rank would need the sum of all before it.
func.func @scan(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %s: memref<f64>) {
  // expected-error@+1 {{no loop of its schedule is parallel, so that one rank would run all}}
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %old = affine.load %s[] : memref<f64>
    %new = arith.addf %old, %a : f64
    affine.store %new, %s[] : memref<f64>
    %now = affine.load %s[] : memref<f64>
    affine.store %now, %B[%i] : memref<?xf64>
  }
  return
}

// -----

// Partial results have a box around them, whose begin is one expression.
func.func @begin(%n: index, %p: index, %q: index, %A: memref<?x?xf64>, %s: memref<?xf64>) {
  // expected-error@+1 {{so that one rank would run all; loop 1 around S0 is not divided: the results in s have no box: dimension 1 has no affine lower bound}}
  affine.for %i = 0 to %n {
    affine.for %j = max affine_map<()[s0, s1] -> (s0, s1)>()[%p, %q] to 100 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %old = affine.load %s[%j] : memref<?xf64>
      %new = arith.addf %old, %a : f64
      affine.store %new, %s[%j] : memref<?xf64>
    }
  }
  return
}
