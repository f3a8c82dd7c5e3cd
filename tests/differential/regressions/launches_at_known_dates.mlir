// lower: LegalityError in require_correct_code
// the code of a launch at a known date
// had conditions like -15 >= 0 around reads
// pipeline: pluto-schedule{fuse=max input-dependences=true},map-to-gpu{block=3,2}
// run: 3 5 [8] [] [10x25] [14]
// run: 3 2 [6] [] [4x25] [14]
// run: 0 1 [3] [] [1x25] [6]
func.func @program(%n: index, %m: index, %A0: memref<?xf32>, %A1: memref<f32>, %A2: memref<?x25xf32>, %A3: memref<?xf32>) {
  affine.for %i0 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 2 {
  %v0 = affine.load %A1[] : memref<f32>
  %v1 = affine.load %A2[%i0 + 1, %i0 + 5] : memref<?x25xf32>
  %v2 = arith.maximumf %v0, %v1 : f32
  %v3 = affine.load %A1[] : memref<f32>
  %v4 = affine.load %A1[] : memref<f32>
  %v5 = arith.addf %v3, %v4 : f32
  %v6 = arith.subf %v2, %v5 : f32
  affine.store %v6, %A3[%i0 + 3] : memref<?xf32>
  }
  %v7 = affine.load %A3[symbol(%m) + 3] : memref<?xf32>
  %v8 = affine.load %A3[symbol(%n) + 3] : memref<?xf32>
  %v9 = arith.maximumf %v7, %v8 : f32
  %x0_last = affine.for %i1 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 iter_args(%x0 = %v9) -> (f32) {
  affine.if affine_set<(d0)[s0] : (d0 >= 0, s0 + d0 >= 0)>(%i1)[%n] {
  %v10 = affine.load %A3[%i1 + 4] : memref<?xf32>
  %v11 = affine.load %A2[%i1 * 2 + 1, symbol(%n) + 4] : memref<?x25xf32>
  %v12 = arith.subf %v10, %v11 : f32
  %v13 = affine.load %A2[%i1, symbol(%n) * -1 + 3] : memref<?x25xf32>
  %v14 = arith.maximumf %x0, %v13 : f32
  %v15 = arith.subf %v12, %v14 : f32
  affine.store %v15, %A2[symbol(%m), symbol(%m) + %i1 * 3 + 7] : memref<?x25xf32>
  }
  %v16 = arith.constant 2.5 : f32
  %v17 = arith.addf %x0, %v16 : f32
  affine.yield %v17 : f32
  }
  affine.store %x0_last, %A3[symbol(%m) + 4] : memref<?xf32>
  %v18 = affine.load %A0[symbol(%n) + 2] : memref<?xf32>
  %v19 = affine.load %A1[] : memref<f32>
  %v20 = arith.subf %v18, %v19 : f32
  %x1_last = affine.for %i2 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 iter_args(%x1 = %v20) -> (f32) {
  affine.for %i3 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 {
  %v21 = arith.addf %x1, %x0_last : f32
  %v22 = affine.load %A2[%i2, %i3 + 4] : memref<?x25xf32>
  %v23 = arith.subf %v22, %x1 : f32
  %v24 = arith.cmpf olt, %v21, %v23 : f32
  scf.if %v24 {
  %v25 = affine.load %A0[%i2] : memref<?xf32>
  affine.store %v25, %A3[%i3 * -1 + 2] : memref<?xf32>
  }
  }
  %v26 = arith.maximumf %x1, %x1 : f32
  %v27 = arith.addf %x1, %v26 : f32
  affine.yield %v27 : f32
  }
  affine.store %x1_last, %A3[symbol(%n) + 3] : memref<?xf32>
  %v28 = affine.load %A3[symbol(%n) + 2] : memref<?xf32>
  %v29 = arith.constant 1.5 : f32
  %v30 = arith.addf %v28, %v29 : f32
  %x2_last = affine.for %i4 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 1 iter_args(%x2 = %v30) -> (f32) {
  %v31 = affine.load %A3[%i4 + 3] : memref<?xf32>
  %v32 = arith.maximumf %v31, %x2 : f32
  %x3_last = affine.for %i5 = max affine_map<()[s0] -> (0, s0 * -1 + 2)>()[%n] to affine_map<()[] -> (3)>()[] step 1 iter_args(%x3 = %v32) -> (f32) {
  %v33 = affine.load %A0[%i4 + 2] : memref<?xf32>
  %v34 = arith.cmpf olt, %v33, %x1_last : f32
  scf.if %v34 {
  affine.store %x3, %A3[%i4 + 2] : memref<?xf32>
  } else {
  %v35 = affine.load %A0[%i4 + -1] : memref<?xf32>
  %v36 = affine.load %A1[] : memref<f32>
  %v37 = arith.addf %v35, %v36 : f32
  %v38 = arith.subf %x0_last, %v37 : f32
  affine.store %v38, %A1[] : memref<f32>
  }
  %v39 = arith.constant -1.5 : f32
  %v40 = arith.addf %x3, %v39 : f32
  affine.yield %v40 : f32
  }
  affine.store %x3_last, %A2[%i4 + 1, symbol(%m) + 6] : memref<?x25xf32>
  %v41 = affine.load %A0[%i4 + 1] : memref<?xf32>
  %v42 = arith.constant -2.5 : f32
  %v43 = arith.maximumf %v41, %v42 : f32
  %v44 = arith.addf %x2, %v43 : f32
  affine.yield %v44 : f32
  }
  affine.store %x2_last, %A3[symbol(%n) * 3 + 4] : memref<?xf32>
  return
}
