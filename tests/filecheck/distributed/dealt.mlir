// RUN: polyir-opt --feautrier-schedule --distribute-memory="distribution=cyclic" %s | filecheck %s
// RUN: polyir-opt --feautrier-schedule --distribute-memory %s | filecheck %s --check-prefix=BLOCK

// Several blocks of a rank read one element: it is packed for the first one of them only, as a table
// has its place in the message. With one block a rank, there is no such table.

// CHECK: func.func private @sums_transfer_P0({{.*}}%message{{[_0-9]*}}: memref<?xf64>, %start{{[_0-9]*}}: index, %action{{[_0-9]*}}: index, %first: index, %box: memref<?xindex>, %A_numbers: memref<?xindex>) -> index
// CHECK: [[PLACE:%.+]] = memref.load %A_numbers[[[ENTRY:%.+]]] : memref<?xindex>
// CHECK-NEXT: [[NEW:%.+]] = arith.cmpi slt, [[PLACE]], %first : index
// CHECK-NEXT: scf.if [[NEW]] {
// CHECK: memref.store %{{.+}}, %A_numbers[[[ENTRY]]]
// CHECK: memref.store %{{.+}}, %message{{[_0-9]*}}[
// CHECK: func.func private @sums_step_P0
// CHECK: [[TABLE:%numbers[_0-9]*]] = memref.alloc(
// CHECK: memref.dealloc [[TABLE]]
// CHECK: "mpi.waitall"
// BLOCK: func.func private @sums_transfer_P0({{.*}}%message{{[_0-9]*}}: memref<?xf64>, %start{{[_0-9]*}}: index, %action{{[_0-9]*}}: index) -> index
// BLOCK-NOT: %numbers
func.func @sums(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %s = arith.addf %a, %a : f64
    affine.store %s, %A[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j] : memref<?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
