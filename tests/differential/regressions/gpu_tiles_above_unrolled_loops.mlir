// map-to-gpu: Error in limited
// isl inserts no band above
// AST options that name loops by their depth
// pipeline: isl-schedule{fusion=max},unroll{loop=S0.1 factor=2},map-to-gpu{block=3,2 grid=2,3 sequential=host}
// run: [19x22x19] [7x9] [12x11]
func.func @program(%A0: memref<19x22x19xi64>, %A1: memref<7x9xi64>, %A2: memref<12x11xi64>) {
  %v0 = affine.load %A1[5 + 1, 7 + 1] : memref<7x9xi64>
  %v1 = arith.constant -1 : i64
  %v2 = affine.load %A0[7, ((7 + 1) floordiv 2) * 1 + 2, 7 + 4] : memref<19x22x19xi64>
  %v3 = arith.addi %v1, %v2 : i64
  %v4 = arith.minsi %v0, %v3 : i64
  %x0 = arith.addi %v4, %v4 : i64
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[] -> (7 + -1)>()[] step 1 {
  affine.for %i1 = affine_map<()[] -> (2)>()[] to affine_map<()[] -> (5)>()[] step 1 {
  affine.if affine_set<(d0)[] : (d0 + -1 >= 0)>(%i0)[] {
  %v5 = affine.load %A0[%i1 + 1, %i1 * 3 + ((%i0 * 2 + %i1 * 3 + -1) floordiv 2) * 1 + -1, %i0 + 2] : memref<19x22x19xi64>
  %v6 = affine.load %A0[5, 7 + 2, 5 + %i0 * 2 + 3] : memref<19x22x19xi64>
  %v7 = arith.subi %v5, %v6 : i64
  %v8 = affine.load %A1[%i0, %i1 + 1] : memref<7x9xi64>
  %v9 = affine.load %A2[%i0 + 6, %i1 + 6] : memref<12x11xi64>
  %v10 = arith.xori %v8, %v9 : i64
  %v11 = arith.addi %v7, %v10 : i64
  affine.store %v11, %A2[%i0 + 6, %i1 + 5] : memref<12x11xi64>
  }
  %v12 = affine.load %A1[%i0, %i1 + -1] : memref<7x9xi64>
  %v13 = arith.cmpi slt, %x0, %v12 : i64
  %v14 = scf.if %v13 -> (i64) {
  scf.yield %x0 : i64
  } else {
  %v15 = affine.load %A0[%i1, %i0, %i1] : memref<19x22x19xi64>
  scf.yield %v15 : i64
  }
  %v16 = affine.load %A2[%i0 * -1 + 5, %i0 * -1 + 5] : memref<12x11xi64>
  %v17 = arith.constant -3 : i64
  %v18 = arith.maxui %v16, %v17 : i64
  %v19 = arith.xori %v14, %v18 : i64
  affine.store %v19, %A0[7 + %i1 * 3 + -1, %i0 + 1, %i0] : memref<19x22x19xi64>
  }
  }
  return
}
