// LU: one loop of time, in which the statements alternate, and all else parallel.
// RUN: polyir-opt --feautrier-schedule --emit=poly %S/../../../examples/fig8-lu.mlir | filecheck %s

// CHECK: poly.band "[n] -> [{ S0[k, j] -> [(2k)]; S1[k, i, j] -> [(1 + 2k)] }]" permutable {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[k, j] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S0[k, j] -> [(j)] }]" permutable coincident [true]{{$}}
// CHECK: poly.filter "[n] -> { S1[k, i, j] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S1[k, i, j] -> [(i)] }, { S1[k, i, j] -> [(j)] }]" permutable coincident [true, true]{{$}}
