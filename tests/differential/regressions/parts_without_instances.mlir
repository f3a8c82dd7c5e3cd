// register-tile: isl leaves parts without instances in a sequence
// pipeline: isl-schedule{fusion=min live-range-reordering=true},tile{sizes=1 levels=3 min-width=2 ratio=2},split-sequential,mark-parallel{which=all},register-tile{rows=3 vectors=1 width=4},vectorize,lower-poly{split-loops=true},split-loops,convert-affine-to-scf,scalar-replacement{levels=all}
// run: 5 5 [1x1] [3x8] [1] [8x18x6]
// run: 7 6 [1x1] [3x8] [1] [9x22x6]
// run: 6 1 [1x1] [3x8] [1] [4x11x6]
func.func @program(%n: index, %m: index, %A0: memref<?x?xf32>, %A1: memref<?x?xf32>, %A2: memref<?xf32>, %A3: memref<?x?x?xf32>) {
  affine.parallel (%i0) = (2) to (4) step (1) {
  %v0 = affine.load %A1[%i0 + -1, %i0 * 2 + 1] : memref<?x?xf32>
  affine.store %v0, %A3[symbol(%m) + 2, symbol(%n) + symbol(%m) * 2 + 2, %i0 + 2] : memref<?x?x?xf32>
  }
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 1 : index
  %v3 = arith.constant 1 : index
  %v4 = arith.muli %n, %v3 : index
  %v5 = arith.addi %v2, %v4 : index
  %v6 = arith.constant 1 : index
  scf.for %i1 = %v1 to %v5 step %v6 {
  %v7 = arith.constant 0 : index
  %v8 = arith.constant 1 : index
  %v9 = arith.muli %n, %v8 : index
  %v10 = arith.addi %v7, %v9 : index
  %v11 = arith.constant 0 : index
  %v12 = arith.constant 1 : index
  %v13 = arith.muli %m, %v12 : index
  %v14 = arith.addi %v11, %v13 : index
  %v15 = arith.constant 1 : index
  scf.for %i2 = %v10 to %v14 step %v15 {
  %v16 = arith.constant 0 : index
  %v17 = arith.constant 1 : index
  %v18 = arith.constant 1 : index
  scf.for %i3 = %v16 to %v17 step %v18 {
  %v19 = arith.constant 1 : index
  %v20 = arith.constant 1 : index
  %v21 = arith.muli %i3, %v20 : index
  %v22 = arith.addi %v19, %v21 : index
  %v23 = arith.constant 0 : index
  %v24 = arith.constant 1 : index
  %v25 = arith.muli %i1, %v24 : index
  %v26 = arith.addi %v23, %v25 : index
  %v27 = memref.load %A0[%v22, %v26] : memref<?x?xf32>
  %v28 = arith.constant -1 : index
  %v29 = arith.constant 1 : index
  %v30 = arith.muli %i1, %v29 : index
  %v31 = arith.addi %v28, %v30 : index
  %v32 = arith.constant 0 : index
  %v33 = arith.constant 1 : index
  %v34 = arith.muli %i2, %v33 : index
  %v35 = arith.addi %v32, %v34 : index
  %v36 = memref.load %A0[%v31, %v35] : memref<?x?xf32>
  %v37 = arith.maximumf %v27, %v36 : f32
  %v38 = arith.constant -1.5 : f32
  %v39 = arith.addf %v37, %v38 : f32
  %v40 = arith.constant 1 : index
  %v41 = arith.constant 1 : index
  %v42 = arith.muli %i2, %v41 : index
  %v43 = arith.addi %v40, %v42 : index
  %v44 = arith.constant -1 : index
  %v45 = arith.constant 1 : index
  %v46 = arith.muli %i1, %v45 : index
  %v47 = arith.addi %v44, %v46 : index
  memref.store %v39, %A0[%v43, %v47] : memref<?x?xf32>
  %v48 = arith.constant 0 : index
  %v49 = arith.constant 1 : index
  %v50 = arith.muli %i1, %v49 : index
  %v51 = arith.addi %v48, %v50 : index
  %v52 = arith.constant 0 : index
  %v53 = arith.constant 1 : index
  %v54 = arith.muli %i2, %v53 : index
  %v55 = arith.addi %v52, %v54 : index
  %v56 = memref.load %A0[%v51, %v55] : memref<?x?xf32>
  %v57 = arith.constant 2.5 : f32
  %v58 = arith.addf %v56, %v57 : f32
  %v59 = arith.constant 0 : index
  %v60 = arith.constant 1 : index
  %v61 = arith.muli %i1, %v60 : index
  %v62 = arith.addi %v59, %v61 : index
  %v63 = arith.constant 0 : index
  %v64 = arith.constant 1 : index
  %v65 = arith.muli %i2, %v64 : index
  %v66 = arith.addi %v63, %v65 : index
  memref.store %v58, %A0[%v62, %v66] : memref<?x?xf32>
  }
  }
  }
  return
}
