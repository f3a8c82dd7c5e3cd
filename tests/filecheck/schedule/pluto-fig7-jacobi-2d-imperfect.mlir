// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig7-jacobi-2d-imperfect.mlir | filecheck %s

// Figure 7: one band of three.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[t_end, n] -> [{ S0[t, i, j] -> [(t)]; S1[t, k, l] -> [(t)] }, { S0[t, i, j] -> [(2t + i)]; S1[t, k, l] -> [(1 + 2t + k)] }, { S0[t, i, j] -> [(2t + j)]; S1[t, k, l] -> [(1 + 2t + l)] }]" permutable coincident [false, false, false] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter "[t_end, n] -> { S0[t, i, j] }"
// CHECK-NEXT:       poly.filter "[t_end, n] -> { S1[t, k, l] }"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
