// RUN: polyir-opt --interchange=S0.0,S1.1 --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --interchange=S0.1,S0.0 %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --interchange=S2.0,S2.1 %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --interchange=S1.0,S1.2 %s 2>&1 | filecheck %s --check-prefix IMPERFECT
// RUN: not polyir-opt --interchange=S1.2,S2.1 %s 2>&1 | filecheck %s --check-prefix APART
// RUN: not polyir-opt --interchange=S0.0 %s 2>&1 | filecheck %s --check-prefix ONE
// RUN: not polyir-opt --interchange=S0.0,S7.1 %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --interchange=S0.0,S0.2 %s 2>&1 | filecheck %s --check-prefix BEYOND
// RUN: not polyir-opt --interchange=S0.0,S0 %s 2>&1 | filecheck %s --check-prefix MALFORMED

func.func @product(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %c[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf64>
        %1 = affine.load %b[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %c[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %c[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %c[%i - 1, symbol(%n) - %j] : memref<?x?xf64>
      affine.store %0, %c[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// LEGAL: interchange.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: [interchange] interchanged S0.0, S1.1
// LEGAL:      poly.band "[n] -> [{ {{.*}} -> [(j)]; {{.*}} -> [(j)] }]" permutable coincident [true] {
// LEGAL-NEXT:   poly.band "[n] -> [{ {{.*}} -> [(i)]; {{.*}} -> [(i)] }]" permutable coincident [true] {
// LEGAL-NEXT:     poly.sequence {

// LOOPS:      affine.for %[[J:[a-z0-9_]+]] = 0 to %n {
// LOOPS-NEXT:   affine.for %[[I:[a-z0-9_]+]] = 0 to %n {
// LOOPS:          affine.store %{{.*}}, %c[%[[I]], %[[J]]]

// ILLEGAL: error: interchanging S2.0, S2.1 violates the flow dependence through c: S2[1, {{[0-9]+}}] must run before S2[2, {{[0-9]+}}] (n = {{[0-9]+}})
// IMPERFECT: error: S1.0 and S1.2 are not perfectly nested: S1.0 contains S0, S1, but S1.2 contains only S1 (see distribute)
// APART: error: S1.2 and S2.1 are not nested
// ONE: error: interchange needs two loops, as in loops=S0.0,S0.1: loops=S0.0
// UNKNOWN: error: pass 'interchange': there is no statement 'S7' (statements: S0, S1, S2)
// BEYOND: error: there is no loop 'S0.2': S0 has 2 loops
// MALFORMED: error: 'S0' is not a loop: write S0.1 for the second loop around S0; loops are counted from the outside, from 0
