// How far out an inspector runs, and what it does there if the loop is not reached.
// RUN: polyir-opt --inspect-wavefronts --split-input-file --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix=SAYS
// RUN: polyir-opt --inspect-wavefronts --split-input-file %s | filecheck %s

// Without a time step the index arrays are not read: there are no iterations then.
// SAYS: inspectors_move_out.mlir:13:3: remark: [inspect-wavefronts] the inspector runs at the start of the kernel
// CHECK-LABEL: func.func @steps_inspector
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %steps : index
// CHECK-NEXT:    %[[CELL:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %low = scf.if %[[RUNS]] -> (index) {
// CHECK:         arith.select %[[RUNS]], %n, %low : index
func.func @steps(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>, %first: memref<1xindex>) {
  affine.for %s = 0 to %steps {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %low = memref.load %first[%zero] : memref<1xindex>
    scf.for %i = %low to %n step %one {
      %pi = memref.load %p[%i] : memref<?xindex>
      %v = memref.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
  }
  return
}

// -----

// The index array changes in each time step: the inspector runs in each, too.
// SAYS: inspectors_move_out.mlir:38:5: remark: [inspect-wavefronts] the inspector runs before this
// SAYS: inspectors_move_out.mlir:47:7: remark: [inspect-wavefronts] it does not run further out: the index array 'p' may be written here
// CHECK-LABEL: func.func @moving(
// CHECK-NEXT:    %wavefronts_1 = memref.alloca() : memref<index>
// CHECK-NEXT:    affine.for %s = 0 to %steps {
// CHECK:           func.call @moving_inspector(
// CHECK:           scf.parallel
func.func @moving(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %pj = affine.load %p[%j] : memref<?xindex>
      %one = arith.constant 1 : index
      %next = arith.addi %pj, %one : index
      affine.store %next, %p[%j] : memref<?xindex>
    }
  }
  return
}

// -----

// A function may write what it gets, if it is not known, and another one that is known does not.
// SAYS: inspectors_move_out.mlir:61:5: remark: [inspect-wavefronts] the inspector runs before this
// SAYS: inspectors_move_out.mlir:66:5: remark: [inspect-wavefronts] it does not run further out: the index array 'p' may be written here
func.func private @rebuild(memref<?xindex>)
func.func @unknown(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    func.call @rebuild(%p) : (memref<?xindex>) -> ()
  }
  return
}

// -----

// SAYS: inspectors_move_out.mlir:82:3: remark: [inspect-wavefronts] the inspector runs at the start of the kernel
func.func @reads(%A: memref<?xf64>, %p: memref<?xindex>) {
  %zero = arith.constant 0 : index
  %one = memref.load %p[%zero] : memref<?xindex>
  %x = memref.load %A[%one] : memref<?xf64>
  memref.store %x, %A[%zero] : memref<?xf64>
  return
}
func.func @known(%n: index, %steps: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  affine.for %s = 0 to %steps {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %A[%i] : memref<?xf64>
      memref.store %v, %A[%pi] : memref<?xf64>
    }
    func.call @reads(%A, %p) : (memref<?xf64>, memref<?xindex>) -> ()
  }
  return
}

// -----

// The index array is written in the kernel, before the loop.
// SAYS: inspectors_move_out.mlir:101:3: remark: [inspect-wavefronts] the inspector runs before this
// SAYS: inspectors_move_out.mlir:100:3: remark: [inspect-wavefronts] it does not run further out: the index array 'p' may be written here
func.func @written_before(%n: index, %A: memref<?xf64>, %p: memref<?xindex>) {
  %zero = arith.constant 0 : index
  memref.store %n, %p[%zero] : memref<?xindex>
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}

// -----

// Two loops have two inspectors, and one executor.
// CHECK-LABEL: func.func @both_inspector(
// CHECK:       func.func @both_inspector_{{[0-9]+}}(
// CHECK:       func.func @both_executor(
// CHECK:       func.func @both(
// CHECK:         func.call @both_inspector(
// CHECK:         func.call @both_inspector_{{[0-9]+}}(
// CHECK-NEXT:    func.call @both_executor(
func.func @both(%n: index, %A: memref<?xf64>, %p: memref<?xindex>, %q: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %A[%i] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  affine.for %j = 0 to %n {
    %qj = affine.load %q[%j] : memref<?xindex>
    %v = affine.load %A[%j] : memref<?xf64>
    memref.store %v, %A[%qj] : memref<?xf64>
  }
  return
}
