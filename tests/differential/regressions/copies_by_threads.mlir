// difference (opencl)
// a loop over the odd numbers of threads
// was counted from zero: others made the copies
// pipeline: isl-schedule{fusion=min outer-coincidence=true},map-to-gpu{tile=8,7 block=3,4,1 sequential=device}
// run: 5 3 [2] [13] [3x6]
// run: 6 4 [4] [13] [4x6]
// run: 7 1 [1] [13] [1x6]
func.func @program(%n: index, %m: index, %A0: memref<?xf64>, %A1: memref<13xf64>, %A2: memref<?x?xf64>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  %v0 = affine.load %A1[%i0 * 3 + 1] : memref<13xf64>
  %v1 = affine.apply affine_map<()[s0] -> (s0)>()[%n]
  %v2 = arith.index_cast %v1 : index to i64
  %v3 = arith.sitofp %v2 : i64 to f64
  %v4 = arith.mulf %v0, %v3 : f64
  %v5 = affine.load %A2[%i0, %i0 * -1 + ((%i0 * -1) ceildiv 2) * 2 + 5] : memref<?x?xf64>
  %v6 = arith.constant -1.5 : f64
  %v7 = arith.cmpf olt, %v5, %v6 : f64
  %v8 = scf.if %v7 -> (f64) {
  %v9 = affine.load %A1[%i0] : memref<13xf64>
  scf.yield %v9 : f64
  } else {
  %v10 = affine.load %A1[%i0] : memref<13xf64>
  scf.yield %v10 : f64
  }
  %v11 = arith.maximumf %v4, %v8 : f64
  affine.store %v11, %A1[symbol(%n) + ((symbol(%n)) ceildiv 3) * 1 + -2] : memref<13xf64>
  }
  affine.for %i1 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 2 {
  affine.for %i2 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 2 {
  %v12 = affine.load %A1[%i1] : memref<13xf64>
  %v13 = arith.constant 0.5 : f64
  %v14 = arith.mulf %v12, %v13 : f64
  %v15 = affine.load %A0[%i1] : memref<?xf64>
  %v16 = affine.load %A1[%i1 * 2 + ((%i1 * 2 + -1) ceildiv 4) * 2 + 2] : memref<13xf64>
  %v17 = arith.subf %v15, %v16 : f64
  %v18 = arith.mulf %v14, %v17 : f64
  affine.store %v18, %A1[%i1] : memref<13xf64>
  }
  }
  return
}
