// Two updates and a store that need the same work are one statement, until updates may run in any
// order: then each is a statement of its own. A statement without updates stays.
// RUN: polyir-opt --poly-raise --emit=poly %s | filecheck %s --check-prefix=RAISED
// RUN: polyir-opt --poly-dependences=reassociate=true --remarks --emit=none %s 2>&1 \
// RUN:     | filecheck %s
// RUN: polyir-opt --reassociate --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=LANES

func.func @sums(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %s: memref<f64>, %t: memref<f64>) {
  %three = arith.constant 3.0 : f64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %part = arith.divf %a, %three : f64
    %s0 = affine.load %s[] : memref<f64>
    %s1 = arith.addf %s0, %part : f64
    affine.store %s1, %s[] : memref<f64>
    %t0 = affine.load %t[] : memref<f64>
    %square = arith.mulf %part, %a : f64
    %t1 = arith.addf %t0, %square : f64
    affine.store %t1, %t[] : memref<f64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %part = arith.divf %a, %three : f64
    affine.store %part, %A[%i] : memref<?xf64>
    affine.store %part, %B[%i] : memref<?xf64>
  }
  return
}

// RAISED-COUNT-2: poly.stmt
// RAISED-NOT: poly.stmt

// CHECK: S0_0: updates for a sum in s may run in any order
// CHECK: S0_1: updates for a sum in t may run in any order
// CHECK-NOT: S1_0

// LANES: [reassociate] S0_0:
// LANES: [reassociate] S0_1:

