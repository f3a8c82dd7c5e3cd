// The loops that are made of a scop are split, unless told otherwise.
// RUN: polyir-opt --pluto-schedule=fuse=max --emit=c %s | filecheck %s
// RUN: polyir-opt --pluto-schedule=fuse=max --lower-poly=split-loops=false --emit=c %s | filecheck %s --check-prefix=WHOLE
// RUN: polyir-opt --pluto-schedule=fuse=max --remarks --emit=none --lower-poly %s 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: polyir-opt --pluto-schedule=fuse=max --split-loops --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=PASS

// CHECK:      for (int64_t t = 0; t < steps; t++) {
// CHECK-NEXT:   B[1] = A[0] + A[2];
// CHECK-NEXT:   for (int64_t [[I:.*]] = 2 * t + 2; [[I]] < n + 2 * t - 1; [[I]]++) {
// CHECK-NEXT:     B[
// CHECK-NEXT:     A[
// CHECK-NEXT:   }
// CHECK-NEXT:   A[n - 2] = B[n - 2];

// WHOLE:      for (int64_t [[I:.*]] = 2 * t + 1; [[I]] < n + 2 * t; [[I]]++) {
// WHOLE-NEXT:   if (n + 2 * t - [[I]] >= 2) {
// WHOLE:        if ([[I]] - 2 * t >= 2) {

// REMARK: remark: [lower-poly] split the loop over %{{.*}} at %n + 2 * %t - 1
// REMARK: remark: [lower-poly] split the loop over %{{.*}} at 2 * %t + 2

// PASS: remark: [split-loops] split the loop over %{{.*}} at %n + 2 * %t - 1
func.func @stencil(%steps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %right = affine.load %A[%i + 1] : memref<?xf64>
      %sum = arith.addf %left, %right : f64
      affine.store %sum, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
    }
  }
  return
}
