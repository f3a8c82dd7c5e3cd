// RUN: polyir-opt --split-input-file --optimize=machine=generic --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --optimize=machine=generic --emit=loops %s | filecheck %s --check-prefix=LOOPS
// RUN: polyir-opt --split-input-file --optimize=machine=generic --emit=llvm %s | filecheck %s --check-prefix=LLVM

// Sizes that are stated are assumed, whatever the arrays say; they stay in MLIR only.
func.func @scaled(%n: index {polyir.size = 40 : index}, %m: index, %A: memref<?x20xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x20xf64>
      %s = arith.addf %a, %a : f64
      affine.store %s, %A[%i, %j] : memref<?x20xf64>
    }
  }
  return
}

// CHECK: optimize-sizes.mlir:6:1: remark: [optimize] sizes: n = 40 (stated), m = 20 (from arrays)
// CHECK-NEXT: remark: [optimize] original:
// CHECK: remark: [optimize] chosen: original
// CHECK: void scaled(int64_t n, int64_t m, double *restrict A
// LOOPS: func.func @scaled(%n: index {polyir.size = 40 : index}, %m: index, %A: memref<?x20xf64>)
// LLVM: define void @"scaled"(i64 %"n", i64 %"m", ptr noalias %"A"

// -----

// The same loops are worth threads where they are long.
func.func @scaled(%n: index {polyir.size = 40000 : index}, %m: index, %A: memref<?x2000xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x2000xf64>
      %s = arith.divf %a, %a : f64
      affine.store %s, %A[%i, %j] : memref<?x2000xf64>
    }
  }
  return
}

// CHECK: remark: [optimize] sizes: n = 40000 (stated), m = 2000 (from arrays)
// CHECK: remark: [optimize] chosen: {{[a-z-]+}}, {{.*}} times as fast
// CHECK: #pragma omp parallel
