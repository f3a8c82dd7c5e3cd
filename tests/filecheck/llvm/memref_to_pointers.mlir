// Memrefs become pointers with sizes.
// RUN: polyir-opt --split-input-file --convert-memref-to-pointers %s | filecheck %s

func.func @access(%A: memref<?x3x?xf32>, %i: index, %j: index) -> f32 {
  %x = memref.load %A[%i, %j, %i] : memref<?x3x?xf32>
  return %x : f32
}

// The stride of the outer dimension is three times the last extent.
// CHECK-LABEL: func.func @access
// CHECK-SAME: (%A: !llvm.ptr {llvm.noalias}, %[[ROWS:.*]]: index, %[[COLUMNS:.*]]: index, %i: index, %j: index) -> f32 {
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[PLANE:.*]] = arith.muli %[[COLUMNS]], %[[THREE]] : index
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %i, %[[PLANE]] : index
// CHECK-NEXT: %[[WIDE:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK-NEXT: %[[FIRST:.*]] = llvm.getelementptr inbounds %A[%[[WIDE]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %j, %[[COLUMNS]] : index
// CHECK-NEXT: %[[WIDE2:.*]] = arith.index_cast %[[ROW]] : index to i64
// CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr inbounds %[[FIRST]][%[[WIDE2]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: %[[WIDE3:.*]] = arith.index_cast %i : index to i64
// CHECK-NEXT: %[[THIRD:.*]] = llvm.getelementptr inbounds %[[SECOND]][%[[WIDE3]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.load %[[THIRD]] : !llvm.ptr -> f32

// -----

func.func @truth(%A: memref<4x5xi1>, %i: index) {
  %true = arith.constant true
  memref.store %true, %A[%i, %i] : memref<4x5xi1>
  return
}

// A truth value is a byte in memory; the rows of a static array have their size.
// CHECK-LABEL: func.func @truth
// CHECK: llvm.getelementptr inbounds %A[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<5 x i8>
// CHECK: %[[BYTE:.*]] = arith.extui %true : i1 to i8
// CHECK-NEXT: llvm.store %[[BYTE]], %{{.*}} : i8, !llvm.ptr

// -----

func.func @largest(%A: memref<?x?xi32>, %n: index, %j: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %A[%n, %j] : memref<?x?xi32>
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%most = %start) -> (i32) {
    %x = memref.load %A[%i, %j] : memref<?x?xi32>
    %y = arith.maxsi %most, %x : i32
    scf.yield %y : i32
  }
  %c = arith.addi %a, %b : i32
  return %c : i32
}

// In a loop that LLVM may make vectors of, strides are maxima, about which it does not guess.
// CHECK-LABEL: func.func @largest
// CHECK-SAME: (%A: !llvm.ptr {llvm.noalias}, %{{.*}}: index, %[[COLUMNS:.*]]: index, %n: index, %j: index, %start: i32) -> i32 {
// CHECK: arith.muli %n, %[[COLUMNS]] : index
// CHECK: scf.for
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[STRIDE:.*]] = arith.maxsi %[[COLUMNS]], %[[ZERO]] : index
// CHECK-NEXT: arith.muli %i, %[[STRIDE]] : index
