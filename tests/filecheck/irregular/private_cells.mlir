// Variables in memory that each iteration writes before it reads move into the loop.
// RUN: polyir-opt --inspect-wavefronts --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --runtime-test=always=true --inspect-wavefronts --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix TWICE

// CHECK: private_cells.mlir:{{.*}}: remark: [inspect-wavefronts] each iteration has its own sum
// CHECK-NOT: its own column
// CHECK-NOT: its own last
// CHECK-NOT: its own maybe

// The second pass finds them in their place.
// TWICE: remark: [runtime-test] each iteration has its own sum
// TWICE-NOT: its own

// What is kept in a variable and used in the same block is a value; a subscript is none of the loop.
// CHECK-LABEL: func.func @rows(
// CHECK: %last{{.*}} = memref.alloca() : memref<f64>
// CHECK: %maybe{{.*}} = memref.alloca() : memref<f64>
// CHECK: scf.parallel
// CHECK: %sum = memref.alloca() : memref<f64>
// CHECK-NOT: memref.alloca
// CHECK: %c0{{.*}} = memref.load %p
// CHECK-NEXT: memref.load %A{{.*}}[%c0
func.func @rows(%n: index, %p: memref<?xindex>, %A: memref<?xf64>, %B: memref<2xf64>) {
  %zero = arith.constant 0.0 : f64
  %sum = memref.alloca() : memref<f64>
  %column = memref.alloca() : memref<index>
  %last = memref.alloca() : memref<f64>
  %maybe = memref.alloca() : memref<f64>
  affine.store %zero, %maybe[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.store %zero, %sum[] : memref<f64>
    affine.for %j = 0 to 3 {
      %c0 = affine.load %p[%i + %j] : memref<?xindex>
      affine.store %c0, %column[] : memref<index>
      %c = affine.load %column[] : memref<index>
      %v = memref.load %A[%c] : memref<?xf64>
      %s = affine.load %sum[] : memref<f64>
      %t = arith.addf %s, %v : f64
      affine.store %t, %sum[] : memref<f64>
    }
    affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
      affine.store %zero, %maybe[] : memref<f64>
    }
    %m = affine.load %maybe[] : memref<f64>
    %s = affine.load %sum[] : memref<f64>
    %r = arith.addf %s, %m : f64
    affine.store %r, %last[] : memref<f64>
    affine.store %r, %A[%i] : memref<?xf64>
  }
  %l = affine.load %last[] : memref<f64>
  affine.store %l, %B[0] : memref<2xf64>
  return
}
