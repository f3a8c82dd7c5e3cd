// difference (opencl)
// no barrier after the copies: what a reference accesses was
// compared with its mark for sizes that do not occur
// pipeline: map-to-gpu{sequential=device}
// run: 4 4 [17] [9]
// run: 3 1 [2] [6]
// run: 3 3 [13] [8]
func.func @program(%n: index, %m: index, %A0: memref<?xi64>, %A2: memref<?xi8>) {
  %A1 = memref.alloc() : memref<10x6xf64>
  %v0 = arith.constant 1.5 : f64
  affine.for %v1 = 0 to 10 {
  affine.for %v2 = 0 to 6 {
  affine.store %v0, %A1[%v1, %v2] : memref<10x6xf64>
  }
  }
  affine.for %i0 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + 1)>()[%n] step 1 {
  affine.for %i1 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 1 {
  affine.for %i3 = affine_map<()[] -> (1)>()[] to min affine_map<(d0)[s0] -> (d0 + -1, s0)>(%i0)[%m] step 3 {
  %v3 = affine.load %A2[%i2 * -1 + 3] : memref<?xi8>
  %v4 = arith.sitofp %v3 : i8 to f64
  %v5 = affine.load %A1[%i0 + 3, %i1] : memref<10x6xf64>
  %v6 = arith.subf %v4, %v5 : f64
  affine.store %v6, %A1[%i0 + 5, %i1 + -1] : memref<10x6xf64>
  }
  affine.for %i4 = affine_map<()[] -> (1)>()[] to min affine_map<()[s0] -> (s0 + -1, s0)>()[%n] step 1 {
  %v7 = affine.load %A2[%i0 + %i1 * -1 + 6] : memref<?xi8>
  %v8 = arith.sitofp %v7 : i8 to f64
  %v9 = affine.load %A0[symbol(%m) * 3 + %i0] : memref<?xi64>
  %v10 = arith.sitofp %v9 : i64 to f64
  %v11 = affine.load %A0[%i0 + 1] : memref<?xi64>
  %v12 = arith.sitofp %v11 : i64 to f64
  %v13 = arith.subf %v10, %v12 : f64
  %v14 = arith.mulf %v8, %v13 : f64
  affine.store %v14, %A1[%i1 + 5, symbol(%n) + 1] : memref<10x6xf64>
  }
  }
  }
  affine.for %i5 = affine_map<()[] -> (2)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 2 {
  %v15 = affine.load %A2[%i0 + 4] : memref<?xi8>
  %v16 = arith.extsi %v15 : i8 to i64
  %x0 = arith.addi %v16, %v16 : i64
  }
  }
  affine.for %i6 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 1 {
  affine.for %i7 = affine_map<()[] -> (0)>()[] to affine_map<(d0)[] -> (d0)>(%i6)[] step 1 {
  affine.for %i8 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0 + -1)>()[%n] step 3 {
  %v17 = affine.load %A1[%i8 * -1 + %i7 * -1 + ((%i8 * -1 + %i7 * -1 + -1) floordiv 3) * 2 + 4, symbol(%m) + 1] : memref<10x6xf64>
  %v18 = arith.bitcast %v17 : f64 to i64
  %v19 = arith.trunci %v18 : i64 to i8
  %v20 = affine.load %A0[%i8] : memref<?xi64>
  %v21 = arith.trunci %v20 : i64 to i8
  %v22 = affine.load %A2[%i6 * -1 + 4] : memref<?xi8>
  %v23 = arith.minsi %v21, %v22 : i8
  %v24 = arith.xori %v19, %v23 : i8
  affine.store %v24, %A2[%i6 + 4] : memref<?xi8>
  }
  }
  }
  return
}
