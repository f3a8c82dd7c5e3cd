// RUN: polyir-opt --tile="loops=S0.1,S0.2 sizes=8,16" --promote="arrays=A loop=S0.2" --remarks --emit=c %s 2>&1 | filecheck %s

// A tile of a stencil reads its halo too. What it writes goes to another array.

func.func @jacobi(%steps: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c = arith.constant 0.2 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %2 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %3 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %4 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %5 = arith.addf %0, %1 : f64
        %6 = arith.addf %2, %3 : f64
        %7 = arith.addf %5, %6 : f64
        %8 = arith.addf %7, %4 : f64
        %9 = arith.mulf %8, %c : f64
        affine.store %9, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %0 = affine.load %B[%i, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.2 keeps 10 x 18 elements of A in A_local, copied in
// CHECK: double A_local[10][18];
// CHECK-NEXT: for (int64_t a0 = polyir_max(0, ti - 1); a0 < polyir_min(n, ti + 9); a0++) {
// CHECK-NEXT: for (int64_t a1 = polyir_max(0, tj - 1); a1 < polyir_min(n, tj + 17); a1++) {
// CHECK-NEXT: A_local[a0 - ti + 1][a1 - tj + 1] = A[a0][a1];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t i = polyir_max(1, ti); i < polyir_min(n - 1, ti + 8); i++) {
// CHECK-NEXT: for (int64_t j = polyir_max(1, tj); j < polyir_min(n - 1, tj + 16); j++) {
// CHECK-NEXT: B[i][j] = (A_local[i - ti + 1][j - tj + 1] + A_local[i - ti + 1][j - tj]
