// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig3-matvec-pair.mlir | filecheck %s

// Figure 3 as printed: the second product writes y while the first still reads it, so that the fused
// loop of the figure would be wrong; the two are distributed, each with a parallel loop. Without that
// anti dependence they share a loop: tests/unit/test_pluto_expected.py.

// CHECK: poly.domain
// CHECK-NEXT:   poly.sequence {
// CHECK-NEXT:     poly.filter "[n] -> { S0[i, j] }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable coincident [true, false]
// CHECK-NEXT:     }
// CHECK-NEXT:     poly.filter "[n] -> { S1[i, j] }" {
// CHECK-NEXT:       poly.band "[n] -> [{ S1[i, j] -> [(i)] }, { S1[i, j] -> [(j)] }]" permutable coincident [true, false]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
