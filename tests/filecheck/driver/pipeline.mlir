// Passes run in the order of their flags; xDSL's own passes are flags too.
// RUN: polyir-opt --poly-raise --canonicalize --emit=poly %s | filecheck %s --check-prefix POLY
// RUN: polyir-opt --pluto-schedule --print-between-passes --mark-parallel %s | filecheck %s --check-prefix BETWEEN
// RUN: polyir-opt --pluto-schedule --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt < %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --help | filecheck %s --check-prefix HELP
// RUN: polyir-opt --help-all | filecheck %s --check-prefix ALL

// POLY: poly.scop
// POLY-NOT: affine.for
// BETWEEN: IR after pluto-schedule
// BETWEEN: poly.band
// REMARK: pipeline.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: [pluto-schedule]
// LOOPS-NOT: poly.
// LOOPS: affine.for
// HELP: -p PASS,...
// HELP: schedulers:
// HELP: --pluto-schedule Find permutable bands
// HELP-NOT: sizes: a list of integers = 32
// HELP-NOT: canonicalize
// HELP: lowering to LLVM:
// HELP-NOT: canonicalize
// ALL: --tile
// ALL: sizes: a list of integers = 32
// ALL: passes of xDSL
// ALL: canonicalize
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
