// Vectors in LLVM: loads aligned as elements, intrinsic functions for masked access.
// RUN: polyir-opt --lower-to-llvm %s | filecheck %s
// RUN: polyir-opt --lower-to-llvm %s | mlir-opt-19 --verify-each | mlir-translate-19 --mlir-to-llvmir | filecheck %s --check-prefix=IR
// RUN: polyir-opt --convert-affine-to-scf --convert-memref-to-pointers --convert-index-to-i64 --convert-vector-to-llvm %s | filecheck %s --check-prefix=ALONE
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix=EMIT

// ALONE-LABEL: func.func @relax
// ALONE:      %[[NONE:.+]] = llvm.mlir.undef : vector<8xf64>
// ALONE-NEXT: %[[FIRST:.+]] = llvm.mlir.constant(0) : i64
// ALONE-NEXT: %[[ONE:.+]] = llvm.insertelement %x, %[[NONE]][%[[FIRST]] : i64] : vector<8xf64>
// ALONE-NEXT: llvm.shufflevector %[[ONE]], %[[NONE]] [0, 0, 0, 0, 0, 0, 0, 0]

// CHECK-LABEL: llvm.func @relax
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<8xf64>
// CHECK: [[M:%.*]] = llvm.fcmp "olt" %{{.*}}, %{{.*}} : vector<8xf64>
// CHECK: llvm.select [[M]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf64>
// IR: fcmp olt <8 x double>
// EMIT: load <8 x double>, {{.*}} align 8
// EMIT: fcmp olt <8 x double>
// EMIT: select <8 x i1>
func.func @relax(%A: memref<64xf64>, %B: memref<72xf64>, %x: f64) {
  %xv = vector.broadcast %x : f64 to vector<8xf64>
  affine.for %i = 0 to 64 step 8 {
    %a = affine.vector_load %A[%i] : memref<64xf64>, vector<8xf64>
    %s = arith.addf %a, %xv : vector<8xf64>
    %m = arith.cmpf olt, %s, %a : vector<8xf64>
    %c = arith.select %m, %s, %a : vector<8xi1>, vector<8xf64>
    affine.vector_store %c, %B[%i] : memref<72xf64>, vector<8xf64>
  }
  return
}

// CHECK-LABEL: llvm.func @masked
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK: llvm.call_intrinsic "llvm.masked.load.v4f32.p0"
// CHECK: llvm.call_intrinsic "llvm.masked.store.v4f32.p0"
func.func @masked(%A: memref<64xf32>, %n: index) {
  %z = arith.constant dense<0.0> : vector<4xf32>
  %zero = arith.constant 0 : index
  %m = vector.create_mask %n : vector<4xi1>
  %a = vector.maskedload %A[%n], %m, %z : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %A[%zero], %m, %a : memref<64xf32>, vector<4xi1>, vector<4xf32>
  return
}
