// xDSL's own driver finds polyir's passes and targets through the plugin.
// RUN: xdsl-opt -p "pluto-schedule,tile{sizes=32},mark-parallel" -t c %s | filecheck %s
// RUN: xdsl-opt -p "pluto-schedule" -t poly %s | filecheck %s --check-prefix POLY
// RUN: xdsl-opt -p "pluto-schedule" -t llvmir %s | filecheck %s --check-prefix LLVM
// RUN: xdsl-opt %s | mlir-opt-19 -o /dev/null
// RUN: xdsl-opt -p canonicalize %s | filecheck %s --check-prefix LOOPS
// RUN: not xdsl-opt -p "reverse{loop=\"S0.0\"}" %s 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: echo 'func.func @f() { affine.for %%i = 0 9 { } return }' > %t.mlir
// RUN: not xdsl-opt %t.mlir 2>&1 | filecheck %s --check-prefix SYNTAX

// CHECK: void scale(int64_t n, double *restrict A, int64_t A_0) {
// CHECK: #pragma omp parallel for
// POLY: poly.band {{.*}} permutable coincident [true]
// LLVM: define void @"scale"(i64 %"n", ptr noalias %"A", i64
// LOOPS: affine.if affine_set<(d0) : (d0 >= 5)>(%{{.*}}) {
// LOOPS: affine.load %B[%{{.*}} + symbol(%m)]
// REFUSED-NOT: Traceback
// REFUSED: error: reversing S0.0 violates
// REFUSED-NOT: Traceback
// SYNTAX-NOT: Traceback
// SYNTAX: .mlir:1:{{[0-9]+}}: error: unexpected '9', expected 'to'
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
func.func @condition(%m: index, %B: memref<?xf64>) {
  affine.for %i = 0 to 20 {
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      %a = affine.load %B[%i + symbol(%m)] : memref<?xf64>
      affine.store %a, %B[%i + symbol(%m) - 1] : memref<?xf64>
    }
  }
  return
}
