// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig1b-jacobi-1d-imperfect.mlir | filecheck %s

// Section 4.2, figure 1b: (1,0) and (2,1), the second statement shifted by one along (2,1).

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[t_end, n] -> [{ S0[t, i] -> [(t)]; S1[t, i] -> [(t)] }, { S0[t, i] -> [(2t + i)]; S1[t, i] -> [(1 + 2t + i)] }]" permutable coincident [false, false] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter "[t_end, n] -> { S0[t, i] }"
// CHECK-NEXT:       poly.filter "[t_end, n] -> { S1[t, i] }"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
