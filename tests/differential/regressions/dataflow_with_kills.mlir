// privatize: isl crashes in the dataflow analysis with kills
// pipeline: privatize{loops=all},mark-parallel
// run: 4 3 [7] []
// run: 2 3 [5] []
// run: 1 4 [9] []
func.func @program(%n: index, %m: index, %A1: memref<?xi32>, %A2: memref<i64>) {
  %A0 = memref.alloc() : memref<15x11xi32>
  %v0 = arith.constant 3 : i32
  affine.for %v1 = 0 to 15 {
  affine.for %v2 = 0 to 11 {
  affine.store %v0, %A0[%v1, %v2] : memref<15x11xi32>
  }
  }
  affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 {
  %v3 = affine.apply affine_map<(d0)[] -> (d0 + -1)>(%i0)[]
  %v4 = arith.index_cast %v3 : index to i64
  %x0_last = affine.for %i1 = affine_map<()[] -> (2)>()[] to min affine_map<(d0)[] -> (d0 + -1, d0)>(%i0)[] step 2 iter_args(%x0 = %v4) -> (i64) {
  %v5 = affine.load %A0[%i0 + -1, %i1 + 2] : memref<15x11xi32>
  %v6 = affine.apply affine_map<(d0)[] -> (d0 + -1)>(%i0)[]
  %v7 = arith.index_cast %v6 : index to i32
  %v8 = arith.maxui %v5, %v7 : i32
  %x1_last = affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 3 iter_args(%x1 = %v8) -> (i32) {
  affine.for %i3 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%m] step 1 {
  %v9 = affine.load %A1[%i0 + 3] : memref<?xi32>
  %v10 = arith.extsi %v9 : i32 to i64
  %v11 = affine.apply affine_map<(d0)[] -> (d0 * -1 + 1)>(%i0)[]
  %v12 = arith.index_cast %v11 : index to i64
  %v13 = arith.minsi %v10, %v12 : i64
  %v14 = arith.constant 2 : i64
  %v15 = arith.minsi %v13, %v14 : i64
  affine.store %v15, %A2[] : memref<i64>
  }
  %v16 = affine.load %A1[%i0 + 1] : memref<?xi32>
  %v17 = arith.addi %x1, %v16 : i32
  affine.yield %v17 : i32
  }
  affine.store %x1_last, %A1[%i0] : memref<?xi32>
  %v18 = affine.load %A1[%i1 + 2] : memref<?xi32>
  %v19 = arith.extsi %v18 : i32 to i64
  %v20 = affine.load %A0[%i0, %i1 + 2] : memref<15x11xi32>
  %v21 = arith.extsi %v20 : i32 to i64
  %v22 = arith.maxui %v19, %v21 : i64
  %v23 = arith.addi %x0, %v22 : i64
  affine.yield %v23 : i64
  }
  affine.store %x0_last, %A2[] : memref<i64>
  }
  %v24 = affine.load %A0[symbol(%n) + 1, symbol(%m) * 2] : memref<15x11xi32>
  %v25 = arith.extsi %v24 : i32 to i64
  %v26 = affine.load %A0[symbol(%m) + -1, symbol(%n) + 2] : memref<15x11xi32>
  %v27 = arith.extsi %v26 : i32 to i64
  %v28 = arith.subi %v25, %v27 : i64
  %x2_last = affine.for %i4 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 iter_args(%x2 = %v28) -> (i64) {
  %v29 = affine.load %A1[%i4] : memref<?xi32>
  %v30 = arith.constant 1 : i32
  %v31 = arith.xori %v29, %v30 : i32
  %v32 = affine.load %A0[symbol(%m), symbol(%m) + 1] : memref<15x11xi32>
  %v33 = affine.load %A0[symbol(%m) + -1, %i4] : memref<15x11xi32>
  %v34 = arith.subi %v32, %v33 : i32
  %v35 = arith.subi %v31, %v34 : i32
  affine.store %v35, %A1[%i4 + 1] : memref<?xi32>
  %v36 = affine.load %A0[%i4, %i4 * 3 + 1] : memref<15x11xi32>
  %v37 = arith.extsi %v36 : i32 to i64
  %v38 = arith.addi %x2, %v37 : i64
  affine.yield %v38 : i64
  }
  affine.store %x2_last, %A2[] : memref<i64>
  affine.for %i5 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 3 {
  affine.for %i6 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 2 {
  affine.for %i7 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%m] step 1 {
  affine.if affine_set<(d0)[] : (d0 * 3 + -1 >= 0)>(%i6)[] {
  %v39 = affine.load %A1[%i5 * 2 + 2] : memref<?xi32>
  %v40 = arith.trunci %v39 : i32 to i8
  %x3 = arith.addi %v40, %v40 : i8
  %v41 = affine.load %A0[%i5 + 1, %i6 + 1] : memref<15x11xi32>
  %v42 = affine.load %A2[] : memref<i64>
  %v43 = arith.trunci %v42 : i64 to i32
  %v44 = affine.load %A0[%i6 + 1, %i6 * 3 + 1] : memref<15x11xi32>
  %v45 = arith.xori %v43, %v44 : i32
  %v46 = arith.subi %v41, %v45 : i32
  affine.store %v46, %A1[%i5 + 1] : memref<?xi32>
  }
  }
  }
  }
  affine.for %i8 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 1 {
  %v47 = affine.load %A1[symbol(%n) + 1] : memref<?xi32>
  %v48 = affine.apply affine_map<(d0)[] -> (d0 + 2)>(%i8)[]
  %v49 = arith.index_cast %v48 : index to i32
  %v50 = arith.subi %v47, %v49 : i32
  %v51 = affine.load %A0[symbol(%n), symbol(%n) + 2] : memref<15x11xi32>
  %v52 = affine.load %A2[] : memref<i64>
  %v53 = arith.trunci %v52 : i64 to i32
  %v54 = arith.subi %v51, %v53 : i32
  %v55 = arith.muli %v50, %v54 : i32
  affine.store %v55, %A0[symbol(%n) * 2 + %i8 * 3, %i8 + 1] : memref<15x11xi32>
  }
  %v56 = affine.load %A0[symbol(%n), symbol(%m)] : memref<15x11xi32>
  %v57 = arith.constant -2 : i32
  %v58 = arith.muli %v56, %v57 : i32
  %v59 = affine.load %A1[symbol(%n)] : memref<?xi32>
  %v60 = arith.maxui %v58, %v59 : i32
  affine.store %v60, %A1[symbol(%n) + 2] : memref<?xi32>
  affine.for %i9 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 3 {
  affine.for %i10 = affine_map<()[] -> (0)>()[] to affine_map<(d0)[] -> (d0 + 2)>(%i9)[] step 1 {
  %v61 = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%m]
  %v62 = arith.index_cast %v61 : index to i32
  %v63 = affine.load %A2[] : memref<i64>
  %v64 = arith.trunci %v63 : i64 to i32
  %v65 = arith.minsi %v62, %v64 : i32
  %x4_last = affine.for %i11 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%n] step 1 iter_args(%x4 = %v65) -> (i32) {
  affine.if affine_set<(d0)[] : (d0 + 1 >= 0)>(%i11)[] {
  %v66 = affine.load %A0[%i10, %i9 + 1] : memref<15x11xi32>
  %v67 = arith.xori %x4, %x4 : i32
  %v68 = affine.load %A1[%i9] : memref<?xi32>
  %v69 = arith.xori %v67, %v68 : i32
  %v70 = arith.addi %v66, %v69 : i32
  affine.store %v70, %A0[%i10, %i9 + 1] : memref<15x11xi32>
  } else {
  %v71 = arith.constant -3 : i64
  %v72 = arith.constant 0 : i64
  %v73 = arith.subi %v71, %v72 : i64
  %v74 = affine.apply affine_map<(d0)[] -> (d0)>(%i10)[]
  %v75 = arith.index_cast %v74 : index to i64
  %v76 = affine.load %A0[%i11 + -1, %i10 * 3 + 2] : memref<15x11xi32>
  %v77 = arith.extsi %v76 : i32 to i64
  %v78 = arith.addi %v75, %v77 : i64
  %v79 = arith.addi %v73, %v78 : i64
  affine.store %v79, %A2[] : memref<i64>
  }
  %v80 = affine.load %A1[%i11 + 1] : memref<?xi32>
  %v81 = affine.load %A0[%i9, symbol(%n)] : memref<15x11xi32>
  %v82 = arith.addi %v80, %v81 : i32
  %v83 = arith.addi %x4, %v82 : i32
  affine.yield %v83 : i32
  }
  affine.store %x4_last, %A1[%i9 + 2] : memref<?xi32>
  }
  }
  return
}
