// Loops with semi-affine maps stay as they are; the others of the function are raised.
// RUN: polyir-opt --remarks --emit=poly %s 2>&1 | filecheck %s
// RUN: polyir-opt --emit=c %s | filecheck %s --check-prefix C
// RUN: polyir-opt --scalar-replacement --split-loops --lower-to-llvm --emit=none %s

// CHECK: semi_affine.mlir:16:3: remark: [poly-raise] left as it is: a bound of `affine.for` is not affine
// CHECK: remark: [poly-raise] left as it is: the map of `affine.load` is semi-affine: a product of variables, or division by one
// CHECK-LABEL: @semi_affine
// CHECK: affine.for
// CHECK: affine.for
// CHECK-COUNT-1: poly.scop
// C: for (int64_t j = 0; j < polyir_floordiv(i, n); j++) {
// C: A[i * n + j] = 2.0 * A[polyir_mod(i, n)];
func.func @semi_affine(%A: memref<?xf64>, %n: index) {
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0)[s0] -> (d0 floordiv s0)>(%i)[%n] {
      affine.store %two, %A[%j] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i mod symbol(%n)] : memref<?xf64>
      %b = arith.mulf %two, %a : f64
      affine.store %b, %A[%i * symbol(%n) + %j] : memref<?xf64>
    }
  }
  affine.for %i = 1 to 100 {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %A[%i - 1] : memref<?xf64>
  }
  return
}
