// RUN: polyir-opt --wavefront --emit=poly %s 2>&1 | filecheck %s
// RUN: not polyir-opt --wavefront=0 %s 2>&1 | filecheck %s --check-prefix NONE
// RUN: not polyir-opt --wavefront=some %s 2>&1 | filecheck %s --check-prefix TYPE
// RUN: not polyir-opt --wavefront="degree=1" %s 2>&1 | filecheck %s --check-prefix OPTION

// The loops carry (1,-1), so that their wavefronts would come too early.
func.func @sum(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:     wavefront_refused.mlir:8:3: warning: [wavefront] no wavefronts were created: there is no permutable band of 2 or more: the loops from the band of 1 over S0 down are not permutable, because array a carries (1,-1): S0[1, 2] must run before S0[2, 1] (n = 4)
// CHECK-NOT: i + j

// NONE:   error: degrees must be 1 or more, or all: degrees=0
// TYPE:   error: option 'degrees' of pass 'wavefront' must be integer or all, not 'some'
// OPTION: error: pass 'wavefront' has no option 'degree'; did you mean 'degrees'?
