// RUN: polyir-opt --pluto-schedule --tile=32 --wavefront --mark-parallel --emit=poly %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=32,16 --wavefront --emit=poly %s | filecheck %s --check-prefix SIZES
// RUN: polyir-opt --wavefront --emit=poly %s | filecheck %s --check-prefix POINTS
// RUN: polyir-opt --pluto-schedule --tile=32 --wavefront --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --wavefront=2 --emit=none %s 2>&1 | filecheck %s --check-prefix DEGREES

// Bondhugula et al., figure 4.
func.func @stencil(%n: index, %a: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
      %1 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// CHECK:      poly.band "[n] -> [{ S0[i, j] -> [(i + j - (i) mod 32 - (j) mod 32)] }]" permutable {
// CHECK-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j - (j) mod 32)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.parallel]] {
// CHECK-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" permutable{{$}}

// Tiles of different sizes count as one each.
// SIZES:      poly.band "[n] -> [{ S0[i, j] -> [(floor((i)/32) + floor((j)/16))] }]" permutable {
// SIZES-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(floor((j)/16))] }]" permutable coincident [true] {
// SIZES-NEXT:     poly.band "[n] -> [{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"

// POINTS:      poly.band "[n] -> [{ S0[i, j] -> [(i + j)] }]" permutable {
// POINTS-NEXT:   poly.band "[n] -> [{ S0[i, j] -> [(j)] }]" permutable coincident [true]

// LOOPS:      affine.for %[[WAVE:.*]] = 0 to {{.*}} step 32 {
// LOOPS-NEXT:   affine.parallel (%[[TJ:.*]]) = {{.*}} step (32) {
// LOOPS-NEXT:     affine.for %[[I:.*]] = {{.*}}(%[[WAVE]], %[[TJ]]) to
// LOOPS-NEXT:       affine.for %[[J:.*]] = {{.*}}(%[[TJ]]) to

// DEGREES: wavefront.mlir:9:3: warning: [wavefront] the band of 2 over S0 allows 1 degree of parallelism, not 2
