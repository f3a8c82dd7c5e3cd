// Figure 15.15: the inspector finds the wavefronts, and the executor runs them (figure 15.22).
// RUN: polyir-opt --inspect-wavefronts %s | filecheck %s
// RUN: polyir-opt --inspect-wavefronts %s | mlir-opt-19 --verify-each
// RUN: polyir-opt --inspect-wavefronts="block=4" %s | filecheck %s --check-prefix=BLOCK
// RUN: not polyir-opt --inspect-wavefronts="block=0" --emit=none %s 2>&1 | filecheck %s --check-prefix=BAD

// BAD: error: option 'block' of pass 'inspect-wavefronts' must be at least 1

// The attributes of the kernel stay, also where it gets more arguments.
// CHECK:      func.func @figure_inspector(%q: memref<?xindex>, %p: memref<?xindex>, %n: index, %A: memref<?xf64>, %order: memref<?xindex>, %starts: memref<?xindex>, %wavefronts: memref<index>) attributes {polyir.inspector} {
// CHECK:        %A_read = memref.alloc(%{{.*}}) : memref<?xindex>
// CHECK:        %A_written = memref.alloc(%{{.*}}) : memref<?xindex>

// First the wavefront of an iteration: after all that it depends on.
// CHECK:        scf.for %t = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:     %{{.*}} = arith.constant 0 : index
// CHECK-NEXT:     memref.store %{{.*}}, %current[] : memref<index>
// CHECK-NEXT:     %pi = memref.load %p[%t] : memref<?xindex>
// CHECK-NEXT:     %qi = memref.load %q[%t] : memref<?xindex>
// CHECK-NEXT:     memref.load %A_written[%qi] : memref<?xindex>
// CHECK:          memref.load %A_written[%pi] : memref<?xindex>
// CHECK:          memref.load %A_read[%pi] : memref<?xindex>
// CHECK:          memref.store %{{.*}}, %wavefront[%t] : memref<?xindex>
// Then what others must wait for.
// CHECK:          memref.store %{{.*}}, %A_read[%qi_1] : memref<?xindex>
// CHECK:          memref.store %{{.*}}, %A_written[%pi_1] : memref<?xindex>

// CHECK:      func.func @figure_executor(%n_1: index {test.fact}, %A_1: memref<?xf64>, %p_1: memref<?xindex>, %q_1: memref<?xindex>, %order_1: memref<?xindex>, %starts_1: memref<?xindex>, %wavefronts_1: memref<index>) attributes {test.kernel, polyir.executor} {
// CHECK:        scf.for %w_1 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:     %[[FIRST:.*]] = memref.load %starts_1[%w_1] : memref<?xindex>
// CHECK:          %[[END:.*]] = memref.load %starts_1[%{{.*}}] : memref<?xindex>
// CHECK-NEXT:     scf.parallel (%[[PLACE:.*]]) = (%[[FIRST]]) to (%[[END]]) step (%{{.*}}) {
// CHECK-NEXT:       %i = memref.load %order_1[%[[PLACE]]] : memref<?xindex>
// CHECK-NEXT:       %pi_2 = memref.load %p_1[%i] : memref<?xindex>
// BLOCK:          scf.parallel
// BLOCK-NEXT:       %[[NUMBER:.*]] = memref.load %order_1
// BLOCK:            %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %{{.*}} : index
// BLOCK:            scf.for %i{{.*}} = %{{.*}} to %{{.*}} step

// CHECK:      func.func @figure(%n_2: index {test.fact}, %A_2: memref<?xf64>, %p_2: memref<?xindex>, %q_2: memref<?xindex>) attributes {test.kernel} {
// CHECK:        func.call @figure_inspector(%q_2, %p_2, %n_2, %A_2, %order_2, %starts_2, %wavefronts_2)
// CHECK-NEXT:   func.call @figure_executor(%n_2, %A_2, %p_2, %q_2, %order_2, %starts_2, %wavefronts_2)
// CHECK-NEXT:   memref.dealloc %order_2
// CHECK-NEXT:   memref.dealloc %starts_2
// CHECK-NEXT:   func.return
func.func @figure(%n: index {test.fact}, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) attributes {test.kernel} {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}
