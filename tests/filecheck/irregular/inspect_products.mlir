// Subscripts that are products of variables are computed in inspectors, too.
// RUN: polyir-opt --inspect-wavefronts --emit=c %s | filecheck %s
// RUN: polyir-opt --runtime-test=always=true --emit=c %s | filecheck %s --check-prefix TEST

// CHECK: products_inspector(
// CHECK: {{^ *}}A_read[e] = polyir_max(A_read[e],
// CHECK-NEXT: {{^ *}}A_written[t{{.*}} * m] =
// TEST: products_inspector(
// TEST: const int64_t [[PLACE:.*]] = i * m;
// TEST: {{^ *}}A_writer[[[PLACE]]] =
func.func @products(%n: index, %m: index, %p: memref<?xindex>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %e = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%e] : memref<?xf64>
    affine.store %v, %A[%i * symbol(%m)] : memref<?xf64>
  }
  return
}
