// RUN: polyir-opt --shift="loop=S1.0 by=1 statements=S1" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --shift="loop=S1.0 by=n statements=S1" %s | filecheck %s --check-prefix APART
// RUN: polyir-opt --shift="loop=S0.0 by='2n - 1'" --emit=poly %s | filecheck %s --check-prefix ALL
// RUN: not polyir-opt --shift="loop=S1.0 by=-1 statements=S1" %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --shift="loop=S1.0 by=m" %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --shift="loop=S1.0 by=1 statements=S1/1" %s 2>&1 | filecheck %s --check-prefix PART

func.func @pair(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    affine.store %0, %b[%i] : memref<?xf64>
    %1 = affine.load %b[%i] : memref<?xf64>
    affine.store %1, %c[%i] : memref<?xf64>
  }
  return
}

// LEGAL: remark: [shift] shifted S1 by 1 along S1.0
// LEGAL: poly.band "[n] -> [{ {{(S1.* -> \[\(1 \+ i\)\]; S0.* -> \[\(i\)\])|(S0.* -> \[\(i\)\]; S1.* -> \[\(1 \+ i\)\])}} }]" permutable {

// APART:      affine.for %[[I:[a-z0-9_]+]] = 0 to %n {
// APART-NEXT:   %[[A:[0-9a-z_]+]] = affine.load %a[%[[I]]]
// APART-NEXT:   affine.store %[[A]], %b[%[[I]]]
// APART-NEXT: }
// APART-NEXT: affine.for %[[T:[a-z0-9_]+]] = %n to {{.*}} {
// APART-NEXT:   %[[B:[0-9a-z_]+]] = affine.load %b[%[[T]] - %n]
// APART-NEXT:   affine.store %[[B]], %c[%[[T]] - %n]

// ALL: poly.band "[n] -> [{ {{S[01]}}[i] -> [(-1 + 2n + i)]; {{S[01]}}[i] -> [(-1 + 2n + i)] }]" permutable coincident [true] {

// ILLEGAL: error: shifting S1 by -1 along S1.0 violates the flow dependence through b: S0[0] must run before S1[0] (n = 1)
// UNKNOWN: error: 'm' is not an affine expression of the parameters (n)
// PART: error: there is no part 'S1/1': S1 has 1 part
