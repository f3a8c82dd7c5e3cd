// RUN: polyir-opt --lower-to-llvm --emit=mlir %s | filecheck %s

// CHECK: llvm.func @scale(%[[N:[a-zA-Z0-9_]+]]: i64, %[[A:[a-zA-Z0-9_]+]]: !llvm.ptr {llvm.noalias}
// CHECK: ^bb1(%[[I:[a-zA-Z0-9_]+]]: i64):
// CHECK: llvm.icmp "slt" %[[I]], %[[N]] : i64
// CHECK: %[[P:[a-zA-Z0-9_]+]] = llvm.getelementptr inbounds %[[A]][%[[I]]]
// CHECK: %[[X:[a-zA-Z0-9_]+]] = llvm.load %[[P]]
// CHECK: %[[SUM:[a-zA-Z0-9_]+]] = llvm.fadd %[[X]], %[[X]] : f64
// CHECK: %[[Q:[a-zA-Z0-9_]+]] = llvm.getelementptr inbounds %[[A]][%[[I]]]
// CHECK: llvm.store %[[SUM]], %[[Q]]
func.func @scale(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %sum = arith.addf %a, %a : f64
    affine.store %sum, %A[%i] : memref<?xf64>
  }
  return
}
