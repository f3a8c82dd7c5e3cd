module attributes {llvm.data_layout = "e-m:e-i64:64-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  memref.global "private" @count : memref<1xi32> = uninitialized
  func.func @relax(%arg0: i32, %arg1: f64, %arg2: memref<?x64xf64>, %arg3: memref<?x64xf64>) -> i32 attributes {llvm.linkage = #llvm.linkage<external>} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant 2.500000e-01 : f64
    %0 = arith.index_cast %arg0 : i32 to index
    %1:2 = scf.while (%arg4 = %c0_i32, %arg5 = %arg1) : (i32, f64) -> (i32, f64) {
      %4 = arith.cmpi slt, %arg4, %arg0 : i32
      scf.condition(%4) %arg4, %arg5 : i32, f64
    } do {
    ^bb0(%arg4: i32, %arg5: f64):
      affine.for %arg6 = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
        affine.for %arg7 = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
          %7 = affine.load %arg2[%arg6 - 1, %arg7] : memref<?x64xf64>
          %8 = affine.load %arg2[%arg6 + 1, %arg7] : memref<?x64xf64>
          %9 = arith.addf %7, %8 : f64
          %10 = arith.mulf %9, %cst : f64
          affine.store %10, %arg3[%arg6, %arg7] : memref<?x64xf64>
        }
      }
      %5 = arith.addi %arg4, %c1_i32 : i32
      %6 = affine.load %arg3[1, 1] : memref<?x64xf64>
      scf.yield %5, %6 : i32, f64
    }
    %2 = memref.get_global @count : memref<1xi32>
    affine.store %1#0, %2[0] : memref<1xi32>
    return %1#0 : i32
  }
}
