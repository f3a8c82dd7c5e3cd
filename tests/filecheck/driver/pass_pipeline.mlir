// Pipelines as mlir-opt has them, in all three tools.
// RUN: polyir-opt --pass-pipeline='builtin.module(func.func(pluto-schedule,tile{sizes=8 min-width=1}),mark-parallel)' %s | filecheck %s
// RUN: polyir-opt -pass-pipeline='builtin.module()' %s | filecheck %s --check-prefix SAME
// RUN: polyir-run --pass-pipeline='builtin.module(pluto-schedule)' --default-size 9 --repeat 1 %s | filecheck %s --check-prefix RESULT
// RUN: not polyir-opt --pass-pipeline='tile' %s 2>&1 | filecheck %s --check-prefix BARE
// RUN: not polyir-opt --pass-pipeline='builtin.module(tile' %s 2>&1 | filecheck %s --check-prefix OPEN
// RUN: not polyir-opt --pass-pipeline='builtin.module(tile),tile' %s 2>&1 | filecheck %s --check-prefix AFTER
// RUN: not polyir-opt --pass-pipeline='builtin.modul(tile)' %s 2>&1 | filecheck %s --check-prefix ANCHOR
// RUN: not polyir-opt --pass-pipeline='builtin.module(tyle)' %s 2>&1 | filecheck %s --check-prefix PASS

// CHECK: affine.parallel (%{{.*}}) = (0) to (symbol(%n)) step (8) {
// CHECK: affine.for
// SAME-NOT: affine.parallel
// SAME: affine.for %i = 0 to %n {
// RESULT: outputs are bit-identical
// BARE: error: malformed pass pipeline 'tile': expected 'builtin.module(...)'
// OPEN: error: malformed pass pipeline 'builtin.module(tile': expected 'builtin.module(...)'
// AFTER: error: malformed pass pipeline 'builtin.module(tile),tile': expected 'builtin.module(...)'
// ANCHOR: error: a pipeline cannot run on 'builtin.modul'; did you mean 'builtin.module'?
// PASS: error: unknown pass 'tyle'; did you mean 'tile'?
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
