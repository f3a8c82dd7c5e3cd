// After unroll-jam, every element of the block has a value of its own.
// RUN: polyir-opt --unroll-jam="loop=S0.0 factor=2" --scalar-replacement --emit=c %s | filecheck %s

// CHECK:      for (int64_t ti = 0; ti < 512; ti += 2) {
// CHECK-NEXT:   for (int64_t j = 0; j < 512; j++) {
// CHECK-NEXT:     double C_value = C[ti][j];
// CHECK-NEXT:     double C_value_1 = C[ti + 1][j];
// CHECK-NEXT:     for (int64_t k = 0; k < 512; k++) {
// CHECK-NEXT:       const double b = B[k][j];
// CHECK-NEXT:       C_value += A[ti][k] * b;
// CHECK-NEXT:       C_value_1 += A[ti + 1][k] * b;
// CHECK-NEXT:     }
// CHECK-NEXT:     C[ti][j] = C_value;
// CHECK-NEXT:     C[ti + 1][j] = C_value_1;
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @product(%C: memref<512x512xf64>, %A: memref<512x512xf64>, %B: memref<512x512xf64>) {
  affine.for %i = 0 to 512 {
    affine.for %j = 0 to 512 {
      affine.for %k = 0 to 512 {
        %c = affine.load %C[%i, %j] : memref<512x512xf64>
        %a = affine.load %A[%i, %k] : memref<512x512xf64>
        %b = affine.load %B[%k, %j] : memref<512x512xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<512x512xf64>
      }
    }
  }
  return
}
