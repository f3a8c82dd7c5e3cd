// The IR between passes and the times of passes go to standard error.
// RUN: polyir-opt --pluto-schedule --mark-parallel --print-ir-before=mark-parallel --emit=none %s 2>&1 | filecheck %s --check-prefix BEFORE
// RUN: polyir-opt --pluto-schedule --mark-parallel --mlir-print-ir-after=pluto-schedule --mlir-print-ir-after=tile --emit=none %s 2>&1 | filecheck %s --check-prefix AFTER
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-before-all --emit=none %s 2>&1 | filecheck %s --check-prefix BEFORE-ALL
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-after-all --emit=none %s 2>&1 | filecheck %s --check-prefix AFTER-ALL
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-after-change --emit=none %s 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: polyir-opt --poly-raise --poly-raise --mlir-print-ir-after-all --mlir-print-ir-after-change --emit=none %s 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-after=poly-raise --print-ir-after-change --emit=none %s 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: polyir-opt --poly-raise --poly-raise --print-ir-before=poly-raise,tile --emit=none %s 2>&1 | filecheck %s --check-prefix BEFORE-ALL
// RUN: not polyir-opt --poly-raise --reverse=S0.1 --mlir-print-ir-after-failure --emit=none %s 2>&1 | filecheck %s --check-prefix FAILURE
// RUN: polyir-opt --poly-raise --reverse=S0.0 --print-ir-after-failure --emit=none %s 2>&1 | filecheck %s --check-prefix SUCCESS --allow-empty
// RUN: not polyir-opt --print-ir-after=tlie %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --print-ir-before=poly-raise,tlie %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: polyir-opt --poly-raise --timing --print-ir-after-all %s 2>/dev/null | filecheck %s --check-prefix OUTPUT
// RUN: polyir-opt --poly-raise --timing --verify-each=false --emit=none %s 2>&1 | filecheck %s --check-prefix TIMING
// RUN: polyir-opt --pluto-schedule --split-loops --mlir-timing --emit=none %s 2>&1 | filecheck %s --check-prefix TREE
// RUN: polyir-opt --print-op-generic %s | filecheck %s --check-prefix GENERIC
// RUN: polyir-opt --mlir-print-op-generic --emit=poly %s | filecheck %s --check-prefix GENERIC
// RUN: polyir-opt --mlir-print-op-generic --emit=mlir %s | filecheck %s --check-prefix GENERIC
// RUN: polyir-opt --mlir-print-debuginfo %s | filecheck %s --check-prefix PLACES
// RUN: polyir-opt --print-debuginfo --emit=mlir %s | filecheck %s --check-prefix PLACES
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
// OUTPUT-NOT: Wall Time
// OUTPUT: affine.for
// FAILURE: IR Dump Before reverse, which failed
// FAILURE: poly.scop
// FAILURE: error: {{.*}}S0.1
// SUCCESS-NOT: IR Dump
// UNKNOWN: error: --print-ir-...: unknown pass 'tlie'; did you mean 'tile'?
// TIMING: ... Execution time report ...
// TIMING: Total Execution Time: {{[0-9.]+}} seconds
// TIMING: ----Wall Time----  ----Name----
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  parse
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  poly-raise
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  print
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  Rest
// TIMING-NEXT: {{[0-9.]+}} (100.0%)  Total
// TREE: %)  parse
// TREE-NEXT: %)  pluto-schedule
// TREE-NEXT: %)    poly-raise
// TREE-NEXT: %)    poly-dependences
// TREE-NEXT: %)  split-loops
// TREE-NEXT: %)    lower-poly
// GENERIC: "arith.addf"(%a, %a) <{fastmath
// PLACES: arith.addf %a, %a : f64 loc("{{.*}}instrumentation.mlir":[[#]]:{{[0-9]+}})
// TRUTH: error: argument --verify-each: expected true or false, not 'perhaps'
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
