// poly-dependences: isl fails with a tree of tiles
// pipeline: tile{sizes=3 min-width=1},mark-parallel{which=inner},poly-dependences{value-based=true}
// run: [8x13x18]
func.func @program(%A0: memref<8x13x18xf32>) {
  affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[] -> (4)>()[] step 3 {
  affine.if affine_set<(d0)[] : (d0 >= 0)>(%i0)[] {
  affine.for %i1 = max affine_map<(d0)[] -> (2, d0 + 1)>(%i0)[] to affine_map<()[] -> (4)>()[] step 1 {
  %v0 = affine.load %A0[%i1 + 1, %i1 * 2 + 6, 4 + 4] : memref<8x13x18xf32>
  %v1 = affine.load %A0[((%i0 + -1) mod 4) * 1, %i0 * 3 + 6, %i1 + 5] : memref<8x13x18xf32>
  %v2 = arith.constant -1.5 : f32
  %v3 = arith.subf %v1, %v2 : f32
  %v4 = affine.load %A0[4, %i0 * -1 + 7, %i1 + 5] : memref<8x13x18xf32>
  %v5 = affine.load %A0[4 * 2 + -1, %i0 * -1 + %i1 * -1 + 5, %i0 * 3 + 3] : memref<8x13x18xf32>
  %v6 = arith.addf %v4, %v5 : f32
  %v7 = arith.mulf %v3, %v6 : f32
  %v8 = arith.addf %v0, %v7 : f32
  affine.store %v8, %A0[%i1 + 1, %i1 * 2 + 6, 4 + 4] : memref<8x13x18xf32>
  }
  affine.if affine_set<(d0)[] : (d0 + 2 >= 0)>(%i0)[] {
  %v9 = affine.apply affine_map<(d0)[] -> (d0)>(%i0)[]
  %v10 = arith.index_cast %v9 : index to i64
  %v11 = arith.sitofp %v10 : i64 to f32
  %v12 = affine.load %A0[4 + %i0 + -2, %i0 * 3 + ((%i0 * 3) mod 3) * 1 + 3, %i0 + 5] : memref<8x13x18xf32>
  %v13 = arith.mulf %v11, %v12 : f32
  %v14 = affine.load %A0[%i0 + -1, %i0 + ((%i0 + -1) floordiv 3) * 1 + 7, %i0 + 5] : memref<8x13x18xf32>
  %v15 = arith.mulf %v13, %v14 : f32
  affine.store %v15, %A0[%i0 + -2, %i0 + 6, %i0 + 5] : memref<8x13x18xf32>
  %v16 = affine.load %A0[%i0 + 2, %i0 + 5, %i0 + 6] : memref<8x13x18xf32>
  %v17 = affine.load %A0[%i0, %i0 + 3, %i0 + 7] : memref<8x13x18xf32>
  %v18 = arith.addf %v16, %v17 : f32
  affine.store %v18, %A0[%i0 + 2, %i0 + 5, %i0 + 6] : memref<8x13x18xf32>
  }
  } else {
  %v19 = affine.load %A0[4 * -1, 4 + 6, 4 + 6] : memref<8x13x18xf32>
  %v20 = affine.load %A0[%i0 * -1 + 2, 4 + 7, %i0 * 2 + 6] : memref<8x13x18xf32>
  %v21 = affine.load %A0[4 * -1 + -2, %i0 + 7, %i0 + 7] : memref<8x13x18xf32>
  %v22 = arith.mulf %v20, %v21 : f32
  %v23 = affine.load %A0[4 + -1, %i0 + 7, 4 + %i0 * 2 + 6] : memref<8x13x18xf32>
  %v24 = affine.load %A0[4 + -1, %i0 + 5, 4 + 7] : memref<8x13x18xf32>
  %v25 = arith.mulf %v23, %v24 : f32
  %v26 = arith.maximumf %v22, %v25 : f32
  %v27 = arith.addf %v19, %v26 : f32
  affine.store %v27, %A0[4 * -1, 4 + 6, 4 + 6] : memref<8x13x18xf32>
  }
  }
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  %v28 = affine.load %A0[4, 4 + 5, ((%i2 + -1) floordiv 3) * 2 + 3] : memref<8x13x18xf32>
  %v29 = affine.load %A0[%i2 + 1, %i2 + 4, %i2 * -1 + 3] : memref<8x13x18xf32>
  %v30 = arith.cmpf olt, %v28, %v29 : f32
  %v31 = scf.if %v30 -> (f32) {
  %v32 = affine.load %A0[%i2 + 2, %i2 + 5, 4 + %i2 * 2 + 7] : memref<8x13x18xf32>
  scf.yield %v32 : f32
  } else {
  %v33 = arith.constant -2.5 : f32
  scf.yield %v33 : f32
  }
  %x0_last = affine.for %i3 = max affine_map<(d0)[] -> (0, d0 + -2)>(%i2)[] to min affine_map<(d0)[] -> (4, d0 * 2 + ((d0 * 2) mod 3) * -1 + -2)>(%i2)[] step 1 iter_args(%x0 = %v31) -> (f32) {
  %v34 = affine.load %A0[((4 * -1 + 1) mod 2) * 2 + 1, %i2 + 5, %i3 * 3 + 4 + 4] : memref<8x13x18xf32>
  %v35 = arith.maximumf %x0, %x0 : f32
  %v36 = affine.load %A0[4, %i3 + 4, 4 + 4] : memref<8x13x18xf32>
  %v37 = arith.subf %x0, %v36 : f32
  %v38 = arith.maximumf %v35, %v37 : f32
  %v39 = arith.addf %v34, %v38 : f32
  affine.store %v39, %A0[((4 * -1 + 1) mod 2) * 2 + 1, %i2 + 5, %i3 * 3 + 4 + 4] : memref<8x13x18xf32>
  %v40 = arith.addf %x0, %x0 : f32
  %v41 = arith.addf %x0, %v40 : f32
  affine.yield %v41 : f32
  }
  affine.store %x0_last, %A0[%i2, %i2 * -1 + 4, %i2 * 2 + 7] : memref<8x13x18xf32>
  }
  return
}
