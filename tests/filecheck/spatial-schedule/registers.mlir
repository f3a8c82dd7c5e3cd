// jacobi-2d has h = 30 in three loops. With a limit of 32 it is one band for wavefronts (Zinenko et
// al., 2017, section 5.5). By default there is a sequential loop around parallel ones.
// RUN: polyir-opt --spatial-schedule --emit=poly --remarks %S/../../../benchmarks/polybench/jacobi-2d.mlir 2>&1 | filecheck %s
// RUN: polyir-opt --spatial-schedule="register-limit=32" --emit=poly --remarks %S/../../../benchmarks/polybench/jacobi-2d.mlir 2>&1 | filecheck %s --check-prefix WIDE

// CHECK: remark: [spatial-schedule] sequential loop for S0, S1: no band has a parallel outermost loop, and the statements need 30 registers (register-limit is 28)
// CHECK: poly.band "[tsteps, n] -> [{ S0[t, i, j] -> [(t)]; S1[t, i, j] -> [(t)] }]" permutable {
// CHECK: poly.band "[tsteps, n] -> [{ S0[t, i, j] -> [(i)] }, { S0[t, i, j] -> [(j)] }]" permutable coincident [true, true]
// CHECK: poly.band "[tsteps, n] -> [{ S1[t, i, j] -> [(i)] }, { S1[t, i, j] -> [(j)] }]" permutable coincident [true, true]

// WIDE: remark: [spatial-schedule] band of 3 for S0, S1: no parallel members
// WIDE: poly.band "[tsteps, n] -> [{ S0[t, i, j] -> [(t)]; S1[t, i, j] -> [(t)] }, { S0[t, i, j] -> [(2t + i)]; S1[t, i, j] -> [(1 + 2t + i)] }, { S0[t, i, j] -> [(2t + j)]; S1[t, i, j] -> [(1 + 2t + j)] }]" permutable {
