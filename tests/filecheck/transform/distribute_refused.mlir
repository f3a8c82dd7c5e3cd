// RUN: not polyir-opt --distribute=S1 %s 2>&1 | filecheck %s
// RUN: not polyir-opt --distribute=S3 %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --distribute %s 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not polyir-opt --distribute="statements=S0 size=1" %s 2>&1 | filecheck %s --check-prefix OPTION

// What S1 writes is what S0 reads in the next iteration.
func.func @cycle(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %b[%i - 1] : memref<?xf64>
    affine.store %0, %a[%i] : memref<?xf64>
    %1 = affine.load %a[%i] : memref<?xf64>
    affine.store %1, %b[%i] : memref<?xf64>
  }
  return
}

// CHECK: distribute_refused.mlir:8:3: error: distributing S1 violates the flow dependence through b: S1[1] must run before S0[2] (n = 3)
// UNKNOWN: error: pass 'distribute': there is no statement 'S3' (statements: S0, S1)
// MISSING: error: give a statement to distribute, as in statements=S0
// OPTION: error: pass 'distribute' has no option 'size'
