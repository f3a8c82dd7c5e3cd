// RUN: polyir-opt --pluto-schedule --hexagonal-tile=2 --emit=none --split-input-file %s 2>&1 | filecheck %s
// RUN: polyir-opt --hexagonal-tile=2 --emit=none --split-input-file %s 2>&1 | filecheck %s --check-prefix SOURCE
// RUN: polyir-opt --pluto-schedule --hexagonal-tile="height=3 width=2" --emit=none --split-input-file %s 2>&1 | filecheck %s --check-prefix NARROW

// In place: what is written at (t, i - 1) is read at (t, i).
func.func @in_place(%steps: index, %n: index, %a: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %a[%i - 1] : memref<?xf64>
      %1 = affine.load %a[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %a[%i] : memref<?xf64>
    }
  }
  return
}
// CHECK: warning: [hexagonal-tile] nothing was tiled: the band of 2 over S0 cannot run in time steps of independent instances: within an iteration of loop 1, array a carries (0,1): S0[0, 1] must run before S0[0, 2] (steps = 1, n = 4)

// -----

// One way only.
func.func @shift(%steps: index, %n: index, %a: memref<?x?xf64>) {
  affine.for %t = 1 to %steps {
    affine.for %i = 1 to %n {
      %0 = affine.load %a[%t - 1, %i - 1] : memref<?x?xf64>
      affine.store %0, %a[%t, %i] : memref<?x?xf64>
    }
  }
  return
}
// CHECK: warning: [hexagonal-tile] nothing was tiled: the band of 2 over S0 needs no hexagons: every dependence has a distance of 1 along loop 2 for each time step, so tiles along that slope are independent

// -----

// Two nests in the time loop, that no scheduler has made one of; far to the left.
func.func @far(%steps: index, %n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 0 to affine_map<(d0) -> (d0 - 5)>(%n) {
      %0 = affine.load %a[%i + 5] : memref<?xf64>
      affine.store %0, %b[%i] : memref<?xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0 - 5)>(%n) {
      %0 = affine.load %b[%i] : memref<?xf64>
      affine.store %0, %a[%i] : memref<?xf64>
    }
  }
  return
}
// SOURCE: warning: [hexagonal-tile] nothing was tiled: the band of 1 over S0, S1 has separate nests inside (a scheduler, such as pluto-schedule, makes one nest of those of a stencil)
// NARROW: warning: [hexagonal-tile] nothing was tiled: hexagons of width 2 are too narrow for the band of 2 over S0, S1: with height=3, the width must be 3 or more
