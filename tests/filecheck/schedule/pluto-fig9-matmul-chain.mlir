// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s

// Figure 9, with the parallel row of the outer band first: C is consumed where it is complete.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j, k] -> [(j)]; S1[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(i)]; S1[i, j, k] -> [(k)] }]" permutable coincident [true, false] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter "[n] -> { S0[i, j, k] }" {
// CHECK-NEXT:         poly.band "[n] -> [{ S0[i, j, k] -> [(k)] }]" permutable coincident [false]
// CHECK-NEXT:       }
// CHECK-NEXT:       poly.filter "[n] -> { S1[i, j, k] }" {
// CHECK-NEXT:         poly.band "[n] -> [{ S1[i, j, k] -> [(i)] }]" permutable coincident [true]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
