// RUN: polyir-opt --pluto-schedule --distribute-memory --remarks --emit=none %s 2>&1 | filecheck %s

// Each iteration of the loop that is divided writes a diagonal of A.

// CHECK: remark: [distribute-memory] divided the parallel loop of S0 into tiles of 1; a rank sends nothing
// CHECK-NEXT: remark: [distribute-memory] the divided loop of S0 and the subscripts of what is written differ: a rank's part of an array may be nearly all of it

func.func @diagonals(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%i + %j - 1, %i + 2 * %j - 2] : memref<?x?xf64>
      affine.store %a, %A[%i + %j, %i + 2 * %j] : memref<?x?xf64>
    }
  }
  return
}
