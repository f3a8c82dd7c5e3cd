// RUN: polyir-opt --tile="loops=S0.0,S0.1,S0.2 sizes=8" --promote="arrays=A loop=S0.2 order=1,0 padding=1" --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --tile="loops=S0.0,S0.1,S0.2 sizes=8" --promote="arrays=A loop=S0.2 order=1,0 reverse=0" --emit=c %s 2>&1 | filecheck %s --check-prefix REVERSED

// Two references to one array that only read may have a local array each. The second is read
// along its columns: its copy is transposed, so that it is read along rows.

func.func @syrk(%n: index, %m: index, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %m {
      affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
        %left = affine.load %A[%i, %k] : memref<?x?xf64>
        %right = affine.load %A[%j, %k] : memref<?x?xf64>
        %old = affine.load %C[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %left, %right : f64
        %new = arith.addf %old, %product : f64
        affine.store %new, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.2 keeps 8 x 9 elements of A in A_local, copied in
// CHECK: remark: [promote] an iteration of S0.2 keeps 8 x 9 elements of A in A_local_0, copied in
// CHECK: double A_local[8][9];
// CHECK-NEXT: double A_local_1[8][9];
// CHECK-NEXT: for (int64_t a0 = ti; a0 < polyir_min(n, ti + 8); a0++) {
// CHECK-NEXT: for (int64_t a1 = tk; a1 < polyir_min(m, tk + 8); a1++) {
// CHECK-NEXT: A_local[a1 - tk][a0 - ti] = A[a0][a1];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t a0 = tj; a0 < polyir_min(n, tj + 8); a0++) {
// CHECK-NEXT: for (int64_t a1 = tk; a1 < polyir_min(m, tk + 8); a1++) {
// CHECK-NEXT: A_local_1[a1 - tk][a0 - tj] = A[a0][a1];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t i = polyir_max(ti, tj + 1); i < polyir_min(n, ti + 8); i++) {
// CHECK-NEXT: for (int64_t k = tk; k < polyir_min(m, tk + 8); k++) {
// CHECK-NEXT: for (int64_t j = tj; j < polyir_min(tj + 8, i); j++) {
// CHECK-NEXT: C[i][j] += A_local[k - tk][i - ti] * A_local_1[k - tk][j - tj];

// REVERSED: double A_local[8][8];
// REVERSED-NEXT: double A_local_1[8][8];
// REVERSED-NEXT: for (int64_t a0 = ti; a0 < polyir_min(n, ti + 8); a0++) {
// REVERSED-NEXT: for (int64_t a1 = tk; a1 < polyir_min(m, tk + 8); a1++) {
// REVERSED-NEXT: A_local[a1 - tk][ti - a0 + 7] = A[a0][a1];
// REVERSED-NEXT: }
// REVERSED-NEXT: }
// REVERSED-NEXT: for (int64_t a0 = tj; a0 < polyir_min(n, tj + 8); a0++) {
// REVERSED-NEXT: for (int64_t a1 = tk; a1 < polyir_min(m, tk + 8); a1++) {
// REVERSED-NEXT: A_local_1[a1 - tk][tj - a0 + 7] = A[a0][a1];
// REVERSED-NEXT: }
// REVERSED-NEXT: }
// REVERSED-NEXT: for (int64_t i = polyir_max(ti, tj + 1); i < polyir_min(n, ti + 8); i++) {
// REVERSED-NEXT: for (int64_t k = tk; k < polyir_min(m, tk + 8); k++) {
// REVERSED-NEXT: for (int64_t j = tj; j < polyir_min(tj + 8, i); j++) {
// REVERSED-NEXT: C[i][j] += A_local[k - tk][ti - i + 7] * A_local_1[k - tk][tj - j + 7];
