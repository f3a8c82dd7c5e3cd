// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8" --mark-parallel --emit=poly %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8" --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix REMARK
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=4 width=8" --emit=poly %s | polyir-opt --check-schedule --remarks --emit=none 2>&1 | filecheck %s --check-prefix LEGAL
// RUN: not polyir-opt --hexagonal-tile=0 %s 2>&1 | filecheck %s --check-prefix HEIGHT
// RUN: not polyir-opt --hexagonal-tile="width=-1" %s 2>&1 | filecheck %s --check-prefix WIDTH
// RUN: not polyir-opt --hexagonal-tile="sizes=8,0" %s 2>&1 | filecheck %s --check-prefix SIZES

func.func @stencil(%steps: index, %n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %0 = affine.load %a[%i - 1, %j] : memref<?x?xf64>
        %1 = affine.load %a[%i + 1, %j] : memref<?x?xf64>
        %2 = affine.load %a[%i, %j - 1] : memref<?x?xf64>
        %3 = affine.load %a[%i, %j + 1] : memref<?x?xf64>
        %4 = arith.addf %0, %1 : f64
        %5 = arith.addf %2, %3 : f64
        %6 = arith.addf %4, %5 : f64
        affine.store %6, %b[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %0 = affine.load %b[%i, %j] : memref<?x?xf64>
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Waves, the hexagons of a wave, parallelograms, time, and the points of a time step.
// CHECK:      poly.band "{{.*}}[{ S0[t, i, j] -> [(-1 + floor((t)/2))] : {{.*}} }]" permutable loops [atomic] {
// CHECK-NEXT:   poly.band "{{.*}}[{ S0[t, i, j] -> [(floor((11 - 2t + i - 7*floor((t)/2))/22))]; S1[t, i, j] -> [(floor((10 - 2t + i - 7*floor((t)/2))/22))] }]" permutable coincident [true] loops [atomic] loop_attributes {{\[\[}}#poly.parallel]] {
// CHECK-NEXT:     poly.band "{{.*}} mod 32)] : {{.*}} }]" permutable {
// CHECK-NEXT:       poly.band "{{.*}}[{ S0[t, i, j] -> [(t)]; S1[t, i, j] -> [(t)] }]" permutable loops [atomic] {
// CHECK-NEXT:         poly.sequence {
// CHECK-NEXT:           poly.filter "{{.*}}{ S0[t, i, j] }" {
// CHECK-NEXT:             poly.band "{{.*}}[{ S0[t, i, j] -> [(i)] }, { S0[t, i, j] -> [(j)] }]" permutable coincident [true, true]
// CHECK-NEXT:           }
// CHECK-NEXT:           poly.filter "{{.*}}{ S1[t, i, j] }" {
// CHECK-NEXT:             poly.band "{{.*}}[{ S1[t, i, j] -> [(i)] }, { S1[t, i, j] -> [(j)] }]" permutable coincident [true, true]

// One nest for the whole hexagon: its sides are bounds of the loops over i.
// LOOPS:      affine.for %[[WAVE:.*]] = -1 to
// LOOPS-NEXT:   affine.parallel (%[[HEXAGON:.*]]) = (max(%[[WAVE]] floordiv 2 - %[[WAVE]], {{.*}} {
// LOOPS-NEXT:     affine.for %[[TILE:.*]] = 0 to min {{.*}}(%[[WAVE]], %[[HEXAGON]]){{.*}} step 32 {
// LOOPS-NEXT:       affine.for %[[T:.*]] = max {{.*}} {
// LOOPS-NEXT:         affine.for %[[I:.*]] = max affine_map<(d0, d1, d2) -> (1, d0 * 7 + d1 * 22 + d2 * 2 - 4, d0 * 15 + d1 * 22 - d2 * 2 + 3)>(%[[WAVE]], %[[HEXAGON]], %[[T]]) to min affine_map<(d0, d1, d2)[s0] -> (s0 - 1, d0 * 7 + d1 * 22 + d2 * 2 + 11, d0 * 15 + d1 * 22 - d2 * 2 + 18)>(%[[WAVE]], %[[HEXAGON]], %[[T]])[%n] {
// LOOPS-NEXT:           affine.for %[[J:.*]] = max affine_map<(d0, d1, d2) -> (1, d0 * 4 + d1 - d2 * 2)>(%[[WAVE]], %[[TILE]], %[[T]]) to min {{.*}} {
// LOOPS:              affine.store %{{.*}}, %b[%[[I]], %[[J]]]
// LOOPS:              affine.store %{{.*}}, %a[

// REMARK: hexagonal_tile.mlir:10:3: remark: [hexagonal-tile] tiled the band of 3 over S0, S1: hexagons of height 4 and width 8 along loops 1 and 2 and tiles of 32 along the other loops; an iteration of loop 1 has 2 time steps
// LEGAL: remark: [check-schedule] all 6 dependences hold
// HEIGHT: error: height must be 1 or more: height=0
// WIDTH: error: width must be 1 or more: width=-1
// SIZES: error: tile sizes must be 1 or more: sizes=8,0
