// Loops that an inspector cannot be made for, and why.
// RUN: polyir-opt --inspect-wavefronts --split-input-file --emit=none %s 2>&1 | filecheck %s
// RUN: polyir-opt --runtime-test --split-input-file --emit=none %s 2>&1 | sed s/runtime-test/inspect-wavefronts/ | filecheck %s

// The place is that of the write.
// CHECK: inspect_wavefronts_left.mlir:12:5: warning: [inspect-wavefronts] loop left: an address depends on 'p', which the loop writes here
func.func @written_inside(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
    affine.store %n, %p[%i] : memref<?xindex>
  }
  return
}

// -----

// CHECK: inspect_wavefronts_left.mlir:26:7: warning: [inspect-wavefronts] loop left: an address depends on 'A', which the loop writes here
func.func @conditional_on_data(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %x: f64) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    %less = arith.cmpf olt, %v, %x : f64
    scf.if %less {
      memref.store %v, %A[%pi] : memref<?xf64>
    }
  }
  return
}

// -----

// CHECK: inspect_wavefronts_left.mlir:36:8: warning: [inspect-wavefronts] loop left: its iterations carry values in iter_args
func.func @carried(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %x: f64) -> f64 {
  %s = affine.for %i = 0 to %n iter_args(%part = %x) -> (f64) {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
    %t = arith.addf %part, %v : f64
    affine.yield %t : f64
  }
  return %s : f64
}

// -----

// CHECK: inspect_wavefronts_left.mlir:54:5: warning: [inspect-wavefronts] loop left: an inspector cannot run 'func.call'
func.func private @unknown(f64)
func.func @calls(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    func.call @unknown(%v) : (f64) -> ()
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}

// -----

// CHECK: inspect_wavefronts_left.mlir:68:10: warning: [inspect-wavefronts] loop left: two memrefs may share memory, and one of them is written
#half = strided<[2], offset: 0>
func.func @views(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  %view = memref.subview %A[0] [%n] [2] : memref<?xf64> to memref<?xf64, #half>
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %view[%i] : memref<?xf64, #half>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}

// -----

// CHECK: inspect_wavefronts_left.mlir:82:5: warning: [inspect-wavefronts] loop left: an inspector cannot name the memory of this store
#half = strided<[2], offset: 0>
func.func @view_inside(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %x: f64) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %view = memref.subview %A[0] [%n] [2] : memref<?xf64> to memref<?xf64, #half>
    memref.store %x, %view[%pi] : memref<?xf64, #half>
  }
  return
}

// -----

// CHECK: warning: [inspect-wavefronts] nothing to do: no loop writes elements by index arrays
func.func @regular(%n: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<?xf64>
    affine.store %v, %A[%i + 1] : memref<?xf64>
  }
  return
}

// -----

// CHECK: inspect_wavefronts_left.mlir:102:3: warning: [inspect-wavefronts] loop left: the step of the loop is not a positive constant
func.func @any_step(%n: index, %step: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  scf.for %i = %n to %n step %step {
    %pi = memref.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%pi] : memref<?xf64>
    memref.store %v, %A[%i] : memref<?xf64>
  }
  return
}
