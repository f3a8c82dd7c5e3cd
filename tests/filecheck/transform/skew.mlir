// RUN: polyir-opt --skew="loop=S0.1 by=S0.0" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt -p "skew{loop=S0.1 by=S0.0 factor=2}" %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --skew="loop=S0.1 by=S0.0" --interchange=S0.0,S0.1 %s | filecheck %s --check-prefix EXCHANGED
// RUN: not polyir-opt --skew="loop=S0.0 by=S0.1 factor=2" %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --skew="loop=S0.1 by=S0.0 factor=0" %s 2>&1 | filecheck %s --check-prefix ZERO
// RUN: not polyir-opt --skew="loop=S0.1 by=S0.1" %s 2>&1 | filecheck %s --check-prefix ITSELF
// RUN: not polyir-opt --skew="loop=S0.1" %s 2>&1 | filecheck %s --check-prefix MISSING

func.func @wave(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// LEGAL: remark: [skew] skewed S0.1 by 1 * S0.0
// LEGAL:      poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable {
// LEGAL-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }]" permutable coincident [true]

// LOOPS:      affine.for %[[I:[a-z0-9_]+]] = 1 to %n {
// LOOPS-NEXT:   affine.for %[[T:[a-z0-9_]+]] = affine_map<{{.*}} * 2)>(%[[I]]) to {{.*}} {
// LOOPS:          affine.store %{{[0-9]+}}, %a[%[[I]], %[[T]] - %[[I]] * 2]

// EXCHANGED:      affine.for %[[T:[a-z0-9_]+]] = 1 to
// EXCHANGED-NEXT:   affine.for %[[I:[a-z0-9_]+]] =
// EXCHANGED:          affine.store %{{[0-9]+}}, %a[%[[I]], %[[T]] - %[[I]]]

// ILLEGAL: error: skewing S0.0 by 2 * S0.1 violates the flow dependence through a: S0[1, 1] must run before S0[2, 0] (n = 3)
// ZERO: error: factor must not be 0
// ITSELF: error: a loop cannot be skewed by itself: loop=S0.1 by=S0.1
// MISSING: error: pass 'skew' requires the option 'by'
