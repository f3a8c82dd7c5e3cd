// RUN: polyir-opt --strip-mine="loop=S0.1 size=16" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --strip-mine="loop=S0.0 size=8" %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --unroll="loop=S0.1 factor=4" --strip-mine="loop=S0.0" %s 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: not polyir-opt --strip-mine="loop=S0.0 size=1" %s 2>&1 | filecheck %s --check-prefix SIZE

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

// LEGAL: remark: [strip-mine] cut S0.1 into strips of 16
// LEGAL:      poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable {
// LEGAL-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j - (j) mod 16)] }, { S0[i, j] -> [(j)] }]" permutable{{$}}

// LOOPS:      affine.for %[[TI:[a-z0-9_]+]] = 0 to %n step 8 {
// LOOPS-NEXT:   affine.for %[[I:[a-z0-9_]+]] = max affine_map<{{.*}}>(%[[TI]]) to min affine_map<{{.*}}>({{.*}})[%n] {
// LOOPS-NEXT:     affine.for %[[J:[a-z0-9_]+]] = 1 to %n {
// LOOPS:            affine.store %{{[0-9]+}}, %a[%[[I]], %[[J]]]

// REFUSED: error: strip-mining S0.0 is not possible: the band of 1 over S0 contains AST options, which refer to enclosing loops by position
// SIZE: error: size must be 2 or more: size=1
