// isl generates no correct loops: those of the program are used
// pipeline: isl-schedule{fusion=typed outer-coincidence=true}
// run: [5] [2x3x3] []
func.func @program(%A0: memref<5xi64>, %A1: memref<2x3x3xi64>, %A2: memref<i64>) {
  %A3 = memref.alloc() : memref<5x4x11xi64>
  %v0 = arith.constant 3 : i64
  affine.for %v1 = 0 to 5 {
  affine.for %v2 = 0 to 4 {
  affine.for %v3 = 0 to 11 {
  affine.store %v0, %A3[%v1, %v2, %v3] : memref<5x4x11xi64>
  }
  }
  }
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4 + 1)>()[] step 1 {
  affine.for %i1 = affine_map<()[] -> (1)>()[] to affine_map<()[] -> (4 + 1)>()[] step 1 {
  affine.for %i2 = max affine_map<(d0)[] -> (0, d0 + -1)>(%i0)[] to affine_map<()[] -> (4)>()[] step 1 {
  affine.for %i3 = affine_map<(d0)[] -> (d0)>(%i1)[] to affine_map<()[] -> (3 + 1)>()[] step 1 {
  %v4 = affine.load %A3[%i3 + 1, %i2, %i0 * 2 + %i3 + -1] : memref<5x4x11xi64>
  %v5 = arith.constant -3 : i64
  %v6 = affine.load %A2[] : memref<i64>
  %v7 = affine.load %A2[] : memref<i64>
  %v8 = arith.minsi %v6, %v7 : i64
  %v9 = arith.minsi %v5, %v8 : i64
  %v10 = arith.addi %v4, %v9 : i64
  affine.store %v10, %A3[%i3 + 1, %i2, %i0 * 2 + %i3 + -1] : memref<5x4x11xi64>
  }
  affine.for %i4 = affine_map<()[] -> (2)>()[] to affine_map<()[] -> (3 + -1)>()[] step 1 {
  %v11 = affine.load %A0[%i4 + 3] : memref<5xi64>
  %v12 = arith.constant 2 : i64
  %v13 = affine.load %A2[] : memref<i64>
  %v14 = arith.minsi %v12, %v13 : i64
  %v15 = arith.xori %v11, %v14 : i64
  %x0 = arith.addi %v15, %v15 : i64
  }
  }
  }
  }
  affine.for %i5 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (3 + -1)>()[] step 1 {
  affine.for %i6 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4 + -1)>()[] step 1 {
  %v16 = affine.load %A2[] : memref<i64>
  %v17 = affine.apply affine_map<(d0)[] -> (d0 + -1)>(%i6)[]
  %v18 = arith.index_cast %v17 : index to i64
  %v19 = arith.muli %v16, %v18 : i64
  %x1_last = affine.for %i7 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 2 iter_args(%x1 = %v19) -> (i64) {
  %v20 = affine.load %A2[] : memref<i64>
  affine.store %v20, %A3[%i7 + 1, %i6 + 1, %i5] : memref<5x4x11xi64>
  affine.for %i8 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (3)>()[] step 3 {
  %v21 = affine.load %A2[] : memref<i64>
  %v22 = affine.load %A1[%i5, %i6, %i7] : memref<2x3x3xi64>
  %v23 = affine.load %A3[%i5, %i7, 3 + -1] : memref<5x4x11xi64>
  %v24 = arith.minsi %x1, %v23 : i64
  %v25 = arith.subi %v22, %v24 : i64
  %v26 = arith.addi %v21, %v25 : i64
  affine.store %v26, %A2[] : memref<i64>
  %v27 = affine.load %A0[%i5 + 3] : memref<5xi64>
  %v28 = arith.constant 1 : i64
  %v29 = affine.apply affine_map<(d0, d1)[] -> (d0 * -1 + d1 * 3 + -2)>(%i5, %i6)[]
  %v30 = arith.index_cast %v29 : index to i64
  %v31 = arith.subi %v28, %v30 : i64
  %v32 = affine.load %A2[] : memref<i64>
  %v33 = affine.load %A0[%i6 + 2] : memref<5xi64>
  %v34 = arith.xori %v32, %v33 : i64
  %v35 = arith.xori %v31, %v34 : i64
  %v36 = arith.addi %v27, %v35 : i64
  affine.store %v36, %A0[%i5 + 3] : memref<5xi64>
  }
  %v37 = affine.load %A0[%i6 * -1 + %i7 * -1 + 4] : memref<5xi64>
  %v38 = arith.subi %x1, %v37 : i64
  %v39 = arith.addi %x1, %v38 : i64
  affine.yield %v39 : i64
  }
  affine.store %x1_last, %A2[] : memref<i64>
  }
  }
  return
}
