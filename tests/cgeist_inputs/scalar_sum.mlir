#map = affine_map<()[s0] -> (s0 - 1)>
#set = affine_set<(d0) : (d0 - 2 >= 0)>
module attributes {llvm.data_layout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @smooth_and_sum(%arg0: i32, %arg1: memref<?xf64>, %arg2: memref<?xf64>) -> f64 attributes {llvm.linkage = #llvm.linkage<external>} {
    %cst = arith.constant 3.330000e-01 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %alloca = memref.alloca() : memref<1xf64>
    %0 = llvm.mlir.undef : f64
    affine.store %0, %alloca[0] : memref<1xf64>
    affine.store %cst_0, %alloca[0] : memref<1xf64>
    %1 = arith.index_cast %arg0 : i32 to index
    affine.for %arg3 = 1 to #map()[%1] {
      %3 = affine.load %arg1[%arg3 - 1] : memref<?xf64>
      %4 = affine.load %arg1[%arg3] : memref<?xf64>
      %5 = arith.addf %3, %4 : f64
      %6 = affine.load %arg1[%arg3 + 1] : memref<?xf64>
      %7 = arith.addf %5, %6 : f64
      %8 = arith.mulf %7, %cst : f64
      affine.store %8, %arg2[%arg3] : memref<?xf64>
    }
    affine.for %arg3 = 0 to %1 {
      affine.if #set(%arg3) {
        %5 = affine.load %arg2[%arg3] : memref<?xf64>
        %6 = affine.load %alloca[0] : memref<1xf64>
        %7 = arith.addf %6, %5 : f64
        affine.store %7, %alloca[0] : memref<1xf64>
      }
    }
    %2 = affine.load %alloca[0] : memref<1xf64>
    return %2 : f64
  }
}
