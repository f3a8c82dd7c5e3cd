// RUN: polyir-opt --promote="loop=S0.1" --emit=c %s | filecheck %s
// RUN: polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=A,B loop=S0.2" --emit=c %s | filecheck %s --check-prefix STRIPS

// Copies and accesses of one iteration are in one place, also in loops with a single iteration, where
// isl could generate them one by one.

func.func @nest(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.if affine_set<(d0) : (d0 * 2 == 4)>(%j) {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %B[%i] : memref<?xf64>
        %2 = arith.mulf %0, %0 : f64
        %3 = arith.subf %2, %1 : f64
        affine.store %3, %B[%i] : memref<?xf64>
      }
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 6 {
      affine.if affine_set<(d0) : (d0 - 5 == 0)>(%j) {
        %0 = affine.load %B[%i] : memref<?xf64>
        affine.store %0, %A[%i, 0] : memref<?x?xf64>
      }
      %1 = affine.load %A[%i, 0] : memref<?x?xf64>
      %2 = arith.addf %1, %1 : f64
      affine.store %2, %A[%i, 0] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: if (m >= 3) {
// CHECK-NEXT: for (int64_t i = 0; i < n; i++) {
// CHECK-NEXT: const double t = A[i][2];
// CHECK-NEXT: B[i] = t * t - B[i];
// CHECK-NEXT: }

// STRIPS: for (int64_t i = ti; i < polyir_min(n, ti + 8); i++) {
// STRIPS-NEXT: const double t = A[i][2];
// STRIPS-NEXT: B[i] = t * t - B[i];
