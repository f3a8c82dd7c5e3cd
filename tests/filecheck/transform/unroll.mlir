// RUN: polyir-opt --unroll="loop=S0.1 factor=4" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --unroll="loop=S0.1 factor=2" %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --strip-mine="loop=S0.1 size=2" --unroll=S0.2 --emit=poly %s | filecheck %s --check-prefix COMPLETE
// RUN: not polyir-opt --unroll=S0.1 %s 2>&1 | filecheck %s --check-prefix COUNT
// RUN: not polyir-opt --unroll="loop=S0.1 factor=2" --unroll="loop=S0.0 factor=2" %s 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: not polyir-opt --unroll="loop=S0.1 factor=1" %s 2>&1 | filecheck %s --check-prefix FACTOR

func.func @stencil(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// LEGAL: remark: [unroll] unrolled S0.1 by 4
// LEGAL:      poly.band "[n] -> [{ S0[i, j] -> [(j - (j) mod 4)] }]" permutable options "{{.*}}isolate[{{.*}}" {
// LEGAL-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable loops [unroll]

// LOOPS:      affine.for %[[I:[a-z0-9_]+]] = 1 to %n {
// LOOPS:        affine.for %[[J:[a-z0-9_]+]] = 2 to {{.*}} step 2 {
// LOOPS:          affine.store %{{[0-9]+}}, %a[%[[I]], %[[J]]]
// LOOPS:          affine.store %{{[0-9]+}}, %a[%[[I]], %[[J]] + 1]
// LOOPS-NEXT:   }

// COMPLETE: poly.band "[n] -> [{ S0[i, j] -> [(j - (j) mod 2)] }, { S0[i, j] -> [(j)] }]" permutable loops [default, unroll]

// COUNT: error: the number of iterations of S0.1 is not constant: give a factor, as in factor=4
// REFUSED: error: unrolling S0.0 is not possible: the band of 1 over S0 contains AST options, which refer to enclosing loops by position
// FACTOR: error: factor must be 2 or more, or 0 to unroll completely: factor=1
