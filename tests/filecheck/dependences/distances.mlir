// RUN: polyir-opt --print-dependences --emit=none %s | filecheck %s
// RUN: polyir-opt --print-dependences %s | polyir-opt --print-dependences --emit=none | filecheck %s

// Steps and ranges of distances, conditions without what others imply.
// CHECK:      // value-based dependences in @strided:
// CHECK-NEXT: // flow  A  S0 -> S0  (4..12 step 2)  { S0[i] -> S0[i' = 4 + 2i] : i mod 2 = 0 and 0 <= i <= 8 }
func.func @strided(%A: memref<50xf64>) {
  affine.for %i = 0 to 22 step 2 {
    %a = affine.load %A[%i] : memref<50xf64>
    affine.store %a, %A[2 * %i + 4] : memref<50xf64>
  }
  return
}

// A row of five neighbours, and one beside them.
// CHECK:      // value-based dependences in @rows:
// CHECK-NEXT: // flow  A  S0 -> S0  (1,-2..2) (2,0)  [T, n] -> {
func.func @rows(%A: memref<?x?xf64>, %T: index, %n: index) {
  affine.for %t = 2 to %T {
    affine.for %i = 2 to affine_map<()[s0] -> (s0 - 2)>()[%n] {
      %0 = affine.load %A[%t - 1, %i - 2] : memref<?x?xf64>
      %1 = affine.load %A[%t - 1, %i - 1] : memref<?x?xf64>
      %2 = affine.load %A[%t - 1, %i] : memref<?x?xf64>
      %3 = affine.load %A[%t - 1, %i + 1] : memref<?x?xf64>
      %4 = affine.load %A[%t - 1, %i + 2] : memref<?x?xf64>
      %5 = affine.load %A[%t - 2, %i] : memref<?x?xf64>
      %6 = arith.addf %0, %1 : f64
      %7 = arith.addf %2, %3 : f64
      %8 = arith.addf %4, %5 : f64
      %9 = arith.addf %6, %7 : f64
      %10 = arith.addf %8, %9 : f64
      affine.store %10, %A[%t, %i] : memref<?x?xf64>
    }
  }
  return
}

// What the sizes assume is said once. The store is under a condition on data.
// CHECK:      // value-based dependences in @conditional:
// CHECK-NEXT: // assuming n <= 40:
// CHECK-NEXT: // flow    last  S0 (may) -> S0        (+)  [n] -> { S0[i] -> S0[i'] : i >= 0 and i < i' < n }
// CHECK-NEXT: // anti    last  S0 -> S0 (may)        (+)  [n] -> { S0[i] -> S0[i'] : i >= 0 and i < i' < n }
// CHECK-NEXT: // output  last  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : i >= 0 and i < i' < n }
func.func @conditional(%A: memref<40xf64>, %last: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<40xf64>
    %l = affine.load %last[] : memref<f64>
    %c = arith.cmpf ogt, %a, %l : f64
    scf.if %c {
      affine.store %a, %last[] : memref<f64>
    }
  }
  return
}
