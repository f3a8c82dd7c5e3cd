// Only valid dimensions and symbols may be operands of the maps of loops, conditions and accesses.
// RUN: polyir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect %s | filecheck %s

func.func @variable_as_symbol() {
  affine.for %i = 0 to 9 {
    // expected-error@below {{'affine.for' op cannot use '%i' as a symbol: it is not a constant of the function; as a dimension it is affine_map<(d0) -> (d0)>(%i)}}
    affine.for %j = 0 to %i {
    }
  }
  return
}
// -----
func.func @computed(%A: memref<9xf32>) {
  affine.for %i = 0 to 9 {
    %s = arith.addi %i, %i : index
    // expected-error@below {{'affine.load' op cannot use '%s' in an affine expression: it is neither a variable}}
    %a = affine.load %A[%s] : memref<9xf32>
  }
  return
}
// -----
func.func @minimum(%A: memref<9xf32>) {
  affine.for %i = 0 to 9 {
    %s = affine.min affine_map<(d0) -> (d0, 4)>(%i)
    // expected-error@below {{'affine.load' op cannot use '%s'}}
    %a = affine.load %A[%s] : memref<9xf32>
  }
  return
}
// -----
func.func @in_unknown_region(%A: memref<9xf32>) {
  "unknown"() ({
  ^bb0(%i: index):
    // expected-error@below {{'affine.load' op cannot use '%i'}}
    %a = affine.load %A[%i] : memref<9xf32>
    "end"() : () -> ()
  }) : () -> ()
  return
}
// -----
// CHECK-LABEL: func.func @valid
func.func @valid(%A: memref<9xf32>, %n: index) {
  affine.for %i = 0 to 9 {
    %c0 = arith.constant 0 : index
    %B = memref.alloc(%n) : memref<?xf32>
    %size = memref.dim %B, %c0 : memref<?xf32>
    %k = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%size]
    // CHECK: affine.for %j = affine_map<(d0) -> (d0)>(%k) to %size {
    affine.for %j = affine_map<(d0) -> (d0)>(%k) to %size {
      %a = affine.load %A[%k + %j] : memref<9xf32>
    }
    // What `affine.min` takes is not restricted.
    %s = arith.addi %i, %i : index
    // CHECK: affine.min
    %m = affine.min affine_map<(d0) -> (d0, 4)>(%s)
  }
  return
}
