// Tests that stay, and why.
// RUN: polyir-opt --split-loops --split-input-file --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-loops="max-parts=2" --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=PARTS
// RUN: polyir-opt --split-loops="max-operations=8" --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: polyir-opt --split-loops --remarks --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=DONE
// RUN: not polyir-opt --split-loops=0 --emit=none %s 2>&1 | filecheck %s --check-prefix=BAD

// BAD: error: option 'max-parts' of pass 'split-loops' must be at least 1

// CHECK: split_loops_left.mlir:{{[0-9]+}}:5: warning: [split-loops] a test of a loop counter stays: there is no value of a counter at which its outcome changes
func.func @remainder(%A: memref<?xf64>, %x: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
      affine.store %x, %A[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// Three parts, of 3, 4 and 3 operations.
// PARTS: warning: [split-loops] a test of a loop counter stays: its loop would become more than 2 loops (max-parts) or 2000 operations (max-operations)
// SIZE: warning: [split-loops] a test of a loop counter stays: its loop would become more than 16 loops (max-parts) or 8 operations (max-operations)
// DONE: remark: [split-loops] split the loop over %i at 3
// DONE: remark: [split-loops] split the loop over %i at %n - 2
func.func @parts(%A: memref<?xf64>, %B: memref<?xf64>, %x: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<?xf64>
    }
    affine.if affine_set<(d0)[s0] : (s0 - d0 - 3 >= 0)>(%i)[%n] {
      affine.store %x, %B[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// CHECK: warning: [split-loops] nothing to do: no innermost loop tests an index
func.func @nothing(%A: memref<?xf64>, %x: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}
