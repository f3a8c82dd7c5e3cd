// The IR between passes and the times of passes go to standard error.
// RUN: polyir-opt --pluto-schedule --mark-parallel --print-ir-before=mark-parallel --emit=none %s 2>&1 | filecheck %s --check-prefix BEFORE
// RUN: polyir-opt --pluto-schedule --mark-parallel --mlir-print-ir-after=pluto-schedule,tile --emit=none %s 2>&1 | filecheck %s --check-prefix AFTER
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-before-all --emit=none %s 2>&1 | filecheck %s --check-prefix BEFORE-ALL
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-after-all --emit=none %s 2>&1 | filecheck %s --check-prefix AFTER-ALL
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-after-change --emit=none %s 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: polyir-opt --poly-raise --timing --print-ir-after-all %s 2>/dev/null | filecheck %s --check-prefix OUTPUT
// RUN: polyir-opt --poly-raise --timing --verify-each=false --emit=none %s 2>&1 | filecheck %s --check-prefix TIMING
// RUN: not polyir-opt --verify-each=perhaps %s 2>&1 | filecheck %s --check-prefix TRUTH

// BEFORE: // -----// IR Dump Before mark-parallel //----- //
// BEFORE: poly.band {{.*}} coincident [true]{{$}}
// BEFORE-NOT: IR Dump
// AFTER: // -----// IR Dump After pluto-schedule //----- //
// AFTER: poly.band
// AFTER-NOT: IR Dump
// BEFORE-ALL: IR Dump Before poly-raise
// BEFORE-ALL: affine.for
// BEFORE-ALL: IR Dump Before poly-raise
// BEFORE-ALL: poly.scop
// AFTER-ALL: IR Dump After poly-raise
// AFTER-ALL: poly.scop
// AFTER-ALL: IR Dump After poly-raise
// AFTER-ALL: poly.scop
// CHANGE: IR Dump After poly-raise
// CHANGE: poly.scop
// CHANGE-NOT: IR Dump
// OUTPUT-NOT: IR Dump
// OUTPUT-NOT: seconds
// OUTPUT: affine.for
// TIMING: seconds share step
// TIMING: parse
// TIMING: poly-raise
// TIMING: 100.0% total
// TRUTH: error: argument --verify-each: expected true or false, not 'perhaps'
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
