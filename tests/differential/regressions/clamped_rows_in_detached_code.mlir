// vectorize: a minimum that stands in no operation yet is not a symbol
// pipeline: optimize{threads=1 strategy=register-blocks}
// run: 6 4 [5] [5x3]
// run: 3 2 [5] [5x1]
// run: 2 5 [5] [5x2]
func.func @program(%n: index, %m: index, %A0: memref<?xi64>, %A1: memref<?x?xi32>) {
  %A2 = memref.alloc() : memref<9xi32>
  %v0 = arith.constant 3 : i32
  affine.for %v1 = 0 to 9 {
  affine.store %v0, %A2[%v1] : memref<9xi32>
  }
  affine.for %i0 = affine_map<()[] -> (1)>()[] to affine_map<()[] -> (5)>()[] step 1 {
  affine.if affine_set<(d0)[] : (d0 >= 0, d0 + 1 >= 0)>(%i0)[] {
  %v2 = affine.load %A0[%i0] : memref<?xi64>
  %v3 = affine.load %A2[%i0 + -1] : memref<9xi32>
  %v4 = arith.extsi %v3 : i32 to i64
  %v5 = arith.addi %v2, %v4 : i64
  affine.store %v5, %A0[%i0] : memref<?xi64>
  }
  affine.for %i1 = affine_map<()[] -> (0)>()[] to min affine_map<()[s0, s1] -> (s0 + -1, s1)>()[%m, %n] step 1 {
  affine.for %i2 = affine_map<()[] -> (1)>()[] to affine_map<()[s0] -> (s0)>()[%n] step 3 {
  %v6 = affine.load %A2[%i1 * 3 + 2] : memref<9xi32>
  %v7 = affine.load %A0[%i0] : memref<?xi64>
  %v8 = arith.trunci %v7 : i64 to i32
  %v9 = arith.muli %v6, %v8 : i32
  %v10 = affine.load %A1[%i0, %i1] : memref<?x?xi32>
  %v11 = affine.load %A0[%i0] : memref<?xi64>
  %v12 = arith.trunci %v11 : i64 to i32
  %v13 = arith.addi %v10, %v12 : i32
  %v14 = arith.muli %v9, %v13 : i32
  affine.store %v14, %A1[%i0, %i1] : memref<?x?xi32>
  }
  }
  }
  return
}
