// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig8-lu.mlir | filecheck %s

// Figure 8: one band of three, the last row of S0 being what embeds it in the loops of S1.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S0[k, j] -> [(k)]; S1[k, i, j] -> [(k)] }, { S0[k, j] -> [(j)]; S1[k, i, j] -> [(j)] }, { S0[k, j] -> [(k)]; S1[k, i, j] -> [(i)] }]" permutable coincident [false, false, false] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter "[n] -> { S0[k, j] }"
// CHECK-NEXT:       poly.filter "[n] -> { S1[k, i, j] }"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
