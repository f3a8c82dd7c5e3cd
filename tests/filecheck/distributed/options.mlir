// RUN: not polyir-opt --pluto-schedule --distribute-memory="grid=3" %s 2>&1 | filecheck %s --check-prefix=GRID
// RUN: not polyir-opt --pluto-schedule --distribute-memory="distribution=cyclic block=2" %s 2>&1 | filecheck %s --check-prefix=CYCLIC
// RUN: not polyir-opt --pluto-schedule --distribute-memory="replicate=D" %s 2>&1 | filecheck %s --check-prefix=NAME
// RUN: polyir-opt --pluto-schedule --distribute-memory="grid=2" %s | filecheck %s --check-prefix=TWO
// RUN: polyir-opt --pluto-schedule --distribute-memory="distribution=block-cyclic block=2" %s | filecheck %s --check-prefix=DEALT

// GRID: error: grid must be 1 or 2: grid=3
// CYCLIC: error: block-cyclic needs the size of a block
// NAME: error: {{.*}}'D'

// TWO: func.func private @add_compute_P0({{.*}}%own_d0b0: index, %own_d0e0: index, %own_d0b1: index, %own_d0e1: index
// DEALT: func.func @add(
// DEALT: %blocks = memref.alloc(
func.func @add(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
