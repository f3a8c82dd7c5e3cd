// RUN: polyir-opt --check-indices %s --emit=none 2>&1 --remarks | filecheck %s

// CHECK: warning: [check-indices] the index arrays of a loop are not checked: the index array 'p' may be written here
func.func @changed(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
  %zero = arith.constant 0 : index
  affine.for %s = 0 to 2 {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    affine.store %zero, %p[%s] : memref<?xindex>
  }
  return
}
// CHECK: warning: [check-indices] nothing to do: no loop has index arrays that can be checked
