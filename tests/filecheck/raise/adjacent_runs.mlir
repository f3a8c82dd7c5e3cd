// Loops that directly follow each other, but cannot be in one scop, become two scops.
// RUN: polyir-opt --emit=poly %s | filecheck %s
// RUN: polyir-opt --emit=c %s | filecheck %s --check-prefix=C

func.func @views(%A: memref<12xf64>, %n: index) {
  %V = memref.subview %A[0] [4] [2] : memref<12xf64> to memref<4xf64, strided<[2]>>
  %W = memref.subview %A[%n] [4] [1] : memref<12xf64> to memref<4xf64, strided<[1], offset: ?>>
  // CHECK: poly.scop
  // CHECK: affine.store %{{.*}}, %V[
  // CHECK: poly.scop
  // CHECK: affine.store %{{.*}}, %W[
  // CHECK-NOT: affine.for
  // C: A[2 * i] =
  affine.for %i = 0 to 4 {
    %a = affine.load %V[%i] : memref<4xf64, strided<[2]>>
    %b = arith.addf %a, %a : f64
    affine.store %b, %V[%i] : memref<4xf64, strided<[2]>>
  }
  // C: A[{{.*}}j{{.*}}] =
  affine.for %j = 0 to 4 {
    %a = affine.load %W[%j] : memref<4xf64, strided<[1], offset: ?>>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %W[%j] : memref<4xf64, strided<[1], offset: ?>>
  }
  return
}
