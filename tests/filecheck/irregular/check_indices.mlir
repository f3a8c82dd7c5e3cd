// RUN: polyir-opt --check-indices %s | filecheck %s
// RUN: polyir-opt --check-indices --emit=c %s | filecheck %s --check-prefix C

// CHECK-LABEL: func.func @gather_indices(%p: memref<?xindex>, %n: index, %A: memref<?xf64>, %B: memref<?xf64>, %report: memref<?xindex>)
// CHECK: scf.while
// CHECK: arith.cmpi uge
// CHECK-LABEL: func.func @gather_executor
// CHECK-LABEL: func.func @gather(
// CHECK: func.call @gather_indices
// CHECK: cf.assert %{{.*}}'p' leads out of the bounds of 'A'
// CHECK: func.call @gather_executor

// C-LABEL: void gather_indices(
// C: while ((t < n) & (report[0] == 0)) {
// C-NEXT: if ((uint64_t)t >= (uint64_t)p_0) {
// C-LABEL: void gather(
// C: gather_indices(p, p_0, n, A, A_0, B, B_0, report, 8);
// C: polyir_assert_report({{.*}} != 1,
// C-NEXT: check_indices.mlir:{{[0-9:]+}}: 'p' has %2$lld elements, and the subscript %1$lld is out of bounds\012", report);
// C: polyir_assert_report({{.*}} != 2,
// C-NEXT: check_indices.mlir:{{[0-9:]+}}: 'p' has %1$lld at [%3$lld], but 'A' has %2$lld elements\012", report);
func.func @gather(%n: index, %p: memref<?xindex>, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%pi] : memref<?xf64>
    affine.store %v, %B[%i] : memref<?xf64>
  }
  return
}
