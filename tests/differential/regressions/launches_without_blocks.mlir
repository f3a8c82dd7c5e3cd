// lower: LegalityError in require_correct_code
// a loop of launches without blocks
// before the kernel that writes what is read
// pipeline: isl-builtin-schedule{algorithm=isl outer-coincidence=true},map-to-gpu{tile=5 block=3,16 sequential=host shared=all}
// run: 3 7 [24x19] [10] [11x8]
// run: 5 5 [24x19] [8] [10x6]
// run: 1 1 [24x19] [4] [7x2]
func.func @program(%n: index, %m: index, %A0: memref<24x19xf64>, %A1: memref<?xf64>, %A2: memref<?x?xf64>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  %v0 = affine.load %A0[symbol(%n) + 1, %i0 + 3] : memref<24x19xf64>
  %v1 = affine.load %A1[%i0 + 3] : memref<?xf64>
  %v2 = arith.addf %v0, %v1 : f64
  %v3 = affine.load %A1[%i0 + 3] : memref<?xf64>
  %v4 = arith.subf %v2, %v3 : f64
  %x0 = arith.addf %v4, %v4 : f64
  affine.for %i1 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%m] step 1 {
  %x1_last = affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 iter_args(%x1 = %x0) -> (f64) {
  %v5 = affine.load %A1[symbol(%n) * -1 + %i0 + 5] : memref<?xf64>
  affine.store %v5, %A2[%i0 + 4, %i1 + 1] : memref<?x?xf64>
  %v6 = arith.addf %x1, %x1 : f64
  %v7 = affine.apply affine_map<(d0)[] -> (d0)>(%i0)[]
  %v8 = arith.index_cast %v7 : index to i64
  %v9 = arith.sitofp %v8 : i64 to f64
  %v10 = affine.load %A0[%i2 * 3 + 1, symbol(%m) + 3] : memref<24x19xf64>
  %v11 = arith.subf %v9, %v10 : f64
  %v12 = arith.subf %v6, %v11 : f64
  affine.store %v12, %A0[%i0, %i1 + 5] : memref<24x19xf64>
  %x2 = arith.addf %x0, %x0 : f64
  %v13 = affine.load %A0[%i0 + 1, %i1 + 4] : memref<24x19xf64>
  %v14 = affine.load %A0[%i0 + 1, %i1 + 4] : memref<24x19xf64>
  %v15 = arith.maximumf %v13, %v14 : f64
  %v16 = arith.addf %x1, %v15 : f64
  affine.yield %v16 : f64
  }
  affine.store %x1_last, %A1[%i0 + 3] : memref<?xf64>
  }
  }
  %v17 = affine.load %A2[symbol(%n) + 4, symbol(%m)] : memref<?x?xf64>
  %v18 = affine.load %A1[symbol(%n) + 2] : memref<?xf64>
  %v19 = arith.maximumf %v17, %v18 : f64
  %x3_last = affine.for %i3 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 iter_args(%x3 = %v19) -> (f64) {
  affine.for %i4 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 2 {
  affine.if affine_set<(d0)[] : (d0 + 1 >= 0)>(%i4)[] {
  %v20 = arith.subf %x3, %x3 : f64
  %v21 = affine.load %A0[%i3 + 1, %i4 + 4] : memref<24x19xf64>
  %v22 = arith.mulf %v20, %v21 : f64
  affine.store %v22, %A0[%i3 + 1, %i4 + 3] : memref<24x19xf64>
  } else {
  %v23 = affine.load %A2[%i3 + 6, %i3 * 3 + -2] : memref<?x?xf64>
  %v24 = arith.maximumf %v23, %x3 : f64
  %v25 = arith.mulf %x3, %v24 : f64
  affine.store %v25, %A1[%i3 + 2] : memref<?xf64>
  }
  }
  %v26 = affine.load %A1[%i3 + 3] : memref<?xf64>
  %v27 = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 + 1)>(%i3)[%m]
  %v28 = arith.index_cast %v27 : index to i64
  %v29 = arith.sitofp %v28 : i64 to f64
  %v30 = affine.apply affine_map<()[s0] -> (s0)>()[%n]
  %v31 = arith.index_cast %v30 : index to i64
  %v32 = arith.sitofp %v31 : i64 to f64
  %v33 = arith.subf %v29, %v32 : f64
  %v34 = arith.addf %v26, %v33 : f64
  affine.store %v34, %A2[%i3 * -1 + 6, symbol(%n) + -1] : memref<?x?xf64>
  %v35 = affine.load %A0[%i3 + 1, %i3 * -1 + 6] : memref<24x19xf64>
  %v36 = affine.load %A0[symbol(%m) * 3 + 2, %i3 * 2 + 6] : memref<24x19xf64>
  %v37 = arith.subf %v35, %v36 : f64
  %v38 = arith.addf %x3, %v37 : f64
  affine.yield %v38 : f64
  }
  affine.store %x3_last, %A2[symbol(%n) + 4, symbol(%m)] : memref<?x?xf64>
  return
}
