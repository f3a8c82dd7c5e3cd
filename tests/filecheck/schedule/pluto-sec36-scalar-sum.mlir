// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/sec36-scalar-sum.mlir | filecheck %s

// Section 3.6: two bands of one, nothing parallel.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [false] {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [false]
// CHECK-NEXT:   }
// CHECK-NEXT: }
