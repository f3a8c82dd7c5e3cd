// RUN: polyir-opt --wavefront --emit=poly %s 2>&1 | filecheck %s

// The loops are parallel as they are.
func.func @copy(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %a[%i, %j] : memref<?x?xf64>
      affine.store %0, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:     wavefront_parallel.mlir:5:3: warning: [wavefront] no wavefronts were created: loop 1 of the band of 2 over S0 is already parallel
// CHECK:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }]"
// CHECK-NOT: i + j
