// RUN: polyir-opt --pluto-schedule --tile=2,2,8 --promote="arrays=C loop=S0.1 space=register" --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --promote="arrays=C loop=S0.1 space=register" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix ONE

// The elements of the result of a tile are in registers: they are loaded once and stored once.

func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %old = affine.load %C[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %a, %b : f64
        %new = arith.addf %old, %product : f64
        affine.store %new, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.1 keeps 2 x 2 elements of C in C_local, copied in and out
// CHECK: double C_local[2][2];
// CHECK-NEXT: for (int64_t c0 = ti; c0 < polyir_min(n, ti + 2); c0++) {
// CHECK-NEXT: for (int64_t c1 = tj; c1 < polyir_min(n, tj + 2); c1++) {
// CHECK-NEXT: C_local[c0 - ti][c1 - tj] = C[c0][c1];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t tk = 0; tk < n; tk += 8) {
// CHECK-NEXT: for (int64_t i = ti; i < polyir_min(n, ti + 2); i++) {
// CHECK-NEXT: for (int64_t j = tj; j < polyir_min(n, tj + 2); j++) {
// CHECK-NEXT: for (int64_t k = tk; k < polyir_min(n, tk + 8); k++) {
// CHECK-NEXT: C_local[i - ti][j - tj] += A[i][k] * B[k][j];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t c0 = ti; c0 < polyir_min(n, ti + 2); c0++) {
// CHECK-NEXT: for (int64_t c1 = tj; c1 < polyir_min(n, tj + 2); c1++) {
// CHECK-NEXT: C[c0][c1] = C_local[c0 - ti][c1 - tj];

// ONE: remark: [promote] an iteration of S0.1 keeps one element of C in C_local, copied in and out
// ONE: double C_local = C[i][j];
// ONE-NEXT: for (int64_t k = 0; k < n; k++) {
// ONE-NEXT: C_local += A[i][k] * B[k][j];
// ONE-NEXT: }
// ONE-NEXT: C[i][j] = C_local;
