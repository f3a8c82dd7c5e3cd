// RUN: polyir-opt --optimize="machine=%S/Inputs/four_cores.json" --remarks --emit=none %s 2>&1 | filecheck %s

// The stencil hardly counts at first. When the product is fast, it gets tiles of its own.
func.func @product_and_stencil(%A: memref<2000x2000xf64>, %B: memref<2000x2000xf64>,
    %C: memref<2000x2000xf64>, %U: memref<1000x1000xf64>, %V: memref<1000x1000xf64>) {
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      affine.for %k = 0 to 2000 {
        %a = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %b = affine.load %B[%k, %j] : memref<2000x2000xf64>
        %c = affine.load %C[%i, %j] : memref<2000x2000xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<2000x2000xf64>
      }
    }
  }
  affine.for %t = 0 to 100 {
    affine.for %i = 1 to 999 {
      affine.for %j = 1 to 999 {
        %a = affine.load %U[%i - 1, %j] : memref<1000x1000xf64>
        %b = affine.load %U[%i + 1, %j] : memref<1000x1000xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %V[%i, %j] : memref<1000x1000xf64>
      }
    }
    affine.for %i = 1 to 999 {
      affine.for %j = 1 to 999 {
        %a = affine.load %V[%i, %j - 1] : memref<1000x1000xf64>
        %b = affine.load %V[%i, %j + 1] : memref<1000x1000xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %U[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  return
}

// CHECK: remark: [optimize] packed-blocks: {{.*}} ms
// CHECK: remark: [optimize] locality: {{.*}} ms
// CHECK: remark: [optimize] S1, S2: locality, {{[0-9.]+}} ms instead of {{[0-9.]+}} ms
// CHECK: remark: [optimize] chosen: blocks-in-waves, {{[0-9.]+}} times as fast as the original order
// CHECK: remark: [tile] tiled the band of 3 over S0 by 48 x 48 x 240
// CHECK: remark: [tile] tiled the band of 3 over S1, S2 by 32 x 32 x 32
// CHECK-NOT: remark: [tile]
