// RUN: polyir-opt --split-input-file --sparse-tile %s 2>&1 | filecheck %s
// RUN: polyir-opt --split-input-file --sparse-tile="loops=s seed=q" %s 2>&1 | filecheck %s --check-prefix SEED
// RUN: not polyir-opt --sparse-tile="sweeps=0" %s 2>&1 | filecheck %s --check-prefix SWEEPS
// RUN: not polyir-opt --sparse-tile="tile=0" %s 2>&1 | filecheck %s --check-prefix TILE
// RUN: not polyir-opt --sparse-tile="numbering=random" %s 2>&1 | filecheck %s --check-prefix NUMBERING

// SWEEPS: error: sweeps must be 1 or more: sweeps=0
// TILE: error: tile must be 1 or more: tile=0
// NUMBERING: error: option 'numbering' of pass 'sparse-tile' cannot be 'random' (one of: natural, coloured)

// CHECK: :3: warning: [sparse-tile] loop left: 'affine.load' is outside of its inner loops ({{.*}}sparse_tile_refused.mlir:{{[0-9]+}}:10)
func.func @stores_outside(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    %v = affine.load %x[0] : memref<?xf64>
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      memref.store %v, %x[%pi] : memref<?xf64>
    }
  }
  return
}

// -----

// The index array is filled again in each step.
// CHECK: :3: warning: [sparse-tile] loop left: an address depends on 'p', which the loop writes here ({{.*}}sparse_tile_refused.mlir:{{[0-9]+}}:7)
func.func @rebuilt(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = memref.load %x[%pi] : memref<?xf64>
      affine.store %v, %x[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      affine.store %j, %p[%j] : memref<?xindex>
    }
  }
  return
}

// -----

// Each step has other index arrays. The program stays as it is.
// CHECK: :3: warning: [sparse-tile] loop left: the inspector cannot run before the outer loop: the subscripts depend on this loop ({{.*}}sparse_tile_refused.mlir:{{[0-9]+}}:3)
// CHECK:      affine.for %s = 0 to %t {
// CHECK-NEXT:   affine.for %i = 0 to %n {
func.func @moving(%t: index, %n: index, %p: memref<?x?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%s, %i] : memref<?x?xindex>
      %v = memref.load %x[%pi] : memref<?xf64>
      affine.store %v, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// CHECK: :8: warning: [sparse-tile] loop left: its iterations carry values in iter_args ({{.*}}sparse_tile_refused.mlir:{{[0-9]+}}:8)
func.func @carried(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %r = affine.for %s = 0 to %t iter_args(%a = %zero) -> f64 {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = memref.load %x[%pi] : memref<?xf64>
      affine.store %v, %x[%i] : memref<?xf64>
    }
    affine.yield %a : f64
  }
  return %r : f64
}

// -----

// CHECK: warning: [sparse-tile] nothing to do: no loop holds a sequence of irregular loops
// SEED: :3: warning: [sparse-tile] loop left: it has no inner loop 'q'
func.func @affine(%t: index, %n: index, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %v = affine.load %x[%i] : memref<?xf64>
      affine.store %v, %x[%i + 1] : memref<?xf64>
    }
  }
  return
}

// -----

// CHECK: warning: [sparse-tile] nothing to do: no loop holds a sequence of irregular loops
func.func @no_steps(%n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %x[%pi] : memref<?xf64>
    affine.store %v, %x[%i] : memref<?xf64>
  }
  return
}
