// What has no LLVM is refused at its place.
// RUN: polyir-opt --split-input-file --verify-diagnostics --emit=llvm %s | filecheck %s

// CHECK: refused.mlir:5:1: error: the LLVM target has no functions that return arrays
func.func @gives(%A: memref<4xf64>) -> memref<4xf64> {
  return %A : memref<4xf64>
}

// -----

// CHECK: error: the LLVM target has no arrays with the layout of memref<4x4xf64, strided<[8, 1]>>
func.func @layout(%A: memref<4x4xf64, strided<[8, 1]>>) {
  return
}

// -----

// CHECK: error: the LLVM target has no type for values of type f16 in memory
func.func @half(%A: memref<4xf16>) {
  return
}

// -----

func.func @select(%A: memref<4xf64>, %B: memref<4xf64>, %c: i1) {
  // CHECK: error: the LLVM target has no LLVM for arith.select on arrays
  %C = arith.select %c, %A, %B : memref<4xf64>
  return
}
