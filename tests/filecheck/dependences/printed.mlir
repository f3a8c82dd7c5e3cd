// RUN: polyir-opt --print-dependences --emit=none %s | filecheck %s
// RUN: polyir-opt --poly-dependences=false --print-dependences --emit=none %s | filecheck %s --check-prefix MEMORY
// RUN: polyir-opt --poly-dependences --emit=poly %s | filecheck %s --check-prefix POLY
// RUN: polyir-opt --poly-dependences --pluto-schedule --tile=8 --check-schedule --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix LEGAL

// CHECK: // value-based dependences in @jacobi:
// CHECK-NEXT: // flow    A  S0 -> S0  (1,-1) (1,0) (1,1)  [steps, n] -> {
// CHECK-NEXT: // anti    A  S0 -> S0  (1,-1) (1,0) (1,1)  [steps, n] -> {
// CHECK-NEXT: // output  A  S0 -> S0  (2,0) {{ +}} [steps, n] -> { S0[t, i] -> S0[t' = 2 + t, i' = i]
// CHECK-NOT: S0 -> S0
// MEMORY: // memory-based dependences in @jacobi:
// MEMORY-NEXT: // flow    A  S0 -> S0  (1.. step 2,-1..1)  [steps, n] -> {
// MEMORY-NEXT: // anti    A  S0 -> S0  (1.. step 2,-1..1)  [steps, n] -> {
// MEMORY-NEXT: // output  A  S0 -> S0  (2.. step 2,0) {{ +}} [steps, n] -> {
// POLY: poly.scop {{.*}} dependences <value, [
// POLY-NEXT: flow "A" "[steps, n] -> { S0[
// LEGAL: printed.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: [poly-dependences] value-based dependences: 1 flow, 1 anti, 1 output
// LEGAL: remark: [check-schedule] all {{[0-9]+}} dependences hold
func.func @jacobi(%steps: index, %n: index, %A: memref<2x?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %left = affine.load %A[%t mod 2, %i - 1] : memref<2x?xf64>
      %middle = affine.load %A[%t mod 2, %i] : memref<2x?xf64>
      %right = affine.load %A[%t mod 2, %i + 1] : memref<2x?xf64>
      %partial = arith.addf %left, %middle : f64
      %sum = arith.addf %partial, %right : f64
      affine.store %sum, %A[(%t + 1) mod 2, %i] : memref<2x?xf64>
    }
  }
  return
}
