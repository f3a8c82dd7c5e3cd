// xDSL's own driver finds polyir's passes and targets through the plugin.
// RUN: xdsl-opt -p "pluto-schedule,tile{sizes=32},mark-parallel" -t c %s | filecheck %s
// RUN: xdsl-opt -p "pluto-schedule" -t poly %s | filecheck %s --check-prefix POLY
// RUN: xdsl-opt -p "pluto-schedule" -t llvmir %s | filecheck %s --check-prefix LLVM

// CHECK: void scale(int64_t n, double *restrict A, int64_t A_0) {
// CHECK: #pragma omp parallel for
// POLY: poly.band {{.*}} permutable coincident [true]
// LLVM: define void @"scale"(i64 %"n", ptr noalias %"A", i64
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
