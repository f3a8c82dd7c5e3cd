// Pluto, section 4.2: the imperfect 1-d Jacobi is one band of 2; S1 runs one point behind S0.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig1b-jacobi-1d-imperfect.mlir | filecheck %s

// CHECK: poly.band "[t_end, n] -> [{ S0[t, i] -> [(t)]; S1[t, i] -> [(t)] }, { S0[t, i] -> [(2t + i)]; S1[t, i] -> [(1 + 2t + i)] }]" permutable {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[t_end, n] -> { S0[t, i] }"{{$}}
// CHECK-NEXT: poly.filter "[t_end, n] -> { S1[t, i] }"{{$}}
