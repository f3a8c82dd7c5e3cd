// isl's AST builder lost an instance of the strided statement, under the context m <= 21
// pipeline: apply-schedule{schedule="{ S0[i, j] -> [i, 20i + j, 1]; S1[i, j] -> [1 + i, 21 + 19i + j, 0] }"},tile{sizes=4}
// run: 8 10 [64x64] [64]
// run: 11 5 [64x64] [64]
// run: 0 0 [64x64] [64]
func.func @program(%m: index, %n: index, %F: memref<64x64xf32>, %C: memref<64xi8>) {
  %0 = arith.constant 5.000000e-01 : f32
  %1 = arith.index_cast %n : index to i32
  %2 = arith.constant 5.000000e-01 : f32
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
    affine.for %j = 0 to %m {
      %3 = arith.sitofp %1 : i32 to f32
      %4 = arith.mulf %0, %3 : f32
      affine.store %4, %F[40, %i * -1 + 19] : memref<64x64xf32>
    }
    affine.for %j_1 = affine_map<()[s0] -> (s0 * -1 mod 3 * -1 + 2)>()[%m] to affine_map<(d0) -> (d0 + 1)>(%i) step 3 {
      %5 = affine.load %C[40] : memref<64xi8>
      %6 = arith.uitofp %5 : i8 to f32
      %7 = arith.mulf %2, %6 : f32
      affine.store %7, %F[%m * 2 - %i * 2 + 4, %n + 9] : memref<64x64xf32>
    }
  }
  func.return
}
