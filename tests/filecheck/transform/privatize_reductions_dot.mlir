// RUN: polyir-opt --poly-dependences=reassociate=true --privatize-reductions=2 --mark-parallel --emit=c %s | filecheck %s --check-prefix CHECK
// RUN: polyir-opt --poly-dependences=reassociate=true --privatize-reductions=2 --mark-parallel --register-tile=reassociate=true --vectorize --emit=c %s | filecheck %s --check-prefix VECTOR

// An innermost loop: parts take turns of 1024 iterations, and their results are in cache lines apart.
func.func @dot(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %X: memref<f32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[] : memref<f32>
    %1 = affine.load %A[%i] : memref<?xf32>
    %2 = affine.load %B[%i] : memref<?xf32>
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %3, %0 : f32
    affine.store %4, %X[] : memref<f32>
  }
  return
}

// CHECK:        float (*restrict X_partial)[8] = malloc(sizeof(float) * 2 * 8);
// CHECK-NEXT:   if (X_partial) {
// CHECK-NEXT:     if (n >= 1) {
// CHECK-NEXT:       #pragma omp parallel for
// CHECK-NEXT:       for (int64_t p = 0; p < 2; p++) {
// CHECK-NEXT:         X_partial[p][0] = -0.0f;
// CHECK-NEXT:         for (int64_t ti = 1024 * p; ti < n; ti += 2048) {
// CHECK-NEXT:           for (int64_t i = ti; i < polyir_min(n, ti + 1024); i++) {
// CHECK-NEXT:             X_partial[p][0] = A[i] * B[i] + X_partial[p][0];
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       *X += X_partial[0][0] + X_partial[1][0];
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     for (int64_t i = 0; i < n; i++) {
// CHECK-NEXT:       *X = A[i] * B[i] + *X;
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   free(X_partial);

// VECTOR:          for (int64_t p = 0; p < 2; p++) {
// VECTOR-NEXT:       X_partial[p][0] = -0.0f;
// VECTOR-NEXT:       for (int64_t ti = 1024 * p; ti < n; ti += 2048) {
// VECTOR-NEXT:         const polyir_f32x8 partial = polyir_broadcast_f32x8(-0.0f);
// VECTOR:              for (int64_t i = ti; i < polyir_min(n - 31, ti + 993); i += 32) {
// VECTOR-NEXT:           partial_1 = *(polyir_f32x8_in_memory *)&A[i] * *(polyir_f32x8_in_memory *)&B[i]
// VECTOR:              X_partial[p][0] += [[A:.*]][0] + [[A]][1];
