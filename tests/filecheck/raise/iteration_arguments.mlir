// What a loop carries becomes memory of rank 0; the value behind the loop is loaded from it.
// RUN: polyir-opt --poly-raise --emit=poly %s | filecheck %s
// RUN: polyir-opt --poly-raise --emit=poly %s | polyir-opt --emit=poly | filecheck %s

func.func @dot(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %dot = affine.for %i = 0 to %n iter_args(%sum = %zero) -> (f64) {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %B[%i] : memref<?xf64>
    %product = arith.mulf %a, %b : f64
    %next = arith.addf %sum, %product : f64
    affine.yield %next : f64
  }
  return %dot : f64
}

// CHECK-LABEL: func.func @dot
// CHECK: [[CELL:%[a-z_0-9]+]] = memref.alloca() : memref<f64>
// CHECK: [[ZERO:%[a-z_0-9]+]] = arith.constant 0.0{{.*}} : f64
// CHECK: poly.scop ([[N:%[a-z_0-9]+]] as "n")
// CHECK: poly.stmt @S0 domain "[n] -> { S0[] }" () {
// CHECK-NEXT: affine.store [[ZERO]], [[CELL]][] : memref<f64>
// CHECK: poly.stmt @S1 domain "[n] -> { S1[i] : 0 <= i < n }" ([[I:%[a-z_0-9]+]]) {
// CHECK-NEXT: [[SUM:%[a-z_0-9]+]] = affine.load [[CELL]][] : memref<f64>
// CHECK-NEXT: [[A:%[a-z_0-9]+]] = affine.load %A{{\[}}[[I]]{{\]}} : memref<?xf64>
// CHECK-NEXT: [[B:%[a-z_0-9]+]] = affine.load %B{{\[}}[[I]]{{\]}} : memref<?xf64>
// CHECK-NEXT: [[PRODUCT:%[a-z_0-9]+]] = arith.mulf [[A]], [[B]] : f64
// CHECK-NEXT: [[NEXT:%[a-z_0-9]+]] = arith.addf [[SUM]], [[PRODUCT]] : f64
// CHECK-NEXT: affine.store [[NEXT]], [[CELL]][] : memref<f64>
// CHECK: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[] }"
// CHECK-NEXT: poly.filter "[n] -> { S1[i] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S1[i] -> [(i)] }]"{{$}}
// CHECK: [[DOT:%[a-z_0-9]+]] = affine.load [[CELL]][] : memref<f64>
// CHECK-NEXT: func.return [[DOT]] : f64
