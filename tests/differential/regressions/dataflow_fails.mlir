// poly-dependences: isl fails in the dataflow analysis with kills
// pipeline: pluto-schedule{fuse=none input-dependences=false},mark-parallel{which=outermost}
// run: 6 7 [5x3] [17x19]
// run: 2 2 [5x3] [17x9]
// run: 0 4 [5x3] [17x9]
func.func @program(%n: index, %m: index, %A1: memref<5x3xi64>, %A2: memref<17x?xi64>) {
  %A0 = memref.alloc() : memref<10x10xi64>
  %v0 = arith.constant 3 : i64
  affine.for %v1 = 0 to 10 {
  affine.for %v2 = 0 to 10 {
  affine.store %v0, %A0[%v1, %v2] : memref<10x10xi64>
  }
  }
  %A3 = memref.alloc() : memref<22x7xi64>
  %v3 = arith.constant 3 : i64
  affine.for %v4 = 0 to 22 {
  affine.for %v5 = 0 to 7 {
  affine.store %v3, %A3[%v4, %v5] : memref<22x7xi64>
  }
  }
  affine.for %i0 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 2 {
  affine.for %i1 = affine_map<(d0)[] -> (d0)>(%i0)[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 1 {
  %v6 = affine.load %A0[%i0 + 3, %i1 + 5] : memref<10x10xi64>
  %v7 = arith.constant 2 : i64
  %v8 = arith.minsi %v6, %v7 : i64
  %v9 = affine.load %A3[%i1, %i1] : memref<22x7xi64>
  %v10 = affine.load %A0[%i0 + 5, %i1 * -1 + 4] : memref<10x10xi64>
  %v11 = arith.minsi %v9, %v10 : i64
  %v12 = arith.addi %v8, %v11 : i64
  affine.store %v12, %A2[%i0 + 2, %i1 + 4] : memref<17x?xi64>
  }
  }
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 2 {
  affine.for %i3 = affine_map<()[] -> (0)>()[] to affine_map<(d0)[] -> (d0 + -1)>(%i2)[] step 1 {
  %v13 = affine.load %A2[%i2 * 3, %i3 * -1 + 2] : memref<17x?xi64>
  %v14 = affine.load %A2[%i2 + 2, %i3 + 4] : memref<17x?xi64>
  %v15 = arith.subi %v13, %v14 : i64
  %v16 = affine.load %A0[%i2 + 2, %i3 + 4] : memref<10x10xi64>
  %v17 = affine.load %A2[%i2 * 2 + symbol(%m) + 1, symbol(%n) + 6] : memref<17x?xi64>
  %v18 = arith.maxui %v16, %v17 : i64
  %v19 = arith.subi %v15, %v18 : i64
  affine.store %v19, %A2[%i2 + 2, symbol(%m) * 2 + 4] : memref<17x?xi64>
  %v20 = affine.load %A3[%i2, %i3] : memref<22x7xi64>
  %v21 = affine.load %A0[%i2 + 3, %i3 + 4] : memref<10x10xi64>
  %v22 = arith.subi %v20, %v21 : i64
  %v23 = affine.load %A2[%i2 + 1, %i3 + 3] : memref<17x?xi64>
  %v24 = affine.load %A1[%i2, %i3] : memref<5x3xi64>
  %v25 = arith.addi %v23, %v24 : i64
  %v26 = arith.xori %v22, %v25 : i64
  affine.store %v26, %A3[symbol(%m) * 3, symbol(%n)] : memref<22x7xi64>
  }
  }
  affine.for %i4 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  affine.for %i5 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%m] step 1 {
  %v27 = affine.apply affine_map<(d0)[] -> (d0 + 1)>(%i5)[]
  %v28 = arith.index_cast %v27 : index to i64
  %x0 = arith.addi %v28, %v28 : i64
  }
  }
  affine.for %i6 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (4)>()[] step 1 {
  affine.for %i7 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (1)>()[] step 1 {
  %v29 = affine.load %A2[%i6 + 2, %i7 * -1 + 2] : memref<17x?xi64>
  %v30 = affine.load %A1[%i6, %i7] : memref<5x3xi64>
  %v31 = arith.xori %v29, %v30 : i64
  %v32 = arith.constant -3 : i64
  %v33 = arith.xori %v31, %v32 : i64
  affine.store %v33, %A3[%i6, %i7] : memref<22x7xi64>
  }
  affine.for %i8 = affine_map<()[] -> (0)>()[] to affine_map<(d0)[] -> (d0)>(%i6)[] step 1 {
  %v34 = affine.load %A0[%i6 + 3, %i8 + 3] : memref<10x10xi64>
  %v35 = affine.load %A2[%i6 * -1 + 3, %i6 + 5] : memref<17x?xi64>
  %v36 = arith.addi %v34, %v35 : i64
  %v37 = affine.load %A0[%i8 * -1 + 2, %i8 + 3] : memref<10x10xi64>
  %v38 = arith.constant -1 : i64
  %v39 = arith.xori %v37, %v38 : i64
  %v40 = arith.minsi %v36, %v39 : i64
  affine.store %v40, %A2[%i8, %i8 + 4] : memref<17x?xi64>
  }
  }
  affine.for %i9 = affine_map<()[] -> (2)>()[] to affine_map<()[] -> (1)>()[] step 3 {
  %v41 = affine.load %A0[%i9 + 5, %i9 + 3] : memref<10x10xi64>
  affine.store %v41, %A3[symbol(%n) * 3 + %i9 * 2 + -2, symbol(%n) + 2] : memref<22x7xi64>
  }
  return
}
