// RUN: polyir-opt --map-to-gpu=shared=all --emit=cuda %s | filecheck %s
// RUN: polyir-opt --map-to-gpu=shared=all --lower-poly --check-gpu --emit=none %s

// Nothing reads T[2], so it stays in the shared memory of the first kernel. The second kernel must
// not copy it, although it is between elements that are needed.
func.func @f(%A: memref<8xf64>, %B: memref<4xf64>) {
  %T = memref.alloc() : memref<16xf64>
  affine.for %i = 0 to 8 {
    %0 = affine.load %A[%i] : memref<8xf64>
    affine.store %0, %T[2 * %i] : memref<16xf64>
  }
  affine.for %i = 0 to 4 {
    %0 = affine.load %T[4 * %i] : memref<16xf64>
    affine.store %0, %B[%i] : memref<4xf64>
  }
  return
}

// CHECK-LABEL: f_0(
// CHECK: if (tx % 4 == 0) {
// CHECK: T[t0] = T_shared[t0];
// CHECK-LABEL: f_1(
// CHECK: for (int64_t t0 = 0; t0 < 13; t0 += 4) {
// CHECK-NEXT: T_shared[t0] = T[t0];
