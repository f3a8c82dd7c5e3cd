// RUN: polyir-opt --prefetch="loop=S0.0 distance=3" %s | filecheck %s
// RUN: polyir-opt --prefetch="loop=S0.0 distance=3" --tile=32 %s | filecheck %s --check-prefix TILED
// RUN: not polyir-opt --prefetch="loop=S1.0" %s 2>&1 | filecheck %s --check-prefix UNKNOWN

// CHECK:      affine.for %i = 0 to %n {
// CHECK-NEXT:   affine.for %j = 0 to %n {
// CHECK:        }
// CHECK-NEXT: } {prefetching.distance = #prefetching.distance<3>, prefetching.block = #prefetching.block<3>}

// One attribute stays with the loop over tiles, the other one goes to the loop over points.
// TILED: } {prefetching.distance = #prefetching.distance<3>}
// TILED: } {prefetching.block = #prefetching.block<3>}

// UNKNOWN: error: pass 'prefetch': there is no statement 'S1' (statements: S0)

func.func @scale(%A: memref<?x?xf64>, %n: index, %c: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      %y = arith.mulf %x, %c : f64
      affine.store %y, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
