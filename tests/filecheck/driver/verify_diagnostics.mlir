// Diagnostics that the input expects are not a failure, wherever the comment stands.
// RUN: polyir-opt --split-input-file --verify-diagnostics --pluto-schedule --tile %s | filecheck %s

// CHECK: func.func @good
// CHECK-NOT: @same
// CHECK: func.func @last

// expected-remark@+3 {{[pluto-schedule]}}
func.func @good(%A: memref<9xf64>) {
  // expected-warning-re@below {{[tile] nothing was tiled: {{.*}} too few loops}}
  affine.for %i = 0 to 9 {
    %a = affine.load %A[%i] : memref<9xf64>
    affine.store %a, %A[%i] : memref<9xf64>
  }
  return
}
// -----
func.func @same(%A: memref<9xf64>) {
  %a = affine.load %A[%j] : memref<9xf64> // expected-error {{use of the undefined value '%j'}}
  return
}
// -----
func.func @above(%A: memref<9xf64>) {
  %a = affine.load %B[0] : memref<9xf64>
  // expected-error@-1 {{undefined value '%B'}}
  return
}
// -----
func.func @nearest(%A: memref<9xf64>) {
  %a = affine.load %A[0, 0] : memref<9xf64>
  // expected-error@above {{expected 1 subscript}}
  return
}
// -----
// expected-warning@unknown {{[pluto-schedule] nothing to do: the module has no static control part}}
// expected-warning@unknown {{[tile] nothing to do}}
func.func @last() {
  return
}
