// RUN: polyir-opt --optimize=strategy=untiled-blocks %s | filecheck %s

// `delicm` changes what statements access, and no array: its statements are those of the tree.
// CHECK-LABEL: func.func @last
// CHECK: %[[VALUE:.+]] = affine.for
// CHECK: affine.store %[[VALUE]], %A[] : memref<f32>
func.func @last(%A: memref<f32>) {
  %start = arith.constant 1.5 : f32
  %last = affine.for %i = 0 to 3 iter_args(%x = %start) -> (f32) {
    %next = arith.constant 2.5 : f32
    affine.yield %next : f32
  }
  affine.store %last, %A[] : memref<f32>
  return
}
