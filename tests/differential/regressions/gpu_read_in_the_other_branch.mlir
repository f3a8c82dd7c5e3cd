// A scalar that an earlier iteration writes: the kernel was refused, as it reads it first in the text.
//
// pipeline: feautrier-schedule{serialize=true},map-to-gpu{tile=5,3 block=8,2,16}
// run: [11] [5x4x5] [10x9] []
func.func @program(%A0: memref<11xf64>, %A1: memref<5x4x5xf64>, %A2: memref<10x9xf64>, %A3: memref<f64>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4 + -1)>()[] step 1 {
  affine.for %i1 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4 + 1)>()[] step 1 {
  %v0 = affine.load %A1[%i0 + 2, %i1, %i2] : memref<5x4x5xf64>
  %v1 = affine.load %A0[%i2 + 4 * -1 + 4] : memref<11xf64>
  %v2 = arith.mulf %v0, %v1 : f64
  %v3 = affine.load %A0[%i0 + 6] : memref<11xf64>
  %v4 = affine.apply affine_map<(d0)[] -> (d0)>(%i2)[]
  %v5 = arith.index_cast %v4 : index to i64
  %v6 = arith.sitofp %v5 : i64 to f64
  %v7 = arith.subf %v3, %v6 : f64
  %v8 = arith.subf %v2, %v7 : f64
  affine.store %v8, %A2[%i0 + 5, %i1 + 2] : memref<10x9xf64>
  }
  affine.if affine_set<(d0)[] : (d0 * -1 + 2 >= 0)>(%i1)[] {
  affine.if affine_set<(d0, d1)[] : (d0 * 2 + d1 + -2 == 0, 3 + 2 >= 0)>(%i1, %i0)[] {
  %v9 = affine.apply affine_map<()[] -> (3 * 2)>()[]
  %v10 = arith.index_cast %v9 : index to i64
  %v11 = arith.sitofp %v10 : i64 to f64
  %v12 = affine.load %A1[%i0, %i1 + 2, %i1] : memref<5x4x5xf64>
  %v13 = arith.maximumf %v11, %v12 : f64
  %v14 = affine.load %A0[3 + 6] : memref<11xf64>
  %v15 = affine.load %A3[] : memref<f64>
  %v16 = arith.addf %v14, %v15 : f64
  %v17 = arith.subf %v13, %v16 : f64
  %x0 = arith.addf %v17, %v17 : f64
  } else {
  %v18 = affine.load %A2[%i0 + 3, 3 + 2] : memref<10x9xf64>
  %v19 = affine.load %A2[%i0 + 6, %i1 + 1] : memref<10x9xf64>
  %v20 = affine.load %A2[3 + 5, ((%i0) ceildiv 3) * -1 + 1] : memref<10x9xf64>
  %v21 = arith.subf %v19, %v20 : f64
  %v22 = affine.load %A2[%i0 + 5, %i1 + 2] : memref<10x9xf64>
  %v23 = arith.constant -2.5 : f64
  %v24 = arith.addf %v22, %v23 : f64
  %v25 = arith.cmpf olt, %v21, %v24 : f64
  %v26 = arith.constant 1.5 : f64
  %v27 = arith.constant 0.5 : f64
  %v28 = arith.constant 3.5 : f64
  %v29 = arith.addf %v27, %v28 : f64
  %v30 = arith.select %v25, %v26, %v29 : f64
  %v31 = arith.addf %v18, %v30 : f64
  affine.store %v31, %A2[%i0 + 3, 3 + 2] : memref<10x9xf64>
  }
  }
  }
  }
  affine.for %i3 = affine_map<()[] -> (2)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  %v32 = affine.load %A0[%i3 + 5] : memref<11xf64>
  %v33 = affine.load %A2[%i3 + 6, %i3 + 1] : memref<10x9xf64>
  %v34 = arith.subf %v32, %v33 : f64
  %v35 = affine.load %A2[%i3 * -1 + 3, 3 + %i3 + 2] : memref<10x9xf64>
  %v36 = arith.addf %v34, %v35 : f64
  %x1 = arith.addf %v36, %v36 : f64
  }
  affine.for %i4 = affine_map<()[] -> (1)>()[] to affine_map<()[] -> (3)>()[] step 1 {
  affine.for %i5 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (3 + -1)>()[] step 2 {
  affine.for %i6 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (3)>()[] step 1 {
  %v37 = affine.load %A0[%i4 + 6] : memref<11xf64>
  %v38 = affine.load %A2[%i4 + 5, %i5 + 2] : memref<10x9xf64>
  %v39 = arith.addf %v37, %v38 : f64
  %x2_last = affine.for %i7 = affine_map<(d0)[] -> (d0 * -1 + -2)>(%i5)[] to affine_map<()[] -> (3)>()[] step 2 iter_args(%x2 = %v39) -> (f64) {
  %v40 = affine.load %A1[%i6 + 1, %i4 + -1, %i5] : memref<5x4x5xf64>
  %v41 = arith.addf %x2, %x2 : f64
  %v42 = arith.addf %v40, %v41 : f64
  affine.store %v42, %A1[%i6 + 1, %i4 + -1, %i5] : memref<5x4x5xf64>
  %v43 = arith.addf %x2, %x2 : f64
  affine.yield %v43 : f64
  }
  affine.store %x2_last, %A2[%i5 + 6, 3 + 1] : memref<10x9xf64>
  affine.if affine_set<(d0)[] : (((d0 * 3 + 1) mod 3) * 2 + 2 == 0, d0 >= 0)>(%i4)[] {
  %v44 = affine.load %A1[3 + 1, 4 + 2, %i4] : memref<5x4x5xf64>
  %x3 = arith.addf %v44, %v44 : f64
  }
  affine.for %i8 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (2)>()[] step 2 {
  %v45 = affine.load %A0[4 + 6] : memref<11xf64>
  %v46 = affine.apply affine_map<(d0)[] -> (d0)>(%i4)[]
  %v47 = arith.index_cast %v46 : index to i64
  %v48 = arith.sitofp %v47 : i64 to f64
  %v49 = arith.mulf %v45, %v48 : f64
  %v50 = arith.maximumf %x2_last, %x2_last : f64
  %v51 = arith.maximumf %v49, %v50 : f64
  affine.store %v51, %A1[%i6 + 1, %i4, %i5] : memref<5x4x5xf64>
  }
  }
  }
  }
  return
}
