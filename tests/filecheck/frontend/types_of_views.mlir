// The type of a view must be the one that its offsets, sizes and strides make.
// RUN: polyir-opt --split-input-file --verify-diagnostics %s | filecheck %s

func.func @unknown_offset(%A: memref<64xf32>, %i: index) {
  // expected-error@below {{'memref.subview' op expected the type memref<4xf32, strided<[1], offset: ?>>, where dimensions of size 1 may be left out, found memref<4xf32, strided<[1]>>}}
  %V = memref.subview %A[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1]>>
  return
}
// -----
func.func @part_of_part(%A: memref<8x16xf32, strided<[32, 2], offset: 5>>) {
  // expected-error@below {{expected the type memref<2x4xf32, strided<[32, 4], offset: 43>>}}
  %V = memref.subview %A[1, 3] [2, 4] [1, 2] : memref<8x16xf32, strided<[32, 2], offset: 5>> to memref<2x4xf32, strided<[32, 4], offset: 38>>
  return
}
// -----
func.func @unknown_sizes(%A: memref<?x?xf32>, %n: index) {
  // expected-error@below {{expected the type memref<?x4xf32, strided<[?, 1], offset: ?>>}}
  %V = memref.subview %A[1, 0] [%n, 4] [1, 1] : memref<?x?xf32> to memref<?x4xf32, strided<[?, 1]>>
  return
}
// -----
func.func @dropped(%A: memref<8x16xf32>) {
  // expected-error@below {{expected the type memref<1x4xf32, strided<[16, 1]>>, where dimensions of size 1 may be left out, found memref<4xf32, strided<[16]>>}}
  %V = memref.subview %A[0, 0] [1, 4] [1, 1] : memref<8x16xf32> to memref<4xf32, strided<[16]>>
  return
}
// -----
func.func @generic(%A: memref<8xf32>) {
  // expected-error@below {{expected the type memref<4xf32, strided<[1]>>, where dimensions of size 1 may be left out, found memref<4xf32, strided<[2]>>}}
  %V = "memref.subview"(%A) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 4>, static_strides = array<i64: 1>}> : (memref<8xf32>) -> memref<4xf32, strided<[2]>>
  return
}
// -----
func.func @too_few(%A: memref<8x16xf32>) {
  // expected-error@below {{'memref.subview' op needs an offset, a size and a stride for each dimension}}
  %V = memref.subview %A[0] [4] [1] : memref<8x16xf32> to memref<4xf32>
  return
}
// -----
func.func @negative(%A: memref<8xf32>) {
  // expected-error@below {{'memref.subview' op has an offset or a size that is negative}}
  %V = memref.subview %A[-1] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: -1>>
  return
}
// -----
func.func @no_step(%A: memref<8xf32>) {
  // expected-error@below {{'memref.subview' op has a stride of 0}}
  %V = memref.subview %A[0] [4] [0] : memref<8xf32> to memref<4xf32, strided<[0]>>
  return
}
// -----
func.func @without_strides(%A: memref<8x16xf32, affine_map<(i, j) -> (j, i)>>) {
  // expected-error@below {{'memref.subview' op the layout of memref<8x16xf32, affine_map<(d0, d1) -> (d1, d0)>> has no strides}}
  %V = memref.subview %A[0, 0] [4, 4] [1, 1] : memref<8x16xf32, affine_map<(i, j) -> (j, i)>> to memref<4x4xf32, strided<[16, 1]>>
  return
}
// -----
// CHECK-LABEL: func.func @valid
func.func @valid(%A: memref<2x4x3xf32>, %B: memref<8x16xf32, affine_map<(i, j)[p] -> (i * p + j + 1)>>, %i: index) {
  // CHECK: to memref<1x4xf32, strided<[12, 3], offset: ?>>
  %0 = memref.subview %A[0, 0, %i] [1, 4, 1] [1, 1, 1] : memref<2x4x3xf32> to memref<1x4xf32, strided<[12, 3], offset: ?>>
  // CHECK: to memref<12xf32, strided<[1], offset: 4>>
  %1 = memref.subview %B[0, 3] [1, 12] [1, 1] : memref<8x16xf32, affine_map<(i, j)[p] -> (i * p + j + 1)>> to memref<12xf32, strided<[1], offset: 4>>
  // CHECK: to memref<4x3xf32>
  %2 = memref.subview %A[0, 0, 0] [1, 4, 3] [1, 1, 1] : memref<2x4x3xf32> to memref<4x3xf32>
  return
}
