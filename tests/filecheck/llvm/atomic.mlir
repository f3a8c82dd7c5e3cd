// RUN: polyir-opt --split-input-file --emit=c %s 2>&1 | filecheck %s --check-prefix C
// RUN: polyir-opt --emit=llvm %s 2>&1 | filecheck %s

// Operations on what other threads may change at the same time; their results are the old values.
// C: const int64_t [[OLD:.+]] = polyir_atomic_addi(A, i, v);
// C: polyir_atomic_assign(A, 0, [[OLD]]);
// CHECK: define private i64 @"polyir_atomic_addi"(ptr %[[P:.+]], i64 %[[V:.+]]) alwaysinline
// CHECK: atomicrmw add ptr %[[P]], i64 %[[V]] acq_rel
// CHECK: define void @"take"
// CHECK: call ccc i64 @"polyir_atomic_addi"
func.func @take(%A: memref<?xi64>, %i: index, %v: i64) {
  %c0 = arith.constant 0 : index
  %old = memref.atomic_rmw addi %v, %A[%i] : (i64, memref<?xi64>) -> i64
  %other = memref.atomic_rmw assign %old, %A[%c0] : (i64, memref<?xi64>) -> i64
  return
}
