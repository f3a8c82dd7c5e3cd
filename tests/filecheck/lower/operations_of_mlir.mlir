// Views become accesses to the array, coordinates affine expressions, scf.while a while loop, and
// functions of inner modules functions of the file.
// RUN: polyir-opt --emit=c %s | filecheck %s
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix=LLVM
// RUN: polyir-opt --emit=poly %s | filecheck %s --check-prefix=POLY

// CHECK-LABEL: void views(
// LLVM-LABEL: define void @"views"
func.func @views(%A: memref<16x32xf64>, %n: index) {
  %V = memref.subview %A[2, 4] [8, 8] [1, 2] : memref<16x32xf64> to memref<8x8xf64, strided<[32, 2], offset: 68>>
  %R = memref.subview %A[%n, 0] [1, 16] [1, 1] : memref<16x32xf64> to memref<16xf64, strided<[1], offset: ?>>
  affine.for %i = 0 to 8 {
    // CHECK: A[i + 2][4] = A[n][2 * i];
    %a = affine.load %R[%i * 2] : memref<16xf64, strided<[1], offset: ?>>
    affine.store %a, %V[%i, 0] : memref<8x8xf64, strided<[32, 2], offset: 68>>
  }
  return
}

// CHECK-LABEL: void coordinates(
// POLY-LABEL: @coordinates
func.func @coordinates(%B: memref<6x5x4xi64>, %m: index) {
  %c6 = arith.constant 6 : index
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  affine.for %j = 0 to 120 {
    // POLY-DAG: affine.apply affine_map<(d0) -> (d0 floordiv 20)> (%j)
    %at:3 = affine.delinearize_index %j into (%c6, %c5, %c4) : index, index, index
    %k = arith.index_cast %j : index to i64
    // CHECK: B[j / 20][j % 20 / 4][j % 20 % 4] = j;
    memref.store %k, %B[%at#0, %at#1, %at#2] : memref<6x5x4xi64>
  }
  // POLY-DAG: affine.delinearize_index %m into (%c4, %m)
  %of:2 = affine.delinearize_index %m into (%c4, %m) : index, index
  %0 = arith.index_cast %of#1 : index to i64
  memref.store %0, %B[%c4, %c0, %c0] : memref<6x5x4xi64>
  return
}

// CHECK-LABEL: int64_t counted(
func.func @counted(%limit: index) -> index {
  %one = arith.constant 1 : index
  // CHECK: int64_t i = 1;
  // CHECK-NEXT: while (i * i < limit) {
  // CHECK-NEXT:   i += 1;
  // CHECK-NEXT: }
  // CHECK-NEXT: return i;
  %r = scf.while (%i = %one) : (index) -> index {
    %square = arith.muli %i, %i : index
    %more = arith.cmpi slt, %square, %limit : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %one : index
    scf.yield %next : index
  }
  return %r : index
}

// CHECK-LABEL: double until(
func.func @until(%C: memref<?xf64>) -> f64 {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %null = arith.constant 0.0 : f64
  // CHECK: int64_t i = 0;
  // CHECK-NEXT: double last;
  // CHECK-NEXT: int64_t at;
  // CHECK-NEXT: while (true) {
  // CHECK-NEXT:   const double c = C[i];
  // CHECK-NEXT:   C[i] = 0.0;
  // CHECK-NEXT:   last = c;
  // CHECK-NEXT:   at = i;
  // CHECK-NEXT:   if (c == 0.0) {
  // CHECK-NEXT:     break;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   i = at + 1;
  // CHECK-NEXT: }
  // CHECK-NEXT: return last;
  %last, %at = scf.while (%i = %zero) : (index) -> (f64, index) {
    %c = memref.load %C[%i] : memref<?xf64>
    memref.store %null, %C[%i] : memref<?xf64>
    %more = arith.cmpf une, %c, %null : f64
    scf.condition(%more) %c, %i : f64, index
  } do {
  ^bb0(%x: f64, %y: index):
    %next = arith.addi %y, %step : index
    scf.yield %next : index
  }
  return %last : f64
}

module @inner {
  // CHECK-LABEL: void deep(
  // LLVM-LABEL: define void @"deep"
  func.func @deep(%D: memref<4xf32>) {
    // POLY-LABEL: @deep
    // POLY: poly.scop
    affine.for %i = 1 to 4 {
      %d = affine.load %D[%i - 1] : memref<4xf32>
      affine.store %d, %D[%i] : memref<4xf32>
    }
    return
  }
}
