// Pluto: an integer minimum of isl's never ended
// pipeline: pluto-schedule{fuse=smart}
// run: 4 5 [38x8x13] [10x23] [5] [8]
// run: 4 1 [7x3x13] [1x4] [2] [3]
// run: 1 5 [30x8x13] [7x14] [5] [8]
func.func @program(%n: index, %m: index, %A0: memref<?x?x13xi64>, %A1: memref<?x?xi64>, %A2: memref<?xi64>, %A3: memref<?xi64>) {
  affine.parallel (%i0) = (0) to (symbol(%n)) step (2) {
  affine.if affine_set<(d0)[] : (d0 >= 0)>(%i0)[] {
  %v0 = arith.constant -3 : i64
  %x0 = arith.addi %v0, %v0 : i64
  }
  }
  affine.for %i1 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%m] step 1 {
  %v1 = affine.load %A3[%i1 + 2] : memref<?xi64>
  %v2 = affine.load %A1[symbol(%m) + 1, %i1 * -1 + 3] : memref<?x?xi64>
  %v3 = arith.addi %v1, %v2 : i64
  %v4 = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + ((s0 + d0 * 3 + 1) floordiv 4) * 1 + -1)>(%i1)[%m]
  %v5 = arith.index_cast %v4 : index to i64
  %v6 = arith.subi %v3, %v5 : i64
  affine.store %v6, %A1[%i1 * 2 + symbol(%n) + -1, symbol(%n) * 3 + %i1 * 3 + 1] : memref<?x?xi64>
  %v7 = arith.constant -1 : i64
  %v8 = affine.load %A0[%i1 * -1 + 6, ((%i1 + 1) ceildiv 2) * -1 + 2, ((symbol(%n)) floordiv 2) * 1 + 7] : memref<?x?x13xi64>
  %v9 = arith.xori %v7, %v8 : i64
  %v10 = affine.load %A0[symbol(%m) * -1 + 6, %i1 + 2, %i1 + 4] : memref<?x?x13xi64>
  %v11 = affine.load %A0[%i1 + 6, symbol(%m) + 2, symbol(%m) + 6] : memref<?x?x13xi64>
  %v12 = arith.minsi %v10, %v11 : i64
  %v13 = arith.subi %v9, %v12 : i64
  affine.store %v13, %A3[%i1 + 3] : memref<?xi64>
  %v14 = arith.constant -3 : i64
  %v15 = arith.constant 0 : i64
  %v16 = arith.minsi %v14, %v15 : i64
  %x1_last = affine.for %i2 = max affine_map<()[s0] -> (1, s0 + -1)>()[%m] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 1 iter_args(%x1 = %v16) -> (i64) {
  %v17 = affine.load %A0[%i2 * 2 + %i1 * 3 + 7, %i1 * -1 + 4, symbol(%n) * -1 + 4] : memref<?x?x13xi64>
  %v18 = arith.maxui %v17, %x1 : i64
  %v19 = affine.load %A0[symbol(%m) + 6, %i1 + 2, %i2 + 7] : memref<?x?x13xi64>
  %v20 = arith.addi %v19, %x1 : i64
  %v21 = arith.cmpi slt, %v18, %v20 : i64
  scf.if %v21 {
  %v22 = affine.load %A3[symbol(%n) * -1 + 4] : memref<?xi64>
  affine.store %v22, %A0[%i2 * 3 + symbol(%n) * 2 + ((%i2 * 3 + symbol(%n) * 2 + 2) ceildiv 3) * 1 + 5, symbol(%n) + 3, %i2 + 5] : memref<?x?x13xi64>
  }
  %v23 = affine.load %A1[%i1, %i2 + 3] : memref<?x?xi64>
  %v24 = affine.load %A3[%i1 + 3] : memref<?xi64>
  %v25 = arith.addi %v23, %v24 : i64
  affine.store %v25, %A1[%i1, %i2 + 3] : memref<?x?xi64>
  %v26 = arith.constant 1 : i64
  %v27 = arith.constant 2 : i64
  %v28 = arith.xori %v26, %v27 : i64
  %v29 = arith.addi %x1, %v28 : i64
  affine.yield %v29 : i64
  }
  affine.store %x1_last, %A2[%i1] : memref<?xi64>
  %v30 = affine.load %A2[%i1 + 1] : memref<?xi64>
  %v31 = affine.load %A3[%i1 + 2] : memref<?xi64>
  %v32 = arith.subi %v30, %v31 : i64
  %v33 = affine.load %A1[%i1 + 1, %i1 * 2 + 5] : memref<?x?xi64>
  %v34 = arith.xori %x1_last, %v33 : i64
  %v35 = arith.addi %v32, %v34 : i64
  affine.store %v35, %A3[%i1 + 1] : memref<?xi64>
  %v36 = affine.load %A3[%i1 + 2] : memref<?xi64>
  %v37 = arith.minsi %v36, %x1_last : i64
  %v38 = affine.load %A0[symbol(%m) * -1 + %i1 + 5, %i1 * -1 + symbol(%m), %i1 + 7] : memref<?x?x13xi64>
  %v39 = affine.load %A3[symbol(%m) + 2] : memref<?xi64>
  %v40 = arith.cmpi slt, %v38, %v39 : i64
  %v41 = arith.select %v40, %x1_last, %x1_last : i64
  %v42 = arith.minsi %v37, %v41 : i64
  affine.store %v42, %A3[%i1 + 3] : memref<?xi64>
  }
  return
}
