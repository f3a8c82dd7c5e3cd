// Zinenko et al., 2017, section 5: Pluto's 2mm with its default fusion, S1 (0,i,j,1,0), S2 (1,i,j,0,k),
// S3 (0,i,j,0,0), S4 (1,i,k,1,j). S1 and S3 have nothing in common: which of them comes first in
// their loops is left open here.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../benchmarks/polybench/2mm.mlir | filecheck %s

// CHECK: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S0[i, j]; S2[i, j] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S0[i, j] -> [(i)]; S2[i, j] -> [(i)] }, { S0[i, j] -> [(j)]; S2[i, j] -> [(j)] }]" permutable coincident [true, true] {
// CHECK: poly.filter "[ni, nj, nk, nl] -> { S1[i, j, k]; S3[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S1[i, j, k] -> [(i)]; S3[i, j, k] -> [(i)] }, { S1[i, j, k] -> [(j)]; S3[i, j, k] -> [(k)] }]" permutable coincident [true, false] {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S1[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S1[i, j, k] -> [(k)] }]" permutable{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S3[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S3[i, j, k] -> [(j)] }]" permutable coincident [true]
