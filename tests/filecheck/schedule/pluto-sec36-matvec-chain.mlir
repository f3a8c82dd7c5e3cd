// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/sec36-matvec-chain.mlir | filecheck %s

// Section 3.6: no loop for all three products; the first two share one.

// CHECK: poly.domain
// CHECK-NEXT:   poly.sequence {
// CHECK-NEXT:     poly.filter "[n] -> { S0[i, j]; S1[i, j] }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(j)] }]" permutable coincident [false] {
// CHECK-NEXT:         poly.sequence {
// CHECK-NEXT:           poly.filter "[n] -> { S0[i, j] }" {
// CHECK-NEXT:             poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [false]
// CHECK-NEXT:           }
// CHECK-NEXT:           poly.filter "[n] -> { S1[i, j] }" {
// CHECK-NEXT:             poly.band "[n] -> [{ S1[i, j] -> [(i)] }]" permutable coincident [true]
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     poly.filter "[n] -> { S2[i, j] }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S2[i, j] -> [(i)] }, { S2[i, j] -> [(j)] }]" permutable coincident [true, false]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
