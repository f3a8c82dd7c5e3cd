// Pluto, figure 8: LU is one band of 3; the row of depth 2 repeats its k in the third loop.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig8-lu.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[k, j] -> [(k)]; S1[k, i, j] -> [(k)] }, { S0[k, j] -> [(j)]; S1[k, i, j] -> [(j)] }, { S0[k, j] -> [(k)]; S1[k, i, j] -> [(i)] }]" permutable {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[k, j] }"{{$}}
// CHECK-NEXT: poly.filter "[n] -> { S1[k, i, j] }"{{$}}
