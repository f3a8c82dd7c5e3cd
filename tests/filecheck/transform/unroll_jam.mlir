// RUN: polyir-opt --unroll-jam="loop=S0.0 factor=2" --remarks --emit=poly %s 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: polyir-opt --unroll-jam="loop=S0.0 factor=2" %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --unroll-jam="loop=S1.0 factor=2" %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --unroll-jam="loop=S0.1" %s 2>&1 | filecheck %s --check-prefix INNERMOST
// RUN: not polyir-opt --unroll-jam="loop=S0.0 factor=1" %s 2>&1 | filecheck %s --check-prefix FACTOR

func.func @two(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %b[%j, %i] : memref<?x?xf64>
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// LEGAL: remark: [unroll-jam] unrolled S0.0 by 2 and jammed the copies
// LEGAL:      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 2)] }]" permutable coincident [true] options "{{.*}}isolate[{{.*}}" {
// LEGAL-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [true] {
// LEGAL-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }]" permutable coincident [true] loops [unroll]

// LOOPS:      affine.for %[[I:[a-z0-9_]+]] = 0 to {{.*}} step 2 {
// LOOPS-NEXT:   affine.for %[[J:[a-z0-9_]+]] = 0 to %n {
// LOOPS-NEXT:     %[[X:[0-9a-z_]+]] = affine.load %b[%[[J]], %[[I]]]
// LOOPS-NEXT:     affine.store %[[X]], %a[%[[I]], %[[J]]]
// LOOPS-NEXT:     %[[Y:[0-9a-z_]+]] = affine.load %b[%[[J]], %[[I]] + 1]
// LOOPS-NEXT:     affine.store %[[Y]], %a[%[[I]] + 1, %[[J]]]
// LOOPS-NEXT:   }

// ILLEGAL: error: unrolling S1.0 by 2 into its inner loops violates the flow dependence through a: S1[{{[0-9]+}}, {{[0-9]+}}] must run before S1[{{[0-9]+}}, {{[0-9]+}}]
// INNERMOST: error: there is no loop inside S0.1 to jam (see unroll)
// FACTOR: error: factor must be 2 or more: factor=1
