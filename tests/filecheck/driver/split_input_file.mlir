// A part with an error does not end the run: the other parts are transformed, and the exit code is 1.
// RUN: not polyir-opt --split-input-file --interchange=S0.0,S0.1 %s 2>&1 | filecheck %s

// CHECK: func.func @first
// CHECK: affine.for %j
// CHECK: affine.for %i
// CHECK: affine.store %{{.*}}, %{{.*}}[%i, %j]
func.func @first(%A: memref<20x20xf64>, %x: f64) {
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 20 {
      affine.store %x, %A[%i, %j] : memref<20x20xf64>
    }
  }
  return
}
// -----
// CHECK: split_input_file.mlir:19:3: error: interchanging S0.0, S0.1 violates
func.func @illegal(%A: memref<20x20xf64>) {
  affine.for %i = 1 to 20 {
    affine.for %j = 0 to 19 {
      %a = affine.load %A[%i - 1, %j + 1] : memref<20x20xf64>
      affine.store %a, %A[%i, %j] : memref<20x20xf64>
    }
  }
  return
}
// -----
// CHECK: split_input_file.mlir:{{[0-9]+}}:23: error: use of the undefined value '%j'
func.func @malformed(%A: memref<20xf64>) {
  %a = affine.load %A[%j] : memref<20xf64>
  return
}
// -----
// CHECK: func.func @last
// CHECK: affine.for %j
func.func @last(%A: memref<20x20xf64>, %x: f64) {
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 20 {
      affine.store %x, %A[%i, %j] : memref<20x20xf64>
    }
  }
  return
}
