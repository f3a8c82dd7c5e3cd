// Pluto, figure 10: five stencils in one loop, shifted by 0, 1, 2, 3 and 4.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig10-five-stencils.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{
// CHECK-SAME: S0[i] -> [(i)]; S1[i] -> [(1 + i)]; S2[i] -> [(2 + i)]; S3[i] -> [(3 + i)]; S4[i] -> [(4 + i)] }]" permutable {
// CHECK-NEXT: poly.sequence {
// CHECK-COUNT-5: poly.filter "[n] -> { S{{[0-4]}}[i] }"{{$}}
