// RUN: polyir-opt --pluto-schedule --tile=8 --wavefront=degrees=2 --distribute-memory --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --pluto-schedule --tile=8 --wavefront=degrees=2 --distribute-memory="grid=2" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=GRID

// The places of S0, which writes the first row, have bounds other than those of S1 and S2. A set
// around all of them that has the common bounds only has no last place.

// CHECK: divided the parallel loop of S0, S1, S2 into tiles of 8; a rank sends E, H after each step
// CHECK-NOT: nearly all
// CHECK-LABEL: func.func private @source_transfer_scatter(

// On a grid, each place must depend on one parallel loop, and here both depend on two.

// GRID: divided the parallel loops of S0, S1, S2 into tiles of 8 x 8; a rank sends E, H after each step
// GRID-NEXT: nearly all

func.func @source(%steps: index, %n: index, %m: index, %E: memref<?x?xf64>, %H: memref<?x?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %t = 0 to %steps {
    affine.for %j = 0 to %m {
      affine.store %one, %E[0, %j] : memref<?x?xf64>
    }
    affine.for %i = 1 to %n {
      affine.for %j = 0 to %m {
        %h = affine.load %H[%i - 1, %j] : memref<?x?xf64>
        %e = affine.load %H[%i, %j] : memref<?x?xf64>
        %new = arith.subf %h, %e : f64
        affine.store %new, %E[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 0 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
        %down = affine.load %E[%i + 1, %j] : memref<?x?xf64>
        %right = affine.load %E[%i, %j + 1] : memref<?x?xf64>
        %here = affine.load %E[%i, %j] : memref<?x?xf64>
        %sum = arith.addf %down, %right : f64
        %all = arith.addf %sum, %here : f64
        affine.store %all, %H[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
