// RUN: polyir-opt --reorder-iterations --split-input-file --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --reorder-data --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=DATA

// CHECK: warning: [reorder-iterations] loop left: another order of the updates changes how they are rounded: allow it by reassociate=true
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

// CHECK: warning: [reorder-iterations] loop left: 'x' is not only updated, but read
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

// CHECK: warning: [reorder-iterations] loop left: this is not an update of an element by one operation
func.func @set(%m: index, %p: memref<?xindex>, %e: memref<?xi64>, %x: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xi64>
    memref.store %v, %x[%l] : memref<?xi64>
  }
  return
}

// -----

// The iteration after this one reads what it writes.
// CHECK: warning: [reorder-iterations] loop left: this is not an update of an element by one operation
func.func @neighbour(%m: index, %p: memref<?xindex>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %j = 1 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = memref.load %x[%l] : memref<?xf64>
    %before = affine.load %y[%j - 1] : memref<?xf64>
    %sum = arith.addf %v, %before : f64
    affine.store %sum, %y[%j] : memref<?xf64>
  }
  return
}

// -----

// The function changes the index array, so what is said of it may be wrong.
// CHECK: warning: [reorder-iterations] loop left: this is not an update of an element by one operation
func.func @changed(%m: index, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>}, %e: memref<?xi64>, %x: memref<?xi64>) {
  affine.for %k = 0 to %m {
    affine.store %k, %p[%k] : memref<?xindex>
  }
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xi64>
    memref.store %v, %x[%l] : memref<?xi64>
  }
  return
}

// -----

// Every second iteration writes the same element.
// CHECK: warning: [reorder-iterations] loop left: this is not an update of an element by one operation
func.func @halves(%m: index, %p: memref<?xindex>, %x: memref<?xi64>, %y: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = memref.load %x[%l] : memref<?xi64>
    affine.store %v, %y[%j floordiv 2] : memref<?xi64>
  }
  return
}

// -----

// A view is written, which the next iteration reads.
// CHECK: warning: [reorder-iterations] loop left:
func.func @view(%m: index, %p: memref<?xindex>, %x: memref<8xi64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %p[%j] : memref<?xindex>
    %v = memref.load %x[%l] : memref<8xi64>
    %y = memref.cast %x : memref<8xi64> to memref<?xi64>
    affine.store %v, %y[%j] : memref<?xi64>
  }
  return
}

// -----

// DATA: warning: [reorder-data] loop left: 'memref.copy' uses an array as a whole
func.func @whole(%m: index, %t: index, %p: memref<?xindex>, %x: memref<?xi64>, %y: memref<?xi64>) {
  affine.for %s = 0 to %t {
    affine.for %j = 0 to %m {
      %l = affine.load %p[%j] : memref<?xindex>
      %v = memref.load %x[%l] : memref<?xi64>
      affine.store %v, %y[%j] : memref<?xi64>
    }
    memref.copy %y, %x : memref<?xi64> to memref<?xi64>
  }
  return
}

// -----

// CHECK: warning: [reorder-iterations] nothing to do: no loop accesses elements by index arrays
// DATA: warning: [reorder-data] nothing to do: no loop accesses elements by index arrays
func.func @affine(%m: index, %x: memref<?xi64>) {
  affine.for %j = 0 to %m {
    %v = affine.load %x[%j] : memref<?xi64>
    affine.store %v, %x[%j] : memref<?xi64>
  }
  return
}
