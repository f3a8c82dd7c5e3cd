// RUN: polyir-opt --pluto-schedule --diamond-tile=16 --wavefront=all --mark-parallel --emit=poly %s | filecheck %s
// RUN: polyir-opt --pluto-schedule --diamond-tile=16 --wavefront --mark-parallel %s | filecheck %s --check-prefix LOOPS
// RUN: not polyir-opt --diamond-tile=1 %s 2>&1 | filecheck %s --check-prefix SIZE
// RUN: not polyir-opt --diamond-tile="degrees=many" %s 2>&1 | filecheck %s --check-prefix DEGREES

func.func @stencil(%steps: index, %n: index, %a: memref<?x?xf64>) {
  affine.for %t = 1 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%t - 1, %i - 1] : memref<?x?xf64>
      %1 = affine.load %a[%t - 1, %i + 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%t, %i] : memref<?x?xf64>
    }
  }
  return
}

// The hyperplanes are t - i and t + i; their sum is along t.
// CHECK:      poly.band "{{.*}} -> [{ S0[t, i] -> [(2t - (t - i) mod 16 - (t + i) mod 16)] }]" permutable {
// CHECK-NEXT:   poly.band "{{.*}} -> [{ S0[t, i] -> [(t + i - (t + i) mod 16)] }]" permutable coincident [true] loop_attributes {{\[\[}}#poly.parallel]] {
// CHECK-NEXT:     poly.band "{{.*}} -> [{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]" permutable{{$}}

// LOOPS:      affine.for %[[WAVE:.*]] = {{.*}} step 16 {
// LOOPS-NEXT:   affine.parallel (%[[TILE:.*]]) = {{.*}}(%[[WAVE]]{{.*}} step (16) {
// LOOPS-NEXT:     affine.for %[[T:.*]] = max {{.*}}(%[[WAVE]], %[[TILE]]{{.*}} {
// LOOPS-NEXT:       affine.for %[[I:.*]] = max

// SIZE: error: size must be 2 or more: size=1
// DEGREES: error: option 'degrees' of pass 'diamond-tile' must be integer or all, not 'many'
