// An `scf.while` in a loop is part of a statement.
// RUN: polyir-opt --poly-raise=data-loops --emit=poly %s | filecheck %s
// RUN: polyir-opt --poly-raise=data-loops --mark-parallel %s | filecheck %s --check-prefix=LOOPS
// RUN: polyir-opt --poly-raise %s 2>&1 | filecheck %s --check-prefix=PLAIN

// CHECK: poly.stmt @S0
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: affine.store

// LOOPS: affine.parallel
// LOOPS: scf.while

// PLAIN: warning: [poly-raise] @halvings has no scop: `scf.while` may touch memory
func.func @halvings(%n: index, %A: memref<?xf64>, %B: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %end:2 = scf.while (%x = %a, %k = %zero) : (f64, i32) -> (f64, i32) {
      %goes_on = arith.cmpf ogt, %x, %half : f64
      scf.condition(%goes_on) %x, %k : f64, i32
    } do {
    ^bb0(%x: f64, %k: i32):
      %y = arith.mulf %x, %half : f64
      %next = arith.addi %k, %one : i32
      scf.yield %y, %next : f64, i32
    }
    affine.store %end#1, %B[%i] : memref<?xi32>
  }
  return
}
