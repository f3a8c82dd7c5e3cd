// Zinenko et al., 2017, figure 6: 2mm for CPUs, S1 (0,i,0,j), S2 (0,i,k,j), S3 (1,i,0,j), S4 (1,i,k,j).
// For GPUs the coalesced j comes first, and both parallel loops before k.
// RUN: polyir-opt --spatial-schedule --emit=poly %S/../../../benchmarks/polybench/2mm.mlir | filecheck %s
// RUN: polyir-opt --spatial-schedule=gpu --emit=poly %S/../../../benchmarks/polybench/2mm.mlir | filecheck %s --check-prefix GPU

// CHECK: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S0[i, j]; S1[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S0[i, j] -> [(i)]; S1[i, j, k] -> [(i)] }, { S0[i, j] -> [(0)]; S1[i, j, k] -> [(k)] }, { S0[i, j] -> [(j)]; S1[i, j, k] -> [(j)] }]" permutable coincident [true, false, true] {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S0[i, j] }"{{$}}
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S1[i, j, k] }"{{$}}
// CHECK: poly.filter "[ni, nj, nk, nl] -> { S2[i, j]; S3[i, j, k] }" {
// CHECK-NEXT: poly.band "[ni, nj, nk, nl] -> [{ S2[i, j] -> [(i)]; S3[i, j, k] -> [(i)] }, { S2[i, j] -> [(0)]; S3[i, j, k] -> [(k)] }, { S2[i, j] -> [(j)]; S3[i, j, k] -> [(j)] }]" permutable coincident [true, false, true] {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S2[i, j] }"{{$}}
// CHECK-NEXT: poly.filter "[ni, nj, nk, nl] -> { S3[i, j, k] }"{{$}}

// GPU: poly.band "[ni, nj, nk, nl] -> [{ S0[i, j] -> [(j)]; S1[i, j, k] -> [(j)] }, { S0[i, j] -> [(i)]; S1[i, j, k] -> [(i)] }, { S0[i, j] -> [(0)]; S1[i, j, k] -> [(k)] }]" permutable coincident [true, true, false] loop_attributes {{\[\[}}#poly.map<thread x>], [], []] {
// GPU: poly.band "[ni, nj, nk, nl] -> [{ S2[i, j] -> [(j)]; S3[i, j, k] -> [(j)] }, { S2[i, j] -> [(i)]; S3[i, j, k] -> [(i)] }, { S2[i, j] -> [(0)]; S3[i, j, k] -> [(k)] }]" permutable coincident [true, true, false] loop_attributes {{\[\[}}#poly.map<thread x>], [], []] {
