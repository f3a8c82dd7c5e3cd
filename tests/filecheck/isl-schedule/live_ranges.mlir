// The scalar is reused in every iteration. Its values' lives end in their iteration, so that the
// loops may change places: the new outer loop carries no value of A.
// RUN: polyir-opt --isl-schedule --emit=poly %s | filecheck %s --check-prefix KEPT
// RUN: polyir-opt --isl-schedule=live-range-reordering=true --emit=poly %s | filecheck %s
// RUN: polyir-opt --isl-schedule=live-range-reordering=true --check-schedule --emit=poly --remarks %s 2>&1 >/dev/null | filecheck %s --check-prefix LEGAL

// KEPT: poly.band "[n] -> [{ S0[i, j] -> [(i)]; S1[i, j] -> [(i)] }]"
// KEPT-NEXT: poly.band "[n] -> [{ S0[i, j] -> [(j)]; S1[i, j] -> [(j)] }]"

// The band is marked by the false dependences that its own order has.
// CHECK: poly.band "[n] -> [{ S0[i, j] -> [(j)]; S1[i, j] -> [(j)] }, { S0[i, j] -> [(i)]; S1[i, j] -> [(i)] }]" {

// LEGAL: remark: [check-schedule] all {{[0-9]+}} dependences hold

func.func @columns(%n: index, %A: memref<?x?xf64>) {
  %t = memref.alloca() : memref<f64>
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %above = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      affine.store %above, %t[] : memref<f64>
      %here = affine.load %A[%i, %j] : memref<?x?xf64>
      %kept = affine.load %t[] : memref<f64>
      %sum = arith.addf %here, %kept : f64
      affine.store %sum, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
