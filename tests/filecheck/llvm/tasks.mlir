// The outermost parallel loop becomes a task; a reduction and an inner loop stay loops.
// RUN: polyir-opt --convert-affine-to-scf --convert-memref-to-pointers --convert-parallel-to-tasks %s | filecheck %s
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix TEXT

func.func @scale(%A: memref<?x?xf64>, %x: f64, %n: index) -> f64 {
  affine.parallel (%i) = (0) to (%n) step (2) {
    affine.parallel (%j) = (0) to (%n) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %x : f64
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    }
  }
  %sum = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> f64 {
    %a = affine.load %A[%i, %i] : memref<?x?xf64>
    affine.yield %a : f64
  }
  return %sum : f64
}

// CHECK: llvm.mlir.global external @polyir_thread_count
// CHECK: llvm.func @polyir_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64, i64)
// CHECK-LABEL: func.func @scale(
// CHECK: scf.if
// CHECK: %[[CONTEXT:.*]] = llvm.alloca
// CHECK: %[[TASK:.*]] = llvm.mlir.addressof @scale_task_0 : !llvm.ptr
// CHECK: llvm.call @polyir_parallel_for(%[[TASK]], %[[CONTEXT]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: } else {
// CHECK: func.call @scale_part_0(
// CHECK: %sum = scf.for %{{.*}} iter_args(
// CHECK: func.func private @scale_part_0(%[[FROM:.*]]: index, %[[TO:.*]]: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: f64) {
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %{{.*}} {
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: func.func private @scale_task_0(%{{.*}}: !llvm.ptr, %{{.*}}: index, %{{.*}}: index) {

// TEXT: @"polyir_thread_count" = weak global i64 1, align 8
// TEXT: define weak void @"polyir_parallel_for"(
// TEXT: define double @"scale"(ptr noalias %"A",
// TEXT: define internal void @"scale_part_0"(i64 %"first", i64 %"last",
