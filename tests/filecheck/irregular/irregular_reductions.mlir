// The methods for loops that only update elements which index arrays choose.
// RUN: polyir-opt --irregular-reductions %s | filecheck %s --check-prefix=ORDER
// RUN: polyir-opt --irregular-reductions="block=4 reassociate=true" %s | filecheck %s --check-prefix=COLOURS
// RUN: polyir-opt --irregular-reductions="method=private-copies copies=2 reassociate=true" %s | filecheck %s --check-prefix=COPIES
// RUN: polyir-opt --irregular-reductions="method=atomics reassociate=true" %s | filecheck %s --check-prefix=ATOMICS
// RUN: polyir-opt --irregular-reductions="reassociate=true" %s | mlir-opt-19 --verify-each
// RUN: polyir-opt --irregular-reductions="method=private-copies reassociate=true" %s | mlir-opt-19 --verify-each

// Where the order must stay, colours are wavefronts. An update is visited once, at its store.
// ORDER:      func.func @forces_inspector(
// ORDER:        scf.for %t = %{{.*}} to %{{.*}} step %{{.*}} {
// ORDER:          %l = memref.load %left[%t] : memref<?xindex>
// ORDER-NEXT:     %r = memref.load %right[%t] : memref<?xindex>
// ORDER-NEXT:     memref.load %f_written[%l] : memref<?xindex>
// ORDER:          memref.load %f_written[%r] : memref<?xindex>
// ORDER-NOT:      %f_read
// ORDER:      func.func @forces_executor(
// ORDER:        scf.for %w
// ORDER:          scf.parallel (

// Else, a block has the lowest colour that its elements do not have yet.
// COLOURS:      func.func @forces_inspector(
// COLOURS:        %f_colours = memref.alloc
// COLOURS:        %f_after = memref.alloc
// COLOURS:        memref.store %{{.*}}, %taken[] : memref<index>
// COLOURS:        scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} {
// COLOURS:          memref.load %f_colours[%l] : memref<?xindex>
// COLOURS:          memref.load %f_colours[%r] : memref<?xindex>
// COLOURS:        math.cttz
// COLOURS:        memref.store %{{.*}}, %colours[%t] : memref<?xindex>
// COLOURS:      func.func @forces_executor(
// COLOURS:        scf.parallel (%[[PLACE:.*]]) =
// COLOURS-NEXT:     memref.load %order{{.*}}[%[[PLACE]]] : memref<?xindex>
// COLOURS:          scf.for %j

// Each part begins with the neutral element; the parts are added in their order.
// COPIES:      func.func @forces(
// COPIES:        %[[SIZE:.*]] = memref.dim %f, %{{.*}} : memref<?xf64>
// COPIES-NEXT:   %f_copies = memref.alloc(%[[SIZE]]) : memref<2x?xf64>
// COPIES:        scf.parallel (%c) =
// COPIES:          %[[ZERO:.*]] = arith.constant -0.000000e+00 : f64
// COPIES-NEXT:     memref.store %[[ZERO]], %f_copies[%c, %{{.*}}] : memref<2x?xf64>
// COPIES:          scf.for %j =
// COPIES:            %fl = memref.load %f_copies[%c, %l] : memref<2x?xf64>
// COPIES-NEXT:       %fl_new = arith.subf %fl, %{{.*}} : f64
// COPIES-NEXT:       memref.store %fl_new, %f_copies[%c, %l] : memref<2x?xf64>
// COPIES:        scf.parallel (%[[E:.*]]) =
// COPIES-NEXT:     %[[OLD:.*]] = memref.load %f[%[[E]]] : memref<?xf64>
// COPIES:          %[[FIRST:.*]] = memref.load %f_copies[%{{.*}}, %[[E]]] : memref<2x?xf64>
// COPIES-NEXT:     %[[SUM:.*]] = arith.addf %[[OLD]], %[[FIRST]] : f64
// COPIES:          %[[SECOND:.*]] = memref.load %f_copies[%{{.*}}, %[[E]]] : memref<2x?xf64>
// COPIES-NEXT:     %[[ALL:.*]] = arith.addf %[[SUM]], %[[SECOND]] : f64
// COPIES-NEXT:     memref.store %[[ALL]], %f[%[[E]]] : memref<?xf64>
// COPIES:        memref.dealloc %f_copies

// ATOMICS:      scf.parallel (%j) =
// ATOMICS:        %[[MINUS:.*]] = arith.negf %{{.*}} : f64
// ATOMICS-NEXT:   memref.atomic_rmw addf %[[MINUS]], %f[%l] : (f64, memref<?xf64>) -> f64
// ATOMICS-NEXT:   memref.atomic_rmw addf %{{.*}}, %f[%r] : (f64, memref<?xf64>) -> f64
// ATOMICS-NOT:    memref.store
func.func @forces(%m: index, %left: memref<?xindex>, %right: memref<?xindex>, %e: memref<?xf64>, %f: memref<?xf64>) {
  affine.for %j = 0 to %m {
    %l = affine.load %left[%j] : memref<?xindex>
    %r = affine.load %right[%j] : memref<?xindex>
    %v = affine.load %e[%j] : memref<?xf64>
    %fl = memref.load %f[%l] : memref<?xf64>
    %fl_new = arith.subf %fl, %v : f64
    memref.store %fl_new, %f[%l] : memref<?xf64>
    %fr = memref.load %f[%r] : memref<?xf64>
    %fr_new = arith.addf %fr, %v : f64
    memref.store %fr_new, %f[%r] : memref<?xf64>
  }
  return
}
