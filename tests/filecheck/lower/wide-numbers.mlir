// RUN: not polyir-opt --pluto-schedule --split-input-file %s > %t 2>&1
// RUN: filecheck %s < %t
//
// Numbers that no index has: they come from products of coefficients, and would be cut off.
//
// CHECK: wide-numbers.mlir:[[#]]:3: error: an index expression needs the number 41505174165846491136, beyond 64 bits
// CHECK: wide-numbers.mlir:[[#]]:3: warning: [lower-poly] an index expression needs the number 124515522497539473408, beyond 64 bits: the loops keep their original order
// CHECK: wide-numbers.mlir:[[#]]:3: error: an index expression needs the number 124515522497539473408, beyond 64 bits
// CHECK: wide-numbers.mlir:[[#]]:43: error: a number in the affine expression does not fit into 64 bits
// CHECK: wide-numbers.mlir:[[#]]:43: error: a number in the affine expression does not fit into 64 bits

func.func @a(%A: memref<?xi64>, %n: index) {
  affine.for %i = 0 to %n {
    %j = affine.apply affine_map<(d0) -> (d0 * 4611686018427387904)>(%i)
    %k = affine.apply affine_map<(d0) -> (d0 * 9 + 7)>(%j)
    %v = arith.index_cast %k : index to i64
    affine.store %v, %A[%k floordiv 4611686018427387904] : memref<?xi64>
  }
  return
}
// -----
func.func @b(%A: memref<?xi64>, %n: index) {
  affine.for %i = 0 to %n {
    %j = affine.apply affine_map<(d0) -> (d0 * 4611686018427387904)>(%i)
    %k = affine.apply affine_map<(d0) -> (d0 * 9 + 7)>(%j)
    affine.for %l = 0 to affine_map<(d0) -> (d0 * 3)>(%k) {
      %v = arith.index_cast %l : index to i64
      affine.store %v, %A[%l] : memref<?xi64>
    }
  }
  return
}
// -----
func.func @a(%A: memref<?xi64>, %n: index) {
  affine.for %i = 0 to %n {
    %c = arith.constant 9223372036854775807 : i64
    %j = affine.apply affine_map<(d0) -> (d0 + 9223372036854775807 + 5)>(%i)
    %v = arith.index_cast %j : index to i64
    %w = arith.addi %v, %c : i64
    affine.store %w, %A[%i] : memref<?xi64>
  }
  return
}
// -----
func.func @b(%A: memref<?xi64>, %n: index) {
  affine.for %i = 0 to %n {
    %j = affine.apply affine_map<(d0) -> (d0 * 9223372036854775807 * 3)>(%i)
    %v = arith.index_cast %j : index to i64
    affine.store %v, %A[%i] : memref<?xi64>
  }
  return
}
// -----
// -----
// CHECK-LABEL: func.func @largest
func.func @largest(%A: memref<?xi64>, %n: index) {
  affine.for %i = -9223372036854775807 to %n step 9000000000000000000 {
    %j = affine.apply affine_map<(d0) -> (d0 + 9223372036854775807)>(%i)
    // CHECK: affine.apply affine_map<(d0) -> (d0 + 9223372036854775807)>
    %v = arith.index_cast %j : index to i64
    affine.store %v, %A[-%i floordiv 8000000000000000000] : memref<?xi64>
  }
  return
}
