// full-tile-separation: filters overlapped for instances that do not reach them
// pipeline: feautrier-schedule{serialize=false},tile{sizes=8,8 levels=1 min-width=1 ratio=8},full-tile-separation{points=atomic}
// run: 0 1 [] [1x1] [1x1]
func.func @program(%n: index, %m: index, %A0: memref<f32>, %A1: memref<?x?xi32>, %A2: memref<?x?xf64>) {
  affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 1 {
  %v0 = affine.load %A2[symbol(%n) + symbol(%m) + -2, %i0 + -1] : memref<?x?xf64>
  %v1 = arith.bitcast %v0 : f64 to i64
  %v2 = arith.trunci %v1 : i64 to i32
  %v3 = affine.load %A0[] : memref<f32>
  %v4 = arith.bitcast %v3 : f32 to i32
  %v5 = arith.maxui %v2, %v4 : i32
  affine.store %v5, %A1[%i0 + 2, %i0 + 1] : memref<?x?xi32>
  %v6 = affine.load %A0[] : memref<f32>
  %v7 = affine.load %A2[%i0, symbol(%n) + 2] : memref<?x?xf64>
  %v8 = arith.truncf %v7 : f64 to f32
  %v9 = arith.addf %v6, %v8 : f32
  affine.store %v9, %A0[] : memref<f32>
  %v10 = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 * 2 + -1)>(%i0)[%m]
  %v11 = arith.index_cast %v10 : index to i64
  %v12 = arith.sitofp %v11 : i64 to f64
  %v13 = affine.load %A2[%i0, symbol(%n) * 2 + 1] : memref<?x?xf64>
  %v14 = arith.maximumf %v12, %v13 : f64
  %v15 = affine.load %A2[symbol(%n), %i0 * 3 + symbol(%n) * -1 + 1] : memref<?x?xf64>
  %v16 = arith.subf %v14, %v15 : f64
  affine.store %v16, %A2[%i0 * -1 + symbol(%m) * -1 + -2, %i0 * 2 + 2] : memref<?x?xf64>
  }
  affine.for %i1 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  affine.parallel (%i2) = (0) to (2) step (1) {
  affine.for %i3 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%n] step 2 {
  %v17 = arith.constant -3.5 : f64
  %v18 = affine.apply affine_map<(d0)[] -> (d0 + 2)>(%i3)[]
  %v19 = arith.index_cast %v18 : index to i64
  %v20 = arith.sitofp %v19 : i64 to f64
  %v21 = arith.maximumf %v17, %v20 : f64
  %v22 = arith.constant 0.5 : f64
  %v23 = affine.load %A1[%i1, %i2] : memref<?x?xi32>
  %v24 = arith.sitofp %v23 : i32 to f64
  %v25 = arith.mulf %v22, %v24 : f64
  %v26 = arith.maximumf %v21, %v25 : f64
  affine.store %v26, %A2[%i1, %i2 + 1] : memref<?x?xf64>
  }
  }
  %v27 = affine.load %A1[%i1 + -2, symbol(%n) + ((symbol(%n) + 1) floordiv 4) * 1 + 1] : memref<?x?xi32>
  %v28 = arith.sitofp %v27 : i32 to f32
  %v29 = affine.load %A2[symbol(%n) * -1 + symbol(%m) * 3 + -1, %i1 * -1 + symbol(%n) * 3 + 2] : memref<?x?xf64>
  %v30 = arith.truncf %v29 : f64 to f32
  %v31 = affine.load %A1[%i1 + -1, symbol(%m) * 3 + %i1 + -2] : memref<?x?xi32>
  %v32 = arith.sitofp %v31 : i32 to f32
  %v33 = arith.addf %v30, %v32 : f32
  %v34 = arith.subf %v28, %v33 : f32
  affine.store %v34, %A0[] : memref<f32>
  }
  return
}
