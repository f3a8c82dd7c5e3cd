// Paper 001, section 5.5: jacobi-2d has an h of 30. Below the limit it is one band for wavefronts,
// above it a sequential loop over parallel ones.
// RUN: polyir-opt --spatial-schedule --emit=poly --remarks %S/../../../benchmarks/polybench/jacobi-2d.mlir 2>&1 | filecheck %s
// RUN: polyir-opt --spatial-schedule="register-limit=32" --emit=poly --remarks %S/../../../benchmarks/polybench/jacobi-2d.mlir 2>&1 | filecheck %s --check-prefix WIDE

// CHECK: remark: [spatial-schedule] sequential loop for S0, S1: no band is parallel outside, and 30 registers are more than 28
// CHECK: poly.band "[tsteps, n] -> [{ S0[t, i, j] -> [(t)]; S1[t, i, j] -> [(t)] }]" permutable coincident [false] {
// CHECK: poly.band "[tsteps, n] -> [{ S0[t, i, j] -> [(i)] }, { S0[t, i, j] -> [(j)] }]" permutable coincident [true, true]
// CHECK: poly.band "[tsteps, n] -> [{ S1[t, i, j] -> [(i)] }, { S1[t, i, j] -> [(j)] }]" permutable coincident [true, true]

// WIDE: remark: [spatial-schedule] band of 3 for S0, S1: no parallel members
// WIDE: poly.band "[tsteps, n] -> [{ S0[t, i, j] -> [(t)]; S1[t, i, j] -> [(t)] }, { S0[t, i, j] -> [(2t + i)]; S1[t, i, j] -> [(1 + 2t + i)] }, { S0[t, i, j] -> [(2t + j)]; S1[t, i, j] -> [(1 + 2t + j)] }]" permutable coincident [false, false, false] {
