// What a target does not have is one error at the operation.
// RUN: polyir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect --emit=c %s
// RUN: sed 's/the C target/the LLVM target/' %s | polyir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect --emit=llvm

func.func private @g(memref<4xf64, strided<[2]>>)
func.func @passed(%A: memref<8xf64>) {
  %V = memref.subview %A[0] [4] [2] : memref<8xf64> to memref<4xf64, strided<[2]>>
  // expected-error@+1 {{func.call of a view with strides is not supported by the targets}}
  func.call @g(%V) : (memref<4xf64, strided<[2]>>) -> ()
  return
}
// -----
func.func @strided_vectors(%A: memref<64xf64>, %i: index) {
  %V = memref.subview %A[0] [32] [2] : memref<64xf64> to memref<32xf64, strided<[2]>>
  // expected-error@+1 {{affine.vector_load of a view whose elements are not adjacent is not supported}}
  %v = affine.vector_load %V[%i] : memref<32xf64, strided<[2]>>, vector<4xf64>
  return
}
// -----
module {
  module {
    func.func @same() { return }
  }
  // expected-error@+1 {{another module has the symbol 'same' too, and targets have no modules}}
  func.func @same() { return }
}
// -----
// expected-error@+1 {{type 'f16' is not supported: expected index, i1, i8, i16, i32, i64, f32 or f64}}
func.func @half(%x: f16) { return }
// -----
// expected-error@+1 {{type 'bf16' is not supported: expected index, i1, i8, i16, i32, i64, f32 or f64}}
func.func @brain(%A: memref<4xbf16>) { return }
// -----
func.func @undefined(%n: index) -> index {
  // expected-error@+1 {{a division by zero or by a negative number is undefined}}
  %0 = affine.apply affine_map<(d0) -> (d0 mod -2)>(%n)
  return %0 : index
}
// -----
func.func @unregistered(%x: f64) -> f64 {
  // expected-error@+1 {{operation 'my.op' is not supported by the C target}}
  %0 = "my.op"(%x) : (f64) -> f64
  return %0 : f64
}
// -----
func.func @forall(%n: index) {
  // expected-error@+1 {{operation 'scf.forall' is not supported by the C target}}
  scf.forall (%i) in (%n) {
  }
  return
}
// -----
// expected-error@+1 {{operation 'gpu.module' is not supported by the C target}}
gpu.module @kernels {
}
// -----
func.func @smaller(%a: i32, %b: i32) -> i32 {
  // expected-error@+1 {{operation 'llvm.intr.smin' is not supported by the C target}}
  %c = llvm.intr.smin(%a, %b) : (i32, i32) -> i32
  return %c : i32
}
