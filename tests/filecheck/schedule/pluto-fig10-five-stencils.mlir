// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig10-five-stencils.mlir | filecheck %s

// Figure 10: five loops in one, with shifts 0 to 4.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S3[i] -> [(3 + i)]; S2[i] -> [(2 + i)]; S0[i] -> [(i)]; S1[i] -> [(1 + i)]; S4[i] -> [(4 + i)] }]" permutable coincident [false] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter "[n] -> { S0[i] }"
// CHECK-NEXT:       poly.filter "[n] -> { S1[i] }"
// CHECK-NEXT:       poly.filter "[n] -> { S2[i] }"
// CHECK-NEXT:       poly.filter "[n] -> { S3[i] }"
// CHECK-NEXT:       poly.filter "[n] -> { S4[i] }"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
