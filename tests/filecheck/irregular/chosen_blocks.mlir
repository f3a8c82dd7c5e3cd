// The inspector chooses which iterations are in a block; the executor calls a function for each.
// RUN: polyir-opt --inspect-wavefronts="block=auto" %s | filecheck %s
// RUN: polyir-opt --inspect-wavefronts="block=auto" %s | mlir-opt-19 --verify-each
// RUN: polyir-opt --inspect-wavefronts="block=auto" %s | filecheck %s --check-prefix=DECISIVE
// RUN: not polyir-opt --inspect-wavefronts="block=auto grain=0" --emit=none %s 2>&1 | filecheck %s --check-prefix=GRAIN
// RUN: not polyir-opt --inspect-wavefronts="block=best" --emit=none %s 2>&1 | filecheck %s --check-prefix=BLOCK

// GRAIN: error: option 'grain' of pass 'inspect-wavefronts' must be at least 1
// BLOCK: error: {{.*}}block

// CHECK:      func.func @solve_inspector(%c: memref<?xindex>, %n: index, %x: memref<?xf64>, %order: memref<?xindex>, %blocks: memref<?xindex>, %starts: memref<?xindex>, %wavefronts: memref<index>) attributes {polyir.inspector} {

// Each iteration has an element of %d of its own, and loads x[i] twice.
// DECISIVE-NOT:  %d_read
// DECISIVE:      memref.load %x_written
// DECISIVE:      memref.load %x_written
// DECISIVE:      memref.load %x_read
// DECISIVE-NOT:  memref.load %x_written
// DECISIVE:      memref.store %{{.*}}, %level

// CHECK:      func.func private @solve_block(%block_start: index, %block_end: index, %[[ORDER:[a-z_0-9]+]]: memref<?xindex>
// CHECK:        scf.for %[[PLACE:[a-z_0-9]+]] = %block_start to %block_end step %{{.*}} {
// CHECK-NEXT:     memref.load %[[ORDER]][%[[PLACE]]] : memref<?xindex>

// A block alone runs without other threads.
// CHECK:      func.func @solve_executor(
// CHECK:        scf.if
// CHECK:          func.call @solve_block(
// CHECK:        } else {
// CHECK:          scf.parallel
// CHECK:            func.call @solve_block(
func.func @solve(%n: index, %c: memref<?xindex>, %x: memref<?xf64>, %d: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %ci = affine.load %c[%i] : memref<?xindex>
    %other = memref.load %x[%ci] : memref<?xf64>
    affine.store %other, %d[%i] : memref<?xf64>
    %old = affine.load %x[%i] : memref<?xf64>
    %sum = arith.addf %old, %other : f64
    affine.store %sum, %x[%i] : memref<?xf64>
    %again = affine.load %x[%i] : memref<?xf64>
    %twice = arith.addf %again, %other : f64
    affine.store %twice, %x[%i] : memref<?xf64>
  }
  return
}
