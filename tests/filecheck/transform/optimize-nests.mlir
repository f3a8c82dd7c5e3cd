// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json" --remarks --emit=none %s 2>&1 | filecheck %s

// The shortest paths are found in two parallel parts for each %k, the stencil runs in tiles.
func.func @paths_and_stencil(%P: memref<2000x2000xf64>, %U: memref<2000x2000xf64>, %V: memref<2000x2000xf64>) {
  affine.for %k = 0 to 2000 {
    affine.for %i = 0 to 2000 {
      affine.for %j = 0 to 2000 {
        %a = affine.load %P[%i, %k] : memref<2000x2000xf64>
        %b = affine.load %P[%k, %j] : memref<2000x2000xf64>
        %p = affine.load %P[%i, %j] : memref<2000x2000xf64>
        %s = arith.addf %a, %b : f64
        %m = arith.minimumf %p, %s : f64
        affine.store %m, %P[%i, %j] : memref<2000x2000xf64>
      }
    }
  }
  affine.for %t = 0 to 500 {
    affine.for %i = 1 to 1999 {
      affine.for %j = 1 to 1999 {
        %a = affine.load %U[%i - 1, %j] : memref<2000x2000xf64>
        %b = affine.load %U[%i + 1, %j] : memref<2000x2000xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %V[%i, %j] : memref<2000x2000xf64>
      }
    }
    affine.for %i = 1 to 1999 {
      affine.for %j = 1 to 1999 {
        %a = affine.load %V[%i, %j - 1] : memref<2000x2000xf64>
        %b = affine.load %V[%i, %j + 1] : memref<2000x2000xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %U[%i, %j] : memref<2000x2000xf64>
      }
    }
  }
  return
}

// CHECK: remark: [optimize] split: {{.*}} ms
// CHECK: remark: [optimize] S0: split, {{[0-9.e+]+}} ms instead of {{[0-9.e+]+}} ms
// CHECK: remark: [optimize] chosen: locality, {{[0-9.]+}} times as fast as the original order
// CHECK-DAG: remark: [split-sequential] {{.*}}S0
// CHECK-DAG: remark: [tile] tiled the band of 3 over S1, S2 by 48 x 48 x 240
