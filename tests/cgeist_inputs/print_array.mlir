module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"dlti.endianness", "little">>, llvm.data_layout = "e-m:e-i64:64-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  llvm.mlir.global internal constant @str1("\0A\00") {addr_space = 0 : i32}
  llvm.mlir.global internal constant @str0("%0.2lf \00") {addr_space = 0 : i32}
  llvm.func @printf(!llvm.ptr, ...) -> i32
  func.func @main(%arg0: i32, %arg1: memref<?xmemref<?xi8>>) -> i32 attributes {llvm.linkage = #llvm.linkage<external>} {
    %c0_i32 = arith.constant 0 : i32
    %c100_i32 = arith.constant 100 : i32
    %alloc = memref.alloc() : memref<100x100xf64>
    %cast = memref.cast %alloc : memref<100x100xf64> to memref<?x100xf64>
    call @init_array(%c100_i32, %cast) : (i32, memref<?x100xf64>) -> ()
    %0 = arith.cmpi sgt, %arg0, %c100_i32 : i32
    scf.if %0 {
      func.call @print_array(%c100_i32, %cast) : (i32, memref<?x100xf64>) -> ()
    }
    memref.dealloc %alloc : memref<100x100xf64>
    return %c0_i32 : i32
  }
  func.func private @init_array(%arg0: i32, %arg1: memref<?x100xf64>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %0 = arith.index_cast %arg0 : i32 to index
    affine.for %arg2 = 0 to %0 {
      %1 = arith.index_cast %arg2 : index to i32
      %2 = arith.sitofp %1 : i32 to f64
      affine.for %arg3 = 0 to %0 {
        %3 = arith.index_cast %arg3 : index to i32
        %4 = arith.sitofp %3 : i32 to f64
        %5 = arith.mulf %2, %4 : f64
        %6 = arith.sitofp %arg0 : i32 to f64
        %7 = arith.divf %5, %6 : f64
        affine.store %7, %arg1[%arg2, %arg3] : memref<?x100xf64>
      }
    }
    return
  }
  func.func private @print_array(%arg0: i32, %arg1: memref<?x100xf64>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %0 = arith.index_cast %arg0 : i32 to index
    scf.for %arg2 = %c0 to %0 step %c1 {
      scf.for %arg3 = %c0 to %0 step %c1 {
        %5 = llvm.mlir.addressof @str0 : !llvm.ptr
        %6 = llvm.getelementptr %5[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<8 x i8>
        %7 = memref.load %arg1[%arg2, %arg3] : memref<?x100xf64>
        %8 = llvm.call @printf(%6, %7) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, f64) -> i32
      }
      %1 = llvm.mlir.addressof @str1 : !llvm.ptr
      %2 = llvm.getelementptr %1[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x i8>
      %3 = llvm.call @printf(%2) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr) -> i32
    }
    return
  }
}
