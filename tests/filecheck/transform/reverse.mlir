// RUN: polyir-opt --reverse=S0.0 --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --reverse=S0.0 %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --reverse=S2.0 %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --reverse=S0.x %s 2>&1 | filecheck %s --check-prefix MALFORMED
// RUN: not polyir-opt --reverse %s 2>&1 | filecheck %s --check-prefix MISSING

func.func @pair(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    affine.store %0, %b[%i] : memref<?xf64>
    %1 = affine.load %b[%i] : memref<?xf64>
    affine.store %1, %c[%i] : memref<?xf64>
  }
  affine.for %i = 1 to %n {
    %0 = affine.load %c[%i - 1] : memref<?xf64>
    affine.store %0, %c[%i] : memref<?xf64>
  }
  return
}

// LEGAL: remark: [reverse] reversed S0.0
// LEGAL: poly.band "[n] -> [{ {{S[01]}}[i] -> [(-i)]; {{S[01]}}[i] -> [(-i)] }]" permutable coincident [true] {

// LOOPS:      affine.for %[[T:[a-z0-9_]+]] = {{.*}} to 1 {
// LOOPS-NEXT:   %{{[0-9a-z_]+}} = affine.load %a[-%[[T]]]

// ILLEGAL: error: reversing S2.0 violates the flow dependence through c: S2[1] must run before S2[2] (n = 3)
// MALFORMED: error: 'S0.x' is not a loop
// MISSING: error: pass 'reverse' requires the option 'loop'
