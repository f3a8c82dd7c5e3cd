// pluto-schedule: isl took minutes to find redundant constraints
// pipeline: privatize{loops=needed},pluto-schedule{fuse=none input-dependences=true},mark-parallel{which=outermost}
// run: 4 5 [15x15] [6]
// run: 5 0 [1x1] [1]
// run: 6 5 [15x15] [6]
func.func @program(%n: index, %m: index, %A0: memref<?x?xf64>, %A1: memref<?xf64>) {
  %A2 = memref.alloc() : memref<22x19x6xf64>
  %v0 = arith.constant 1.5 : f64
  affine.for %v1 = 0 to 22 {
  affine.for %v2 = 0 to 19 {
  affine.for %v3 = 0 to 6 {
  affine.store %v0, %A2[%v1, %v2, %v3] : memref<22x19x6xf64>
  }
  }
  }
  affine.for %i0 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  %v4 = affine.apply affine_map<()[s0] -> (s0)>()[%n]
  %v5 = arith.index_cast %v4 : index to i64
  %v6 = arith.sitofp %v5 : i64 to f64
  %v7 = affine.load %A0[symbol(%m) * 2 + %i0, symbol(%m) * 3 + -1] : memref<?x?xf64>
  %v8 = arith.subf %v6, %v7 : f64
  %x0_last = affine.for %i1 = max affine_map<(d0)[] -> (2, d0 + 2)>(%i0)[] to affine_map<()[s0] -> (s0)>()[%n] step 2 iter_args(%x0 = %v8) -> (f64) {
  %v9 = affine.load %A2[%i1 + 4, %i1 * 3 + symbol(%m) + -2, %i1] : memref<22x19x6xf64>
  %v10 = affine.load %A2[symbol(%n) * 2 + %i1 + 4, symbol(%m), %i0 + -1] : memref<22x19x6xf64>
  %v11 = affine.load %A1[%i0 + 1] : memref<?xf64>
  %v12 = arith.mulf %v11, %x0 : f64
  %v13 = arith.addf %v10, %v12 : f64
  %v14 = arith.addf %v9, %v13 : f64
  affine.store %v14, %A2[%i1 + 4, %i1 * 3 + symbol(%m) + -2, %i1] : memref<22x19x6xf64>
  %v15 = arith.addf %x0, %x0 : f64
  %v16 = arith.addf %x0, %v15 : f64
  affine.yield %v16 : f64
  }
  affine.store %x0_last, %A0[symbol(%n) + 1, %i0 * 3 + -2] : memref<?x?xf64>
  affine.for %i2 = affine_map<()[] -> (0)>()[] to affine_map<()[s0] -> (s0)>()[%m] step 1 {
  %v17 = arith.maximumf %x0_last, %x0_last : f64
  %x1_last = affine.for %i3 = max affine_map<(d0)[] -> (0, d0)>(%i2)[] to affine_map<()[] -> (5)>()[] step 2 iter_args(%x1 = %v17) -> (f64) {
  %v18 = affine.load %A1[%i0 + -1] : memref<?xf64>
  %v19 = arith.mulf %v18, %x1 : f64
  %v20 = affine.load %A0[%i0, %i2] : memref<?x?xf64>
  %v21 = arith.addf %v20, %x0_last : f64
  %v22 = arith.addf %v19, %v21 : f64
  affine.store %v22, %A2[%i2 + 4, %i2, %i3] : memref<22x19x6xf64>
  %v23 = affine.load %A2[%i2 * -1 + 4, symbol(%n) * 3 + -1, %i2] : memref<22x19x6xf64>
  %v24 = arith.addf %x1, %v23 : f64
  affine.yield %v24 : f64
  }
  affine.store %x1_last, %A1[%i0 + 1] : memref<?xf64>
  affine.for %i4 = affine_map<()[] -> (2)>()[] to min affine_map<(d0)[] -> (4, d0)>(%i0)[] step 2 {
  %v25 = affine.load %A0[%i0, %i2 + 1] : memref<?x?xf64>
  affine.store %v25, %A2[%i0 + 4, %i2, %i4 + 1] : memref<22x19x6xf64>
  }
  }
  affine.for %i5 = affine_map<()[s0] -> (s0)>()[%n] to min affine_map<()[s0, s1] -> (s0, s1 + 1)>()[%n, %m] step 1 {
  affine.for %i6 = max affine_map<(d0, d1)[] -> (d0, d1 + 2)>(%i0, %i5)[] to affine_map<()[s0] -> (s0)>()[%n] step 3 {
  %v26 = arith.subf %x0_last, %x0_last : f64
  %v27 = affine.apply affine_map<(d0)[] -> (d0 * 3 + 1)>(%i0)[]
  %v28 = arith.index_cast %v27 : index to i64
  %v29 = arith.sitofp %v28 : i64 to f64
  %v30 = arith.addf %v29, %x0_last : f64
  %v31 = arith.addf %v26, %v30 : f64
  affine.store %v31, %A0[%i0 + -1, %i5 + -1] : memref<?x?xf64>
  }
  }
  }
  return
}
