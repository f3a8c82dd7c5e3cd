// RUN: polyir-opt --promote="arrays=line loop=S0.0" --remarks --emit=c %s 2>&1 | filecheck %s
// RUN: polyir-opt --strip-mine="loop=S0.0 size=4" --promote="arrays=line loop=S0.0" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix STRIP

// What an iteration writes before it reads it is not copied in, and what the next one overwrites is
// not copied out.

func.func @smooth(%n: index, %A: memref<?x64xf64>, %line: memref<64xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<?x64xf64>
      affine.store %0, %line[%j] : memref<64xf64>
    }
    affine.for %j = 1 to 63 {
      %0 = affine.load %line[%j - 1] : memref<64xf64>
      %1 = affine.load %line[%j + 1] : memref<64xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %A[%i, %j] : memref<?x64xf64>
    }
  }
  return
}

// CHECK: remark: [promote] an iteration of S0.0 keeps 64 elements of line in line_local, copied out
// CHECK: double line_local[64];
// CHECK-NEXT: for (int64_t j = 0; j < 64; j++) {
// CHECK-NEXT: line_local[j] = A[i][j];
// CHECK-NEXT: }
// CHECK-NEXT: for (int64_t j = 1; j < 63; j++) {
// CHECK-NEXT: A[i][j] = line_local[j - 1] + line_local[j + 1];
// CHECK-NEXT: }
// CHECK-NEXT: if (n - i == 1) {
// CHECK-NEXT: for (int64_t line0 = 0; line0 < 64; line0++) {
// CHECK-NEXT: line[line0] = line_local[line0];

// STRIP: remark: [promote] an iteration of S0.0 keeps 64 elements of line in line_local, copied out
// STRIP: for (int64_t ti = 0; ti < n; ti += 4) {
// STRIP-NEXT: double line_local[64];
// STRIP-NEXT: for (int64_t i = ti; i < polyir_min(n, ti + 4); i++) {
// STRIP-NEXT: for (int64_t j = 0; j < 64; j++) {
// STRIP-NEXT: line_local[j] = A[i][j];
// STRIP-NEXT: }
// STRIP-NEXT: for (int64_t j = 1; j < 63; j++) {
// STRIP-NEXT: A[i][j] = line_local[j - 1] + line_local[j + 1];
// STRIP-NEXT: }
// STRIP-NEXT: }
// STRIP-NEXT: if (n - ti <= 4) {
// STRIP-NEXT: for (int64_t line0 = 0; line0 < 64; line0++) {
// STRIP-NEXT: line[line0] = line_local[line0];
