// Zinenko et al., 2017, section 5: plain isl scheduling of 2mm, S1 (0,i,j,0), S2 (0,i,j,k), S3 (1,i,j,0), S4 (1,i,j,k).
// RUN: polyir-opt --isl-schedule --emit=poly %S/../../../benchmarks/polybench/2mm.mlir | filecheck %s

// CHECK: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S0[i, j]; S1[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S0[i, j] -> [(i)]; S1[i, j, k] -> [(i)] }, { S0[i, j] -> [(j)]; S1[i, j, k] -> [(j)] }, { S0[i, j] -> [(0)]; S1[i, j, k] -> [(k)] }]" permutable coincident [true, true, false] {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S0[i, j] }"{{$}}
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S1[i, j, k] }"{{$}}
// CHECK: poly.filter "[ni, nj, nk, nl] -> { S2[i, j]; S3[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S2[i, j] -> [(i)]; S3[i, j, k] -> [(i)] }, { S2[i, j] -> [(j)]; S3[i, j, k] -> [(j)] }, { S2[i, j] -> [(0)]; S3[i, j, k] -> [(k)] }]" permutable coincident [true, true, false] {
