// Pluto, figure 11: nests 1 and 2, and 3 and 4, are fused under two common outer loops, so that
// each intermediate is consumed in the nest that follows it.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig11-tce-four-index.mlir | filecheck %s

// CHECK: poly.domain
// CHECK-NEXT: poly.band "[n] -> [{ S0[a, q, r, s, p] -> [(a)]; S1[a, b, r, s, q] -> [(a)]; S2[a, b, c, s, r] -> [(a)]; S3[a, b, c, d, s] -> [(a)] }, { S0[a, q, r, s, p] -> [(s)]; S1[a, b, r, s, q] -> [(s)]; S2[a, b, c, s, r] -> [(s)]; S3[a, b, c, d, s] -> [(s)] }]" permutable coincident [true, false] {
// CHECK-NEXT: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[a, q, r, s, p]; S1[a, b, r, s, q] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S0[a, q, r, s, p] -> [(r)]; S1[a, b, r, s, q] -> [(r)] }, { S0[a, q, r, s, p] -> [(q)]; S1[a, b, r, s, q] -> [(q)] }]" permutable coincident [true, false] {
// CHECK: poly.filter "[n] -> { S2[a, b, c, s, r]; S3[a, b, c, d, s] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S2[a, b, c, s, r] -> [(b)]; S3[a, b, c, d, s] -> [(b)] }, { S2[a, b, c, s, r] -> [(c)]; S3[a, b, c, d, s] -> [(c)] }]" permutable coincident [true, true] {
