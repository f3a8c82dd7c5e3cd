// LLVM must not make calls of memcpy out of loops that copy vectors.
// RUN: polyir-opt --split-input-file --lower-to-llvm %s | filecheck %s
// RUN: polyir-opt --emit=llvm %s | filecheck %s --check-prefix=TEXT

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: attributes {passthrough = ["no-builtin-memcpy"]}
// TEXT: define void @"copy"({{.*}}) "no-builtin-memcpy"
func.func @copy(%A: memref<64xf64>, %B: memref<64xf64>) {
  affine.for %i = 0 to 64 step 8 {
    %a = affine.vector_load %A[%i] : memref<64xf64>, vector<8xf64>
    affine.vector_store %a, %B[%i] : memref<64xf64>, vector<8xf64>
  }
  return
}

// All functions of the module have the attribute, so that LLVM can inline them.
// CHECK-LABEL: llvm.func @scalar
// CHECK-SAME: attributes {passthrough = ["no-builtin-memcpy"]}
// TEXT: define void @"scalar"({{.*}}) "no-builtin-memcpy"
func.func @scalar(%A: memref<64xf64>, %x: f64) {
  affine.store %x, %A[0] : memref<64xf64>
  return
}

// -----

// For loops that copy elements, the call is faster.
// CHECK-LABEL: llvm.func @elements
// CHECK-NOT: passthrough
func.func @elements(%A: memref<64xf64>, %B: memref<64xf64>) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    affine.store %a, %B[%i] : memref<64xf64>
  }
  return
}
