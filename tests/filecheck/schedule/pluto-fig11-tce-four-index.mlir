// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig11-tce-four-index.mlir | filecheck %s

// Figure 11: two loops for all four nests, two more for each pair.

// CHECK: poly.domain
// CHECK-NEXT:   poly.band "[n] -> [{ S2[a, b, c, s, r] -> [(a)]; S0[a, q, r, s, p] -> [(a)]; S1[a, b, r, s, q] -> [(a)]; S3[a, b, c, d, s] -> [(a)] }, { S2[a, b, c, s, r] -> [(s)]; S0[a, q, r, s, p] -> [(s)]; S1[a, b, r, s, q] -> [(s)]; S3[a, b, c, d, s] -> [(s)] }]" permutable coincident [true, false] {
// CHECK-NEXT:     poly.sequence {
// CHECK-NEXT:       poly.filter "[n] -> { S1[a, b, r, s, q]; S0[a, q, r, s, p] }" {
// CHECK-NEXT:         poly.band "[n] -> [{ S0[a, q, r, s, p] -> [(r)]; S1[a, b, r, s, q] -> [(r)] }, { S0[a, q, r, s, p] -> [(q)]; S1[a, b, r, s, q] -> [(q)] }]" permutable coincident [true, false] {
// CHECK-NEXT:           poly.sequence {
// CHECK-NEXT:             poly.filter "[n] -> { S0[a, q, r, s, p] }" {
// CHECK-NEXT:               poly.band "[n] -> [{ S0[a, q, r, s, p] -> [(p)] }]" permutable coincident [false]
// CHECK-NEXT:             }
// CHECK-NEXT:             poly.filter "[n] -> { S1[a, b, r, s, q] }" {
// CHECK-NEXT:               poly.band "[n] -> [{ S1[a, b, r, s, q] -> [(b)] }]" permutable coincident [true]
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       poly.filter "[n] -> { S2[a, b, c, s, r]; S3[a, b, c, d, s] }" {
// CHECK-NEXT:         poly.band "[n] -> [{ S2[a, b, c, s, r] -> [(b)]; S3[a, b, c, d, s] -> [(b)] }, { S2[a, b, c, s, r] -> [(c)]; S3[a, b, c, d, s] -> [(c)] }]" permutable coincident [true, true] {
// CHECK-NEXT:           poly.sequence {
// CHECK-NEXT:             poly.filter "[n] -> { S2[a, b, c, s, r] }" {
// CHECK-NEXT:               poly.band "[n] -> [{ S2[a, b, c, s, r] -> [(r)] }]" permutable coincident [false]
// CHECK-NEXT:             }
// CHECK-NEXT:             poly.filter "[n] -> { S3[a, b, c, d, s] }" {
// CHECK-NEXT:               poly.band "[n] -> [{ S3[a, b, c, d, s] -> [(d)] }]" permutable coincident [true]
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
