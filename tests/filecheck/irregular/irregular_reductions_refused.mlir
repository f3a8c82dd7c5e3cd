// RUN: polyir-opt --irregular-reductions --split-input-file --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --irregular-reductions=method=private-copies --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=COPIES
// RUN: polyir-opt --irregular-reductions=method=atomics --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=ATOMICS
// RUN: polyir-opt --irregular-reductions="method=private-copies reassociate=true" --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=ANY-COPIES
// RUN: polyir-opt --irregular-reductions="method=atomics reassociate=true" --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=ANY-ATOMICS
// RUN: not polyir-opt --irregular-reductions="block=0" --emit=none %s 2>&1 | filecheck %s --check-prefix=BLOCK
// RUN: not polyir-opt --irregular-reductions="copies=65" --emit=none %s 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not polyir-opt --irregular-reductions="method=locks" --emit=none %s 2>&1 | filecheck %s --check-prefix=METHOD

// BLOCK: error: option 'block' of pass 'irregular-reductions' must be at least 1
// MANY: error: option 'copies' of pass 'irregular-reductions' must be from 1 to 64
// METHOD: error: option 'method' of pass 'irregular-reductions' cannot be 'locks' (one of: colouring, private-copies, atomics)

// Sums of floating-point numbers, in another order.
// COPIES: :3: warning: [irregular-reductions] loop left: another order of the updates changes how they are rounded: allow it by reassociate=true ({{.*}}refused.mlir:[[# @LINE + 7]]:12)
// ATOMICS: :3: warning: [irregular-reductions] loop left: another order of the updates changes how they are rounded: allow it by reassociate=true ({{.*}}refused.mlir:[[# @LINE + 6]]:12)
func.func @rounded(%m: index, %p: memref<?xindex>, %e: memref<?xf64>, %x: memref<?xf64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xf64>
    %old = memref.load %x[%l] : memref<?xf64>
    %new = arith.addf %old, %v : f64
    memref.store %new, %x[%l] : memref<?xf64>
  }
  return
}

// -----

// CHECK: :3: warning: [irregular-reductions] loop left: 'x' is not only updated, but read ({{.*}}refused.mlir:{{[0-9]+}}:10)
func.func @read(%m: index, %p: memref<?xindex>, %q: memref<?xindex>, %x: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %r = affine.load %q[%j] : memref<?xindex>
    %v = memref.load %x[%r] : memref<?xi64>
    %old = memref.load %x[%l] : memref<?xi64>
    %new = arith.addi %old, %v : i64
    memref.store %new, %x[%l] : memref<?xi64>
  }
  return
}

// -----

// CHECK: :3: warning: [irregular-reductions] loop left: this is not an update of an element by one operation ({{.*}}refused.mlir:{{[0-9]+}}:5)
func.func @set(%m: index, %p: memref<?xindex>, %e: memref<?xi64>, %x: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xi64>
    memref.store %v, %x[%l] : memref<?xi64>
  }
  return
}

// -----

// Both elements are read before one of them is written: they may be the same one.
// CHECK: :3: warning: [irregular-reductions] loop left: this is not an update of an element by one operation ({{.*}}refused.mlir:{{[0-9]+}}:5)
func.func @both(%m: index, %p: memref<?xindex>, %q: memref<?xindex>, %x: memref<?xi64>) {
  %one = arith.constant 1 : i64
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %r = affine.load %q[%j] : memref<?xindex>
    %xl = memref.load %x[%l] : memref<?xi64>
    %xr = memref.load %x[%r] : memref<?xi64>
    %xl_new = arith.addi %xl, %one : i64
    memref.store %xl_new, %x[%l] : memref<?xi64>
    %xr_new = arith.subi %xr, %one : i64
    memref.store %xr_new, %x[%r] : memref<?xi64>
  }
  return
}

// -----

// CHECK: :3: warning: [irregular-reductions] loop left: 'x' is updated by several operations ({{.*}}refused.mlir:{{[0-9]+}}:5)
func.func @several(%m: index, %p: memref<?xindex>, %q: memref<?xindex>, %x: memref<?xi64>) {
  %two = arith.constant 2 : i64
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %r = affine.load %q[%j] : memref<?xindex>
    %xl = memref.load %x[%l] : memref<?xi64>
    %xl_new = arith.addi %xl, %two : i64
    memref.store %xl_new, %x[%l] : memref<?xi64>
    %xr = memref.load %x[%r] : memref<?xi64>
    %xr_new = arith.muli %xr, %two : i64
    memref.store %xr_new, %x[%r] : memref<?xi64>
  }
  return
}

// -----

// CHECK: :3: warning: [irregular-reductions] loop left: it is not known what 'func.call' does ({{.*}}refused.mlir:{{[0-9]+}}:10)
// ATOMICS: :3: warning: [irregular-reductions] loop left: it is not known what 'func.call' does
func.func private @next() -> i64
func.func @called(%m: index, %p: memref<?xindex>, %x: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = func.call @next() : () -> i64
    %old = memref.load %x[%l] : memref<?xi64>
    %new = arith.addi %old, %v : i64
    memref.store %new, %x[%l] : memref<?xi64>
  }
  return
}

// -----

// Colouring needs an inspector, and the others do not.
// CHECK: :3: warning: [irregular-reductions] loop left: an address depends on what a loop carries in iter_args ({{.*}}refused.mlir:{{[0-9]+}}:12)
// ATOMICS-NOT: iter_args
func.func @carried(%m: index, %p: memref<?xindex>, %x: memref<?xi64>, %y: memref<?xi64>) {
  %one = arith.constant 1 : i64
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %old = memref.load %x[%l] : memref<?xi64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %x[%l] : memref<?xi64>
    %end = affine.for %i = 0 to 3 iter_args(%place = %l) -> index {
      %y_old = memref.load %y[%place] : memref<?xi64>
      %y_new = arith.addi %y_old, %one : i64
      memref.store %y_new, %y[%place] : memref<?xi64>
      %next = arith.addi %place, %place : index
      affine.yield %next : index
    }
  }
  return
}

// -----

// ANY-ATOMICS: :3: warning: [irregular-reductions] loop left: there is no atomic maximum of type f64 by this operation ({{.*}}refused.mlir:{{[0-9]+}}:12)
func.func @greatest(%m: index, %p: memref<?xindex>, %e: memref<?xf64>, %x: memref<?xf64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xf64>
    %old = memref.load %x[%l] : memref<?xf64>
    %new = arith.maximumf %old, %v : f64
    memref.store %new, %x[%l] : memref<?xf64>
  }
  return
}

// -----

// An element that is NaN, and that no iteration updates, stays NaN.
// ANY-COPIES: :3: warning: [irregular-reductions] loop left: this minimum with a private copy would replace NaN ({{.*}}refused.mlir:{{[0-9]+}}:12)
func.func @choice(%m: index, %p: memref<?xindex>, %e: memref<?xf64>, %x: memref<?xf64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xf64>
    %old = memref.load %x[%l] : memref<?xf64>
    %less = arith.cmpf olt, %old, %v : f64
    %new = arith.select %less, %old, %v : f64
    memref.store %new, %x[%l] : memref<?xf64>
  }
  return
}

// -----

// CHECK: warning: [irregular-reductions] nothing to do: no loop writes elements by index arrays
func.func @gather(%m: index, %p: memref<?xindex>, %x: memref<?xi64>, %y: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = memref.load %x[%l] : memref<?xi64>
    affine.store %v, %y[%j] : memref<?xi64>
  }
  return
}
