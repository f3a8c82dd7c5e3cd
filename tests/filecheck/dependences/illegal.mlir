// RUN: not polyir-opt --check-schedule --emit=poly %s 2>&1 | filecheck %s

// CHECK: illegal.mlir:{{[0-9]+}}:{{[0-9]+}}: error: the schedule violates the flow dependence through A: S0[1] must run before S0[2] (n = 3)
// CHECK-NOT: func.func
func.func @sweep(%A: memref<?xf64>, %n: index) {
  poly.scop (%n as "n") context "[n] -> { : n > 0 }" dependences <value, [flow "A" "[n] -> { S0[i] -> S0[i' = 1 + i] : 0 < i <= -2 + n }"]> {
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 < i < n }" (%i) {
      %0 = affine.load %A[%i - 1] : memref<?xf64>
      affine.store %0, %A[%i] : memref<?xf64>
    }
    poly.domain "[n] -> { S0[i] : 0 < i < n }" {
      poly.band "[{ S0[i] -> [(-i)] }]" coincident [false]
    }
  }
  return
}
