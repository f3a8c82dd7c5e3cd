// A diagnostic that is not expected is a failure, and so is one that does not come.
// RUN: not polyir-opt --split-input-file --verify-diagnostics --emit=none %s 2>&1 | filecheck %s
// RUN: not polyir-opt --split-input-file --verify-diagnostics --remarks --pluto-schedule --emit=none %s 2>&1 | filecheck %s --check-prefix REMARKS

// CHECK: verify_diagnostics_fails.mlir:12:23: error: unexpected error: use of the undefined value '%i'
// CHECK-NEXT: affine.load %A[%i]
// CHECK-NEXT: {{ *}}^
// CHECK-NEXT: verify_diagnostics_fails.mlir:11:6: error: expected error "use of the undefined value '%j'" was not produced
// REMARKS: verify_diagnostics_fails.mlir:29:3: error: unexpected remark: [pluto-schedule]
func.func @other(%A: memref<9xf64>) {
  // expected-error@+1 {{use of the undefined value '%j'}}
  %0 = affine.load %A[%i] : memref<9xf64>
  return
}
// -----
// CHECK: verify_diagnostics_fails.mlir:17:4: error: expected warning "nothing" was not produced
// expected-warning {{nothing}}
func.func @fine() {
  return
}
// -----
// CHECK: verify_diagnostics_fails.mlir:23:4: error: malformed regular expression
// expected-error-re {{ {{(}} }}
func.func @malformed() {
  return
}
// -----
func.func @raised(%A: memref<9xf64>) {
  affine.for %i = 0 to 9 {
    %a = affine.load %A[%i] : memref<9xf64>
    affine.store %a, %A[%i] : memref<9xf64>
  }
  return
}
