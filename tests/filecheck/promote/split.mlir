// RUN: polyir-opt --promote="arrays=B loop=S0.0" --split="statements=S0,B_in,B_out condition='t0 < 4'" --check-schedule --emit=c %s 2>&1 | filecheck %s

// A loop with copies inside is split, with the copies: each part adds its own.

func.func @accumulate(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t0 = 0 to %n {
    affine.for %j = 0 to 8 {
      %0 = affine.load %A[%t0] : memref<?xf64>
      %1 = affine.load %B[%j] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK: remark: [check-schedule] all 6 dependences hold
// CHECK: for (int64_t t0 = 0; t0 < polyir_min(4, n); t0++) {
// CHECK-NEXT: double B_local[8];
// CHECK-NEXT: for (int64_t b0 = 0; b0 < 8; b0++) {
// CHECK-NEXT: B_local[b0] = B[b0];
// CHECK: B_local[j] = A[t0] + B_local[j];
// CHECK: B[b0] = B_local[b0];
// CHECK: for (int64_t t0 = 4; t0 < n; t0++) {
// CHECK-NEXT: double B_local[8];
// CHECK-NEXT: for (int64_t b0 = 0; b0 < 8; b0++) {
// CHECK-NEXT: B_local[b0] = B[b0];
// CHECK: B_local[j] = A[t0] + B_local[j];
// CHECK: B[b0] = B_local[b0];
