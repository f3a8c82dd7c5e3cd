// RUN: polyir-opt --scale="loop=S1.0 factor=2 statements=S1" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --scale="loop=S1.0 factor=3" %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --scale="loop=S1.0 factor=2 statements=S0" %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --scale="loop=S1.0 factor=1" %s 2>&1 | filecheck %s --check-prefix ONE
// RUN: not polyir-opt --scale="loop=S1.0 factor=n" %s 2>&1 | filecheck %s --check-prefix TYPE

func.func @pair(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    affine.store %0, %b[%i] : memref<?xf64>
    %1 = affine.load %b[%i] : memref<?xf64>
    affine.store %1, %c[%i] : memref<?xf64>
  }
  return
}

// LEGAL: remark: [scale] scaled S1 by 2 along S1.0
// LEGAL: poly.band "[n] -> [{ {{(S1.* -> \[\(2i\)\]; S0.* -> \[\(i\)\])|(S0.* -> \[\(i\)\]; S1.* -> \[\(2i\)\])}} }]" permutable {

// A loop without gaps between its iterations is generated as before.

// LOOPS:      affine.for %[[T:[a-z0-9_]+]] = 0 to %n {
// LOOPS-NEXT:   %{{[0-9a-z_]+}} = affine.load %a[%[[T]]]

// ILLEGAL: error: scaling S0 by 2 along S1.0 violates the flow dependence through b: S0[1] must run before S1[1] (n = 2)
// ONE: error: factor must be 2 or more: factor=1
// TYPE: error: option 'factor' of pass 'scale' must be integer, not 'n'
