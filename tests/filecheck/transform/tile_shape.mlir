// RUN: polyir-opt --tile-shape='sizes=8,4 shape="1,0;1,1"' --emit=poly %s | filecheck %s
// RUN: polyir-opt --tile-shape='sizes=8,4 shape="1,0;1,1"' %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --tile-shape='sizes=8 shape="1,0;0,1"' %s 2>&1 | filecheck %s --check-prefix ILLEGAL
// RUN: not polyir-opt --tile-shape='shape="1,0;1"' %s 2>&1 | filecheck %s --check-prefix OPTION

// Distances (1,0), (0,1) and (1,-1): no rectangles, but parallelograms.
func.func @stencil(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i - (i) mod 8)] }, { S0[i, j] -> [(i + j - (i + j) mod 4)] }]" permutable {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(i)] }]"
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(j)] }]"

// LOOPS:      affine.for %[[TI:.*]] = 0 to %{{.*}} step 8 {
// LOOPS-NEXT:   affine.for %[[TJ:.*]] = {{.*}}(%[[TI]]) to {{.*}} step 4 {
// LOOPS-NEXT:     affine.for %[[I:.*]] = max {{.*}} to min
// LOOPS-NEXT:       affine.for %[[J:.*]] = max {{.*}} to min

// ILLEGAL: tile_shape.mlir:8:3: error: tiling with this shape violates the flow dependence through a: S0[1, 8] must run before S0[2, 7] (n = 10)
// OPTION: error: the rows of a shape must have the same length: shape=1,0;1
