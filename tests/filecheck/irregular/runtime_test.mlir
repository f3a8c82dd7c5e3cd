// Two versions of a loop, and the test that chooses one.
// RUN: polyir-opt --runtime-test --split-input-file --remarks %s 2>&1 | filecheck %s
// RUN: polyir-opt --runtime-test --split-input-file --emit=none %s 2>&1 | filecheck %s --check-prefix=LEFT
// RUN: polyir-opt --runtime-test="always=true" --split-input-file %s 2>&1 | filecheck %s --check-prefix=ALWAYS
// RUN: polyir-opt --runtime-test --split-input-file %s 2>/dev/null | mlir-opt-19 --split-input-file --verify-each

// The subscript of the load is that of the iteration that stores the element: there is no table.
// CHECK: remark: [runtime-test] the loop runs in parallel if a test of about 7 operations an iteration, which has 12, finds no dependence
// CHECK-LABEL: func.func @gather_inspector(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %i = %{{.*}} to %n step %{{.*}} {
// CHECK-NEXT:      %pi = memref.load %p[%i] : memref<?xindex>
// CHECK-NEXT:      %[[OTHER:.*]] = arith.cmpi ne, %pi, %i : index
// CHECK-NEXT:      %[[LOW:.*]] = arith.cmpi sge, %pi, %{{.*}} : index
// CHECK-NEXT:      %{{.*}} = arith.andi %[[OTHER]], %[[LOW]] : i1
// CHECK-NEXT:      %[[HIGH:.*]] = arith.cmpi slt, %pi, %n : index
// CHECK:           arith.select
// CHECK-LABEL: func.func @gather_executor(
// CHECK:         %[[TEST:.*]] = memref.load %independent_1[] : memref<index>
// CHECK:         %[[HOLDS:.*]] = arith.cmpi ne, %[[TEST]], %{{.*}} : index
// CHECK-NEXT:    scf.if %[[HOLDS]] {
// CHECK:           scf.parallel (%i_1) =
// CHECK:         } else {
// CHECK-NEXT:      affine.for %i_2 = 0 to %n_1 {
func.func @gather(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%pi] : memref<?xf64>
    affine.store %v, %A[%i] : memref<?xf64>
  }
  return
}

// -----

// Figures 15.17 and 15.18: each store is compared to the iterations that read, and a table says
// whether another iteration stores there.
// CHECK-LABEL: func.func @figure_inspector(
// CHECK:         %A_writer = memref.alloc(
// CHECK:         scf.for %i =
// CHECK:           %pi = memref.load %p[%i] : memref<?xindex>
// CHECK-NEXT:      arith.cmpi ne, %pi, %i : index
// CHECK:           memref.load %A_writer[%pi] : memref<?xindex>
// CHECK:           memref.store %{{.*}}, %A_writer[%pi] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.dealloc %A_writer
func.func @figure(%n: index, %p: memref<?xindex>, %b: memref<?xf64>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %old = affine.load %A[%i] : memref<?xf64>
    %bi = affine.load %b[%i] : memref<?xf64>
    %new = arith.addf %old, %bi : f64
    memref.store %new, %A[%pi] : memref<?xf64>
  }
  return
}

// -----

// The test visits the stores, and then the loads, which is more than the loop does.
// LEFT: warning: [runtime-test] loop left: the test costs more than the loop, about 22 operations for the 16 of an iteration, and no loop around repeats it (always=true tests all the same)
// ALWAYS-LABEL: func.func @costly_inspector(
// ALWAYS:         memref.store %{{.*}}, %A_writer[%pi] : memref<?xindex>
// ALWAYS-NEXT:  }
// ALWAYS:       scf.for
// ALWAYS:         memref.load %A_writer[%qi] : memref<?xindex>
func.func @costly(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}

// -----

// A loop around makes up for it.
// CHECK: remark: [runtime-test] the inspector runs at the start of the kernel
// CHECK-LABEL: func.func @repeated_inspector(
func.func @repeated(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %qi = affine.load %q[%i] : memref<?xindex>
      %v = memref.load %A[%qi] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
  }
  return
}

// -----

// LEFT: runtime_test.mlir:104:5: warning: [runtime-test] loop left: all iterations write the same element here
func.func @accumulates(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %sum: memref<f64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%pi] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
    %old = affine.load %sum[] : memref<f64>
    %new = arith.addf %old, %v : f64
    affine.store %new, %sum[] : memref<f64>
  }
  return
}
