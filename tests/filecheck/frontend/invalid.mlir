// RUN: not polyir-opt --split-input-file %s 2>&1 | filecheck %s

func.func @undefined(%A: memref<?xf64>) {
  %0 = affine.load %A[%i] : memref<?xf64>
  return
}
// CHECK: invalid.mlir:4:23: error: use of the undefined value '%i'

// -----

func.func @redefined(%n: index, %n: index) {
  return
}
// CHECK: invalid.mlir:11:33: error: redefinition of the value '%n', defined in line 11

// -----

func.func @mismatch(%x: f32, %A: memref<?xf64>) {
  affine.store %x, %A[0] : memref<?xf64>
  return
}
// CHECK: invalid.mlir:19:16: error: type mismatch: '%x' has type f32, expected f64

// -----

func.func @not_affine(%A: memref<?x?xf64>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      %0 = affine.load %A[%i * %j, 0] : memref<?x?xf64>
    }
  }
  return
}
// CHECK: invalid.mlir:29:32: error: expression is not affine: one factor of '*' must be a constant or a symbol

// -----

func.func @loaded(%A: memref<?xf64>, %B: memref<?xindex>) {
  %k = affine.load %B[0] : memref<?xindex>
  %0 = affine.load %A[%k] : memref<?xf64>
  return
}
// A value of the function's own region is a symbol, wherever it comes from.
// CHECK: %{{.*}} = affine.load %A[%{{.*}}] : memref<?xf64>

// -----

func.func @unfinished(%A: memref<?xf64>) {
  affine.for %i = 0 10 {
  }
  return
}
// CHECK: invalid.mlir:49:21: error: unexpected '10', expected 'to'

// -----

func.func @unknown() {
  affine.fro %i = 0 to 10 {
  }
  return
}
// CHECK: invalid.mlir:58:3: error: unknown operation 'affine.fro'; did you mean 'affine.for' or 'affine.if' or 'affine.load'?

// -----

func.func @few(%A: memref<?x?xf64>) {
  %0 = affine.load %A[0] : memref<?x?xf64>
  return
}
// CHECK: invalid.mlir:67:23: error: expected 2 subscripts, one per dimension, found 1

// -----

gpu.module @kernels {
  gpu.func @returned(%x: f32, %i: index) -> f32 {
    gpu.return %i : index
  }
}
// CHECK: invalid.mlir:76:5: error: 'gpu.return' op must return f32, as its function declares

// -----

func.func @mapped() {
  gpu.barrier {m = #gpu.loop_dim_map<map = (d0) -> (d0), bound = (d0) -> (d0), map = (d0) -> (d0)>}
  return
}
// CHECK: invalid.mlir:84:80: error: expected 'processor'

// -----

func.func @smaller(%a: i32, %b: i64) {
  %c = llvm.intr.smin(%a, %b) : (i32, i64) -> i32
  return
}
// CHECK: invalid.mlir:92:8: error: 'llvm.intr.smin' op attribute i32 expected from variable 'T', but got i64

// -----

func.func @matrix(%a: vector<2x2xf32>) {
  %c = llvm.intr.trunc(%a) : (vector<2x2xf32>) -> vector<2x2xf32>
  return
}
// CHECK: invalid.mlir:100:8: error: 'llvm.intr.trunc' op a vector of LLVM has one dimension

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.affine.simplify_bounded_affine_ops %m with [] within [] and [7, 8] : !transform.any_op
    transform.yield
  }
}
// CHECK: invalid.mlir:109:75: error: expected 0 upper bounds, one for each value, found 2
