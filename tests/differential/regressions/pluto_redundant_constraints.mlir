// Pluto: redundant constraints kept isl's integer minimum from ending
// pipeline: pluto-schedule{fuse=max}
// run: 5 3 [] [16x31]
// run: 5 1 [] [16x25]
// run: 5 0 [] [16x22]
func.func @program(%n: index, %m: index, %A0: memref<i64>, %A1: memref<16x?xi64>) {
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%n] step 1 {
  %v0 = affine.load %A1[%i0 * 2 + 5, %i0 * 3 + 6] : memref<16x?xi64>
  %x0_last = affine.for %i1 = max affine_map<(d0)[] -> (0, d0)>(%i0)[] to affine_map<()[] -> (3)>()[] step 1 iter_args(%x0 = %v0) -> (i64) {
  affine.for %i2 = max affine_map<()[s0] -> (2, s0 + 1)>()[%n] to affine_map<()[s0] -> (s0 + 1)>()[%m] step 2 {
  %v1 = affine.load %A0[] : memref<i64>
  affine.store %v1, %A0[] : memref<i64>
  %v2 = affine.load %A1[%i0 + 5, %i1 + 5] : memref<16x?xi64>
  %v3 = arith.minsi %v2, %x0 : i64
  %v4 = affine.load %A0[] : memref<i64>
  %v5 = arith.minsi %v4, %x0 : i64
  %v6 = arith.muli %v3, %v5 : i64
  affine.store %v6, %A1[%i2 + 4, symbol(%n) + %i1 + 3] : memref<16x?xi64>
  }
  %v7 = affine.apply affine_map<(d0)[] -> (d0)>(%i1)[]
  %v8 = arith.index_cast %v7 : index to i64
  %v9 = arith.minsi %x0, %v8 : i64
  %v10 = arith.addi %x0, %v9 : i64
  affine.yield %v10 : i64
  }
  affine.store %x0_last, %A0[] : memref<i64>
  %v11 = affine.load %A1[%i0 + 5, %i0 + 4] : memref<16x?xi64>
  %v12 = affine.load %A0[] : memref<i64>
  %v13 = arith.xori %v11, %v12 : i64
  %v14 = affine.load %A1[%i0 + 4, symbol(%n) + %i0 + 3] : memref<16x?xi64>
  %v15 = arith.maxui %v14, %x0_last : i64
  %v16 = arith.maxui %v13, %v15 : i64
  affine.store %v16, %A0[] : memref<i64>
  affine.if affine_set<(d0)[] : (d0 * -1 >= 0, d0 + 1 >= 0)>(%i0)[] {
  affine.for %i3 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 3 {
  %v17 = affine.load %A0[] : memref<i64>
  %v18 = affine.load %A0[] : memref<i64>
  %v19 = arith.minsi %v18, %x0_last : i64
  %v20 = arith.xori %x0_last, %v19 : i64
  %v21 = arith.addi %v17, %v20 : i64
  affine.store %v21, %A0[] : memref<i64>
  }
  }
  }
  %v22 = affine.load %A0[] : memref<i64>
  %x1_last = affine.for %i4 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 iter_args(%x1 = %v22) -> (i64) {
  %v23 = affine.load %A1[%i4 + 6, %i4 + 6] : memref<16x?xi64>
  %v24 = affine.load %A1[symbol(%m) + 7, symbol(%m) * -1 + %i4 * -1 + 7] : memref<16x?xi64>
  %v25 = arith.addi %v23, %v24 : i64
  affine.store %v25, %A1[%i4 + 6, %i4 + 6] : memref<16x?xi64>
  affine.for %i5 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  affine.for %i6 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 2 {
  %v26 = affine.load %A0[] : memref<i64>
  %v27 = affine.load %A1[%i6 + 5, %i5 * 2 + 3] : memref<16x?xi64>
  %v28 = arith.subi %v26, %v27 : i64
  affine.store %v28, %A0[] : memref<i64>
  }
  }
  %v29 = affine.load %A1[symbol(%n) + 4, %i4 * 3 + 6] : memref<16x?xi64>
  %v30 = arith.addi %v29, %x1 : i64
  %v31 = arith.addi %x1, %v30 : i64
  affine.yield %v31 : i64
  }
  affine.store %x1_last, %A1[symbol(%n) * -1 + 5, symbol(%n) * 3 + symbol(%m) * 3 + 6] : memref<16x?xi64>
  return
}
