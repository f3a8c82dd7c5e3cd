// spatial-schedule: isl fails in the dataflow analysis for reuse in tiles of this shape
// pipeline: tile-shape{sizes=2 shape='1,0,0;1,1,0;1,0,1'},spatial-schedule{target=gpu fusion=min line-size=8 register-limit=12 live-range-reordering=true}
// run: 4 4 [1] [1x1] [1]
func.func @program(%n: index, %m: index, %A0: memref<1xi64>, %A1: memref<1x1xi64>, %A2: memref<?xi64>) {
  %A3 = memref.alloc() : memref<5x2x4xi64>
  %v0 = arith.constant 3 : i64
  affine.for %v1 = 0 to 5 {
  affine.for %v2 = 0 to 2 {
  affine.for %v3 = 0 to 4 {
  affine.store %v0, %A3[%v1, %v2, %v3] : memref<5x2x4xi64>
  }
  }
  }
  affine.for %i3 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 1 {
  %v4 = arith.constant -2 : i64
  %x2_last = affine.for %i5 = affine_map<()[] -> (0)>()[] to affine_map<(d0)[] -> (d0)>(%i3)[] step 1 iter_args(%x2 = %v4) -> (i64) {
  %v5 = affine.load %A3[%i3, 1, %i5] : memref<5x2x4xi64>
  affine.yield %v5 : i64
  }
  %v6 = arith.constant 1 : i64
  affine.store %v6, %A2[0] : memref<?xi64>
  }
  return
}
