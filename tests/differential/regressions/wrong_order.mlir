// isl orders strided statements of the same date wrongly
// pipeline: pluto-schedule{fuse=max input-dependences=false},wavefront{degrees=1},scale{loop=S6.0 factor=3}
// run: 7 7 [15x48x17] [9x21] [11]
// run: 5 1 [10x24x13] [9x21] [11]
// run: 2 6 [13x30x14] [6x21] [11]
func.func @program(%n: index, %m: index, %A0: memref<?x?x?xi32>, %A1: memref<?x21xi64>, %A2: memref<11xi8>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%n] step 1 {
  %v0 = affine.load %A2[%i0] : memref<11xi8>
  %v1 = arith.extsi %v0 : i8 to i32
  %v2 = affine.load %A2[symbol(%n)] : memref<11xi8>
  %v3 = arith.extsi %v2 : i8 to i32
  %v4 = affine.load %A1[%i0, symbol(%n) * 3 + -1] : memref<?x21xi64>
  %v5 = arith.trunci %v4 : i64 to i32
  %v6 = arith.addi %v3, %v5 : i32
  %v7 = arith.addi %v1, %v6 : i32
  affine.store %v7, %A0[%i0 * -1 + 7, %i0 + 6, %i0 * -1 + 7] : memref<?x?x?xi32>
  }
  %v8 = arith.constant 1 : i64
  %v9 = affine.load %A0[symbol(%m) + 6, symbol(%n) + 8, symbol(%n) + 7] : memref<?x?x?xi32>
  %v10 = arith.extsi %v9 : i32 to i64
  %v11 = arith.maxui %v8, %v10 : i64
  %x0_last = affine.for %i1 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 3 iter_args(%x0 = %v11) -> (i64) {
  affine.if affine_set<(d0)[] : (d0 >= 0)>(%i1)[] {
  %v12 = arith.constant 0 : i8
  %v13 = affine.load %A2[%i1 + 1] : memref<11xi8>
  %v14 = arith.maxui %v12, %v13 : i8
  %v15 = affine.load %A0[symbol(%m) + 6, %i1 * -1 + 9, %i1 * -1 + symbol(%m) + 7] : memref<?x?x?xi32>
  %v16 = arith.trunci %v15 : i32 to i8
  %v17 = affine.load %A0[%i1 + 6, symbol(%m) + 7, %i1 * -1 + 7] : memref<?x?x?xi32>
  %v18 = arith.trunci %v17 : i32 to i8
  %v19 = arith.subi %v16, %v18 : i8
  %v20 = arith.subi %v14, %v19 : i8
  %x1 = arith.addi %v20, %v20 : i8
  %v21 = affine.load %A1[%i1 * 2 + 2, symbol(%m) + -1] : memref<?x21xi64>
  %v22 = arith.trunci %v21 : i64 to i32
  affine.store %v22, %A0[%i1 * -1 + 7, symbol(%n) * 3 + symbol(%m) * 3 + 5, %i1 + symbol(%n) * -1 + 9] : memref<?x?x?xi32>
  affine.for %i2 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  %v23 = affine.load %A1[symbol(%m) + -1, %i1 * -1 + 3] : memref<?x21xi64>
  %v24 = affine.load %A0[symbol(%m) + 5, symbol(%n) * -1 + 7, symbol(%n) + 9] : memref<?x?x?xi32>
  %v25 = arith.extsi %v24 : i32 to i64
  %v26 = arith.minsi %v23, %v25 : i64
  %v27 = affine.load %A2[%i1 + 1] : memref<11xi8>
  %v28 = arith.extsi %v27 : i8 to i64
  %v29 = affine.load %A0[symbol(%n) + 7, %i2 + 7, symbol(%m) * -1 + 9] : memref<?x?x?xi32>
  %v30 = arith.extsi %v29 : i32 to i64
  %v31 = arith.addi %v28, %v30 : i64
  %v32 = arith.minsi %v26, %v31 : i64
  affine.store %v32, %A1[%i1, %i2 + 1] : memref<?x21xi64>
  }
  affine.for %i3 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 2 {
  %v33 = affine.load %A1[%i1, %i1 + 1] : memref<?x21xi64>
  %v34 = arith.addi %v33, %x0 : i64
  affine.store %v34, %A1[%i1, %i1 + 1] : memref<?x21xi64>
  }
  }
  %v35 = affine.load %A2[symbol(%m) + %i1] : memref<11xi8>
  %v36 = arith.extsi %v35 : i8 to i64
  %v37 = arith.constant -3 : i64
  %v38 = arith.maxui %v36, %v37 : i64
  %v39 = arith.addi %x0, %v38 : i64
  affine.yield %v39 : i64
  }
  affine.store %x0_last, %A1[symbol(%m) + -1, symbol(%m) + 2] : memref<?x21xi64>
  return
}
