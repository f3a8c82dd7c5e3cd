// difference (opencl)
// a launch without a tile ran a block
// once the number of blocks was said to be 1
// pipeline: isl-schedule{fusion=typed input-dependences=true live-range-reordering=true},map-to-gpu{tile=1,32 sequential=device shared=none registers=none}
// run: 4 3 [4x14] [7]
// run: 4 2 [4x14] [7]
// run: 2 3 [4x14] [5]
func.func @program(%n: index, %m: index, %A0: memref<?x14xf64>, %A1: memref<?xf32>) {
  %A2 = memref.alloc() : memref<5xf32>
  %v0 = arith.constant 1.5 : f32
  affine.for %v1 = 0 to 5 {
  affine.store %v0, %A2[%v1] : memref<5xf32>
  }
  %v2 = arith.constant 1.5 : f32
  %v3 = affine.load %A1[symbol(%n) + 2] : memref<?xf32>
  %v4 = arith.addf %v2, %v3 : f32
  %x0_last = affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 2 iter_args(%x0 = %v4) -> (f32) {
  %v5 = affine.load %A0[%i0 + 1, %i0] : memref<?x14xf64>
  %v6 = arith.truncf %v5 : f64 to f32
  %x1_last = affine.for %i1 = max affine_map<()[s0] -> (2, s0 * 2 + -1)>()[%n] to affine_map<()[] -> (2)>()[] step 1 iter_args(%x1 = %v6) -> (f32) {
  %v7 = affine.load %A2[%i1 + 2] : memref<5xf32>
  %v8 = arith.extf %v7 : f32 to f64
  %v9 = affine.load %A0[%i1 + 2, symbol(%n)] : memref<?x14xf64>
  %v10 = arith.addf %v8, %v9 : f64
  %v11 = affine.load %A0[%i1 * 2 + -2, %i0 + %i1 * 2 + -1] : memref<?x14xf64>
  %v12 = affine.load %A0[%i1, %i0 + -1] : memref<?x14xf64>
  %v13 = arith.subf %v11, %v12 : f64
  %v14 = arith.maximumf %v10, %v13 : f64
  affine.store %v14, %A0[%i0, %i1] : memref<?x14xf64>
  %v15 = arith.constant -3.5 : f32
  %v16 = affine.load %A0[%i1 + %i0 + -1, %i1 + 2] : memref<?x14xf64>
  %v17 = arith.truncf %v16 : f64 to f32
  %v18 = arith.subf %v15, %v17 : f32
  %v19 = arith.addf %x1, %v18 : f32
  affine.yield %v19 : f32
  }
  affine.store %x1_last, %A1[%i0 * -1 + 2] : memref<?xf32>
  %v20 = affine.load %A2[%i0 + 1] : memref<5xf32>
  %v21 = arith.mulf %v20, %x1_last : f32
  %v22 = arith.addf %x0, %v21 : f32
  affine.yield %v22 : f32
  }
  affine.store %x0_last, %A2[symbol(%n) + symbol(%m) * -1 + 1] : memref<5xf32>
  affine.for %i2 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  %v23 = arith.constant -2.5 : f64
  affine.store %v23, %A0[%i2, symbol(%n) * 2 + symbol(%m) + 2] : memref<?x14xf64>
  }
  affine.for %i3 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 1 {
  affine.for %i4 = max affine_map<()[s0] -> (1, s0)>()[%m] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 1 {
  affine.for %i5 = affine_map<(d0)[] -> (d0 * -1 + 2)>(%i4)[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  affine.for %i6 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 {
  %v24 = affine.load %A0[%i3, %i4 + -1] : memref<?x14xf64>
  affine.store %v24, %A0[%i5 * -1 + 2, symbol(%n)] : memref<?x14xf64>
  %v25 = affine.load %A2[%i3] : memref<5xf32>
  %v26 = affine.load %A1[%i3 + 2] : memref<?xf32>
  %v27 = arith.subf %v26, %x0_last : f32
  %v28 = arith.maximumf %v25, %v27 : f32
  affine.store %v28, %A2[%i6 + 1] : memref<5xf32>
  %v29 = affine.load %A1[symbol(%m) + 3] : memref<?xf32>
  %v30 = arith.addf %v29, %x0_last : f32
  affine.store %v30, %A1[symbol(%m) + 3] : memref<?xf32>
  }
  }
  }
  }
  return
}
