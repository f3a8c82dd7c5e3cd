// To share loops costs a parallel one here: `typed` keeps the products apart, `max` does not.
// RUN: polyir-opt --isl-schedule --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s --check-prefix APART
// RUN: polyir-opt --isl-schedule=min --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s --check-prefix APART
// RUN: polyir-opt --isl-schedule=max --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s --check-prefix FUSED

// APART: poly.sequence {
// APART-NEXT: poly.filter "[n] -> { S0[i, j, k] }" {
// APART-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]" permutable coincident [true, true, false]{{$}}
// APART: poly.filter "[n] -> { S1[i, j, k] }" {
// APART-NEXT: poly.band "[n] -> [{ S1[i, j, k] -> [(i)] }, { S1[i, j, k] -> [(j)] }, { S1[i, j, k] -> [(k)] }]" permutable coincident [true, true, false]{{$}}

// The row with n, a coefficient of a parameter, lets the second product follow in the third loop.
// FUSED: poly.band "[n] -> [{ S0[i, j, k] -> [(j)]; S1[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(i)]; S1[i, j, k] -> [(k)] }, { S0[i, j, k] -> [(k)]; S1[i, j, k] -> [(n + i)] }]" permutable coincident [true, false, false] {
