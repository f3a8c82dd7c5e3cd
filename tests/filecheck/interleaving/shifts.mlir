// Statements that share a loop may be shifted against each other, by at most `shift` iterations;
// with `rows=any`, by a size, or they may run backward.
// RUN: polyir-opt --print-interleavings --emit=none %S/../../../examples/fig10-five-stencils.mlir | filecheck %s --check-prefix FAR
// RUN: polyir-opt --print-interleavings="shift=2" --emit=none %S/../../../examples/fig10-five-stencils.mlir | filecheck %s --check-prefix NEAR
// RUN: polyir-opt --print-interleavings --emit=none %s | filecheck %s --check-prefix FORWARD
// RUN: polyir-opt --print-interleavings="rows=any" --emit=none %s | filecheck %s --check-prefix ANY

// FAR: 16 legal interleavings of 541 in @
// FAR-NEXT: //   S0,S1,S2,S3,S4
// FAR-NEXT: //       S0 (i); S1 (1 + i); S2 (2 + i); S3 (3 + i); S4 (4 + i); no parallel members
// NEAR: 13 legal interleavings of 541 in @
// NEAR-NEXT: //   S0,S1,S2|S3,S4

// FORWARD: 1 legal interleavings of 3 in @backward:
// FORWARD-NEXT: // * S0|S1
// ANY: 2 legal interleavings of 3 in @backward:
// ANY-NEXT: //   S0,S1
// ANY-NEXT: //       S0 (1 + i); S1 (n - i); parallel members 0
func.func @backward(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i] : memref<?xf64>
    affine.store %0, %a[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%n - %i - 1] : memref<?xf64>
    affine.store %0, %c[%i] : memref<?xf64>
  }
  return
}
