// RUN: polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=A loop=S0.0 footprint=exact" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix EXACT
// RUN: polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=A loop=S0.0 reverse=0" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix BOX

// Every third element is needed, and every third is written. Both references touch no common
// element, so that each has a local array.

func.func @every_third(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[3 * %i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %A[3 * %i + 1] : memref<?xf64>
  }
  return
}

// EXACT: remark: [promote] an iteration of S0.0 keeps 22 elements of A in A_local, copied in
// EXACT: remark: [promote] an iteration of S0.0 keeps 22 elements of A in A_local_0, copied out
// EXACT: double A_local[22];
// EXACT-NEXT: double A_local_1[22];
// EXACT-NEXT: for (int64_t a0 = 3 * ti; a0 < polyir_min(3 * n - 2, 3 * ti + 22); a0 += 3) {
// EXACT-NEXT: A_local[a0 - 3 * ti] = A[a0];
// EXACT-NEXT: }
// EXACT-NEXT: for (int64_t i = ti; i < polyir_min(n, ti + 8); i++) {
// EXACT-NEXT: const double t = A_local[3 * i - 3 * ti];
// EXACT-NEXT: A_local_1[3 * i - 3 * ti] = t + t;
// EXACT-NEXT: }
// EXACT-NEXT: for (int64_t a0 = 3 * ti + 1; a0 < polyir_min(3 * n - 1, 3 * ti + 23); a0 += 3) {
// EXACT-NEXT: A[a0] = A_local_1[a0 - 3 * ti - 1];

// BOX: remark: [promote] an iteration of S0.0 keeps 22 elements of A in A_local, copied in
// BOX: remark: [promote] an iteration of S0.0 keeps 22 elements of A in A_local_0, copied out
// BOX: double A_local[22];
// BOX-NEXT: double A_local_1[22];
// BOX-NEXT: for (int64_t a0 = 3 * ti; a0 < polyir_min(3 * n - 1, 3 * ti + 22); a0++) {
// BOX-NEXT: A_local[3 * ti - a0 + 21] = A[a0];
// BOX-NEXT: }
// BOX-NEXT: for (int64_t i = ti; i < polyir_min(n, ti + 8); i++) {
// BOX-NEXT: const double t = A_local[3 * ti - 3 * i + 21];
// BOX-NEXT: A_local_1[3 * ti - 3 * i + 21] = t + t;
// BOX-NEXT: }
// BOX-NEXT: for (int64_t a0 = 3 * ti + 1; a0 < polyir_min(3 * n - 1, 3 * ti + 23); a0 += 3) {
// BOX-NEXT: A[a0] = A_local_1[3 * ti - a0 + 22];
