// Pluto, figure 3: two matrix-vector products, (ci,cj,c'i,c'j) = (1,0,0,1), the rest distributed
// inside. As the figure has it, the second overwrites the y that the first reads in every i: fused,
// S1(i', 0) would write y[i'] before S0(i, i') has read it. So that program is not fused here, and
// the result of the paper is checked on the same products with a third vector for the result.
// RUN: polyir-opt --pluto-schedule --emit=poly %S/../../../examples/fig3-matvec-pair.mlir | filecheck %s
// RUN: polyir-opt --pluto-schedule --emit=poly %s | filecheck %s --check-prefix DISTINCT

// CHECK: poly.sequence {
// CHECK-NEXT: poly.filter "[n] -> { S0[i, j] }" {
// CHECK-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable coincident [true, false]
// CHECK: poly.filter "[n] -> { S1[i, j] }" {

// DISTINCT: poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(j)] }]" permutable {
// DISTINCT-NEXT: poly.sequence {
// DISTINCT-NEXT: poly.filter "[n] -> { S0[i, j] }" {
// DISTINCT-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(j)] }]"
// DISTINCT: poly.filter "[n] -> { S1[i, j] }" {
// DISTINCT-NEXT: poly.band "[n] -> [{ S1[i, j] -> [(i)] }]"
func.func @matvec_pair(%n: index, %a: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>,
                       %z: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %x[%i] : memref<?xf64>
      %aij = affine.load %a[%i, %j] : memref<?x?xf64>
      %yj = affine.load %y[%j] : memref<?xf64>
      %product = arith.mulf %aij, %yj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %old = affine.load %z[%i] : memref<?xf64>
      %aij = affine.load %a[%i, %j] : memref<?x?xf64>
      %xj = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %aij, %xj : f64
      %new = arith.addf %old, %product : f64
      affine.store %new, %z[%i] : memref<?xf64>
    }
  }
  return
}
