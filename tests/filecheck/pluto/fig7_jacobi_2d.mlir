// Pluto, figure 7: the imperfect 2-d Jacobi is one band of 3.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig7-jacobi-2d-imperfect.mlir | filecheck %s

// CHECK: poly.band "[t_end, n] -> [{ S0[t, i, j] -> [(t)]; S1[t, k, l] -> [(t)] }, { S0[t, i, j] -> [(2t + i)]; S1[t, k, l] -> [(1 + 2t + k)] }, { S0[t, i, j] -> [(2t + j)]; S1[t, k, l] -> [(1 + 2t + l)] }]" permutable {
// CHECK-NEXT: poly.sequence {
