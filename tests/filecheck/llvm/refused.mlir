// What the LLVM target does not support is an error, at the operation.
// RUN: not polyir-opt --split-input-file --emit=llvm %s 2>&1 | filecheck %s

// CHECK: refused.mlir:5:1: error: functions that return a memref are not supported
func.func @gives(%A: memref<4xf64>) -> memref<4xf64> {
  return %A : memref<4xf64>
}

// -----

// CHECK: error: the layout of 'memref<4x4xf64, strided<[8, 1]>>' is not supported: arrays must be row-major
func.func @layout(%A: memref<4x4xf64, strided<[8, 1]>>) {
  return
}

// -----

// CHECK: error: type 'f16' is not supported: expected index, i1, i8, i16, i32, i64, f32 or f64
func.func @half(%A: memref<4xf16>) {
  return
}

// -----

func.func @select(%A: memref<4xf64>, %B: memref<4xf64>, %c: i1) {
  // CHECK: error: arith.select on memrefs is not supported by the LLVM target
  %C = arith.select %c, %A, %B : memref<4xf64>
  return
}
