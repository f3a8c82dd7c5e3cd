// RUN: polyir-opt --pluto-schedule --distribute-memory="data=distributed" --split-input-file --verify-diagnostics --emit=none %s
// RUN: not polyir-opt --pluto-schedule --distribute-memory="data=distributed distribution=cyclic" --emit=none %s 2>&1 | filecheck %s --check-prefix=CYCLIC
// RUN: not polyir-simulate-ranks --pluto-schedule --distribute-memory="data=distributed" --ranks=2 %S/stencil.mlir 2>&1 | filecheck %s --check-prefix=SIMULATED

// CYCLIC: error: data=distributed needs distribution=block: with cyclic, what a rank has of an array is not a box
// SIMULATED: error: only data=first-rank is simulated

// The extent of a part is not that of the array.
func.func @extents(%A: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %extent = memref.dim %A, %zero : memref<?xf64>
  %c = arith.constant 1.0 : f64
  // expected-error@+1 {{the static control part is not distributed: it depends on an extent of the array '%A', of which no rank passes all (data=distributed)}}
  affine.for %i = 0 to %extent {
    affine.store %c, %A[%i] : memref<?xf64>
  }
  return
}

// -----

// The condition keeps the subscript inside of the array, whose extent no rank knows.
func.func @conditional(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  // expected-error@+1 {{it depends on an extent of the array '%B'}}
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %positive = arith.cmpf ogt, %a, %zero : f64
    scf.if %positive {
      affine.store %a, %B[%i] : memref<?xf64>
    }
  }
  return
}
