// isl-builtin-schedule: a statement without instances in the context is left out
// pipeline: isl-builtin-schedule{algorithm=isl},mark-parallel{which=all}
// run: 3 3 [4x5] [7] [5x6] [19x5x7]
// run: 1 3 [4x5] [7] [5x6] [19x5x7]
// run: 3 3 [4x5] [7] [5x6] [19x5x7]
func.func @program(%n: index, %m: index, %A0: memref<4x?xf64>, %A1: memref<?xf64>, %A2: memref<?x?xf64>, %A3: memref<19x?x7xf64>) {
  affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%m] step 1 {
  %v0 = affine.load %A3[%i0 + 4, %i0 + symbol(%m) * 3 + 2, symbol(%m) * -1 + 3] : memref<19x?x7xf64>
  %v1 = arith.constant 2.5 : f64
  %v2 = arith.mulf %v0, %v1 : f64
  %v3 = affine.load %A2[symbol(%m) + 2, %i0 * 2] : memref<?x?xf64>
  %v4 = arith.constant 0.5 : f64
  %v5 = arith.mulf %v3, %v4 : f64
  %v6 = arith.cmpf olt, %v2, %v5 : f64
  scf.if %v6 {
  %v7 = affine.load %A0[%i0 + 3, %i0 + -1] : memref<4x?xf64>
  %v8 = affine.load %A3[%i0 + 5, %i0 * 2 + 3, %i0 + 2] : memref<19x?x7xf64>
  %v9 = arith.constant 1.5 : f64
  %v10 = arith.subf %v8, %v9 : f64
  %v11 = affine.load %A1[%i0] : memref<?xf64>
  %v12 = arith.subf %v10, %v11 : f64
  %v13 = arith.addf %v7, %v12 : f64
  affine.store %v13, %A0[%i0 + 3, %i0 + -1] : memref<4x?xf64>
  }
  }
  affine.for %i1 = affine_map<()[] -> (1)>()[] to affine_map<()[] -> (5)>()[] step 3 {
  %v14 = affine.load %A1[%i1 + 2] : memref<?xf64>
  %v15 = affine.load %A3[((%i1 * 3 + 2) mod 4) * 2 + 2, symbol(%m) + 1, symbol(%n) + -1] : memref<19x?x7xf64>
  %v16 = arith.mulf %v14, %v15 : f64
  %v17 = arith.constant -1.5 : f64
  %v18 = affine.load %A1[%i1] : memref<?xf64>
  %v19 = arith.cmpf olt, %v17, %v18 : f64
  %v20 = scf.if %v19 -> (f64) {
  %v21 = affine.load %A3[%i1 + symbol(%m) * 3 + 5, %i1 + -1, ((%i1 * 2 + 2) mod 2) * 1 + 1] : memref<19x?x7xf64>
  scf.yield %v21 : f64
  } else {
  %v22 = affine.load %A1[%i1] : memref<?xf64>
  scf.yield %v22 : f64
  }
  %v23 = arith.subf %v16, %v20 : f64
  affine.store %v23, %A2[%i1, symbol(%m) + 2] : memref<?x?xf64>
  }
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 1 {
  %v24 = affine.load %A3[symbol(%m) * -1 + 3, %i2, %i2 * 2] : memref<19x?x7xf64>
  %x0_last = affine.for %i3 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 * -1)>()[%m] step 1 iter_args(%x0 = %v24) -> (f64) {
  affine.if affine_set<(d0)[] : (d0 * -1 >= 0)>(%i3)[] {
  affine.if affine_set<(d0)[] : (d0 + 2 >= 0)>(%i3)[] {
  %v25 = arith.constant 1.5 : f64
  %v26 = affine.load %A0[%i2 + 2, %i3] : memref<4x?xf64>
  %v27 = arith.addf %v25, %v26 : f64
  %v28 = affine.load %A2[symbol(%m), symbol(%m) * -1 + 2] : memref<?x?xf64>
  %v29 = arith.subf %x0, %v28 : f64
  %v30 = arith.maximumf %v27, %v29 : f64
  affine.store %v30, %A0[%i2 + 3, %i3] : memref<4x?xf64>
  }
  } else {
  affine.for %i4 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (2)>()[] step 3 {
  %v31 = arith.constant 2.5 : f64
  %v32 = arith.maximumf %x0, %v31 : f64
  %v33 = affine.load %A2[%i3, %i2] : memref<?x?xf64>
  %v34 = affine.load %A1[%i4 + -1] : memref<?xf64>
  %v35 = arith.subf %v33, %v34 : f64
  %v36 = arith.cmpf olt, %v32, %v35 : f64
  scf.if %v36 {
  %v37 = arith.constant 3.5 : f64
  %v38 = arith.cmpf olt, %v37, %x0 : f64
  %v39 = affine.load %A3[%i2 + 4, %i3 + 1, %i4 + 1] : memref<19x?x7xf64>
  %v40 = arith.select %v38, %v39, %x0 : f64
  %v41 = affine.load %A2[%i2 * -1 + 2, %i4 * -1 + 1] : memref<?x?xf64>
  %v42 = affine.load %A1[%i2 + -1] : memref<?xf64>
  %v43 = arith.maximumf %v41, %v42 : f64
  %v44 = arith.mulf %v40, %v43 : f64
  affine.store %v44, %A2[%i2 + 1, %i3] : memref<?x?xf64>
  }
  }
  }
  %v45 = affine.apply affine_map<(d0)[] -> (d0)>(%i3)[]
  %v46 = arith.index_cast %v45 : index to i64
  %v47 = arith.sitofp %v46 : i64 to f64
  %v48 = arith.addf %v47, %x0 : f64
  %v49 = arith.addf %x0, %v48 : f64
  affine.yield %v49 : f64
  }
  affine.store %x0_last, %A0[%i2 * -1 + 3, %i2 + 1] : memref<4x?xf64>
  }
  return
}
