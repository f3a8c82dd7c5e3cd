// Indices, arithmetic and functions, without arrays, by one conversion after the other.
// RUN: polyir-opt --split-input-file --convert-index-to-i64 --convert-math-to-llvm --convert-arith-to-llvm --convert-cf-to-llvm --convert-func-to-llvm %s | filecheck %s

func.func @results(%x: f64, %is: i1, %n: index) -> (f64, i1) {
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  %k = arith.index_cast %m : index to i32
  %l = arith.addi %k, %k : i32
  %y = arith.sitofp %l : i32 to f64
  %e = math.exp %y : f64
  %s = math.sqrt %e : f64
  %r = arith.addf %x, %s : f64
  return %r, %is : f64, i1
}

// Indices do not overflow, other integers may.
// CHECK-LABEL: @exp
// CHECK: llvm.func @results(%x: f64, %is: i8, %n: i64, %[[FIRST:.*]]: !llvm.ptr {llvm.noalias}, %[[SECOND:.*]]: !llvm.ptr {llvm.noalias}) {
// CHECK: %[[IS:.*]] = llvm.trunc %is : i8 to i1
// CHECK: %m = llvm.add %n, %c1 overflow<nsw> : i64
// CHECK-NEXT: %k = llvm.trunc %m : i64 to i32
// CHECK-NEXT: %l = llvm.add %k, %k : i32
// CHECK-NEXT: %y = llvm.sitofp %l : i32 to f64
// CHECK-NEXT: %e = llvm.call @exp(%y) : (f64) -> f64
// CHECK-NEXT: %s = llvm.call_intrinsic "llvm.sqrt.f64"(%e) : (f64) -> f64
// CHECK-NEXT: %r = llvm.fadd %x, %s : f64
// CHECK: llvm.store %r, %[[FIRST]] : f64, !llvm.ptr
// CHECK: llvm.store %{{.*}}, %[[SECOND]] : i8, !llvm.ptr
// CHECK-NEXT: llvm.return

// -----

func.func private @malloc(%x: f64) -> f64 {
  return %x : f64
}

// A name of the C library's is not taken.
// CHECK: llvm.func internal @malloc_(%x: f64) -> f64 {
