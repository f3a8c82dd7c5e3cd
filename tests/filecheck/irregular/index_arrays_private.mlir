// RUN: polyir-opt --print-dependences --emit=none %s | filecheck %s
// RUN: polyir-opt --privatize --mark-parallel --emit=c %s | filecheck %s --check-prefix PRIVATE
// RUN: polyir-opt --privatize=arrays=x --mark-parallel --emit=c --remarks %s 2>&1 | filecheck %s --check-prefix LEFT

// Figure 15.16 of the chapter: x[l..m] is written in the j loop and read as x[pos[k]]. As pos has
// values in [l, m], each iteration of i reads what it has written, and x can be private to it.
// CHECK: // value-based dependences in @figure_15_16:
// CHECK-NEXT: // flow    x  S0 -> S1 (may)  (0) {{ +}} [n, l, m] -> { S0[i, j = pos(k)] -> S1[i' = i, k] : l <= pos(k) <= m and 0 <= i < n and 0 <= k < n }
// CHECK-NEXT: // anti    x  S1 (may) -> S0  (1)
// CHECK-NEXT: // output  x  S0 -> S0        (1,0)
// PRIVATE: void figure_15_16
// PRIVATE: malloc
// PRIVATE: #pragma omp parallel for
// PRIVATE-NEXT: for (int64_t i = 0; i < n; i++) {
// PRIVATE-NEXT: for (int64_t j = l; j < m + 1; j++) {
// PRIVATE-NEXT: x[i][j] = B[i][j];
// PRIVATE: for (int64_t k = 0; k < n; k++) {
// PRIVATE-NEXT: C[i][k] = x[i][pos[k]];
func.func @figure_15_16(%n: index, %l: index, %m: index, %pos: memref<?xindex> {poly.index_array = #poly.index_array<range = "[arg1, arg2] -> { [x] : arg1 <= x <= arg2 }">}, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %size = affine.apply affine_map<(d0) -> (d0 + 1)>(%m)
  %x = memref.alloc(%size) : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = %l to affine_map<(d0) -> (d0 + 1)>(%m) {
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      affine.store %b, %x[%j] : memref<?xf64>
    }
    affine.for %k = 0 to %n {
      %p = affine.load %pos[%k] : memref<?xindex>
      %v = memref.load %x[%p] : memref<?xf64>
      affine.store %v, %C[%i, %k] : memref<?x?xf64>
    }
  }
  memref.dealloc %x : memref<?xf64>
  return
}

// Without the range, pos[k] may be an element that an earlier iteration, or none, has written.
// LEFT: warning: [privatize] x is not a temporary: it may be read before it is written
// PRIVATE: void unknown_range
// PRIVATE: for (int64_t i = 0; i < n; i++) {
// PRIVATE-NEXT: #pragma omp parallel for
// PRIVATE-NEXT: for (int64_t j
func.func @unknown_range(%n: index, %l: index, %m: index, %pos: memref<?xindex>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %size = affine.apply affine_map<(d0) -> (d0 + 1)>(%m)
  %x = memref.alloc(%size) : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = %l to affine_map<(d0) -> (d0 + 1)>(%m) {
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      affine.store %b, %x[%j] : memref<?xf64>
    }
    affine.for %k = 0 to %n {
      %p = affine.load %pos[%k] : memref<?xindex>
      %v = memref.load %x[%p] : memref<?xf64>
      affine.store %v, %C[%i, %k] : memref<?x?xf64>
    }
  }
  memref.dealloc %x : memref<?xf64>
  return
}
