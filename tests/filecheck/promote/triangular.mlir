// RUN: polyir-opt --tile="loops=S0.0,S0.1 sizes=8" --promote="arrays=L loop=S0.1 footprint=exact" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix EXACT
// RUN: polyir-opt --tile="loops=S0.0,S0.1 sizes=8" --promote="arrays=L loop=S0.1" --remarks --emit=c %s 2>&1 | filecheck %s --check-prefix BOX

// On the diagonal, an iteration needs a triangle. The box around it takes simpler loops, but never
// leaves what the nest accesses somewhere.

func.func @lower_times_vector(%n: index, %L: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %l = affine.load %L[%i, %j] : memref<?x?xf64>
      %v = affine.load %x[%j] : memref<?xf64>
      %old = affine.load %y[%i] : memref<?xf64>
      %product = arith.mulf %l, %v : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %y[%i] : memref<?xf64>
    }
  }
  return
}

// EXACT: remark: [promote] an iteration of S0.1 keeps 8 x 8 elements of L in L_local, copied in
// EXACT: double L_local[8][8];
// EXACT-NEXT: for (int64_t l0 = ti; l0 < polyir_min(n, ti + 8); l0++) {
// EXACT-NEXT: for (int64_t l1 = tj; l1 < polyir_min(tj + 8, l0 + 1); l1++) {
// EXACT-NEXT: L_local[l0 - ti][l1 - tj] = L[l0][l1];
// EXACT-NEXT: }
// EXACT-NEXT: }
// EXACT-NEXT: for (int64_t i = ti; i < polyir_min(n, ti + 8); i++) {
// EXACT-NEXT: for (int64_t j = tj; j < polyir_min(tj + 8, i + 1); j++) {
// EXACT-NEXT: y[i] += L_local[i - ti][j - tj] * x[j];

// BOX: remark: [promote] an iteration of S0.1 keeps 8 x 8 elements of L in L_local, copied in
// BOX: double L_local[8][8];
// BOX-NEXT: for (int64_t l0 = ti; l0 < polyir_min(n, ti + 8); l0++) {
// BOX-NEXT: for (int64_t l1 = tj; l1 < polyir_min(n, tj + 8); l1++) {
// BOX-NEXT: L_local[l0 - ti][l1 - tj] = L[l0][l1];
// BOX-NEXT: }
// BOX-NEXT: }
// BOX-NEXT: for (int64_t i = ti; i < polyir_min(n, ti + 8); i++) {
// BOX-NEXT: for (int64_t j = tj; j < polyir_min(tj + 8, i + 1); j++) {
// BOX-NEXT: y[i] += L_local[i - ti][j - tj] * x[j];
