// RUN: polyir-opt --promote="loop=S0.0 reverse=1 space=heap" --emit=c %s 2>&1 | filecheck %s

// A is read in two groups; since the second cannot be promoted, the first is not, either.

func.func @rows(%n: index, %A: memref<?x?xf64>, %x: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i, 0] : memref<?x?xf64>
    affine.store %0, %x[%i, 0] : memref<?x?xf64>
    affine.for %j = 1 to %n {
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %1, %x[%i, 0] : memref<?x?xf64>
    }
  }
  return
}

// CHECK: warning: [promote] A cannot be promoted: a size depends on parameters, so that dimension cannot run backwards
// CHECK-NOT: A_local
// CHECK: x_local = A[i][0];
// CHECK: x_local = A[i][j];
