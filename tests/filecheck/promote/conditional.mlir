// RUN: not polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=A loop=S0.0" %s 2>&1 | filecheck %s
// RUN: not polyir-opt --strip-mine="loop=S0.0 size=8" --promote="arrays=B loop=S0.0" %s 2>&1 | filecheck %s --check-prefix READ

// Under a condition that is not part of the domain, nothing says that the elements are there.

func.func @some(%n: index, %x: memref<?xf64>, %A: memref<?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf64>
    %1 = arith.cmpf olt, %0, %zero : f64
    scf.if %1 {
      %2 = affine.load %B[%i] : memref<?xf64>
      affine.store %2, %A[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK: conditional.mlir:8:3: error: A cannot be promoted: an access is conditional, and what it accesses may not be there
// READ: conditional.mlir:8:3: error: B cannot be promoted: an access is conditional, and what it accesses may not be there
