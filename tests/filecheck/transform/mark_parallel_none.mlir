// RUN: polyir-opt --mark-parallel --emit=poly %s 2>&1 | filecheck %s

func.func @sum(%n: index, %a: memref<?x?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %s[] : memref<f64>
      %1 = affine.load %a[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %s[] : memref<f64>
    }
  }
  return
}

// CHECK:     mark_parallel_none.mlir:4:3: warning: [mark-parallel] nothing was marked parallel: no loop around S0 is parallel: loop 1 carries dependences through s; loop 2 carries dependences through s
// CHECK-NOT: poly.mark
