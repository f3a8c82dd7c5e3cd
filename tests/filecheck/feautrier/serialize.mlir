// Two products in a chain: in common time the second is delayed by n; serialized it comes after.
// RUN: polyir-opt --feautrier-schedule --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s --check-prefix TIME
// RUN: polyir-opt --feautrier-schedule=serialize --emit=poly %S/../../../examples/fig9-matmul-chain.mlir | filecheck %s --check-prefix SERIAL

// TIME: poly.band "[n] -> [{ S0[i, j, k] -> [(k)]; S1[i, j, k] -> [(n + k)] }]" permutable {

// SERIAL: poly.sequence {
// SERIAL-NEXT: poly.filter "[n] -> { S0[i, j, k] }" {
// SERIAL-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(k)] }]" permutable {
// SERIAL-NEXT: poly.band "[n] -> [{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }]" permutable coincident [true, true]{{$}}
// SERIAL: poly.filter "[n] -> { S1[i, j, k] }" {
// SERIAL-NEXT: poly.band "[n] -> [{ S1[i, j, k] -> [(k)] }]" permutable {
