// RUN: polyir-opt --pluto-schedule --distribute-memory --split-input-file --verify-diagnostics --emit=none %s

// A loop that carries a dependence: there is nothing to divide.
func.func @sums(%n: index, %A: memref<?xf64>) {
  // expected-error@+1 {{the static control part is not distributed: no loop of its schedule is parallel, so that one rank would run all}}
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf64>
    %b = affine.load %A[%i] : memref<?xf64>
    %s = arith.addf %a, %b : f64
    affine.store %s, %A[%i] : memref<?xf64>
  }
  return
}

// -----

// expected-error@unknown {{nothing is distributed: the module has no static control part}}
// expected-warning@unknown {{nothing to do: the module has no static control part}}
// expected-warning@unknown {{nothing to do: the module has no static control part}}
func.func @nothing(%n: index) {
  return
}

// -----

// The owner of what is written is not known.
func.func @scatter(%n: index, %p: memref<?xindex>, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %b = affine.load %B[%i] : memref<?xf64>
    // expected-error@+1 {{it may write any element of 'A', so that the owner of what it writes is not known}}
    memref.store %b, %A[%pi] : memref<?xf64>
    %c = arith.addf %b, %b : f64
    affine.store %c, %B[%i] : memref<?xf64>
  }
  return
}

// -----

func.func @gather(%n: index, %p: memref<?xindex>, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    // expected-error@+1 {{which elements of 'A' are read is not known: the subscript is not affine}}
    %a = memref.load %A[%pi] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}

// -----

// A condition on data: the element is known, and keeps its value where the condition does not hold.
func.func @conditional(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %positive = arith.cmpf ogt, %a, %zero : f64
    scf.if %positive {
      affine.store %a, %B[%i] : memref<?xf64>
    }
  }
  return
}

// -----

func.func @before(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  // expected-error@+1 {{'affine.load' uses the array '%B' outside of the static control part, and only the first rank has it}}
  %b = affine.load %B[0] : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}

// -----

func.func private @print(memref<?xf64>)
func.func @after(%n: index, %A: memref<?xf64>) {
  %c = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.store %c, %A[%i] : memref<?xf64>
  }
  // expected-error@+1 {{'func.call' uses the array '%A' outside of the static control part}}
  func.call @print(%A) : (memref<?xf64>) -> ()
  return
}

// -----

func.func @returned(%n: index) -> memref<?xf64> {
  %A = memref.alloc(%n) : memref<?xf64>
  %c = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.store %c, %A[%i] : memref<?xf64>
  }
  // expected-error@+1 {{'func.return' uses the array '%A' outside of the static control part}}
  return %A : memref<?xf64>
}

// -----

// An operation between the loops that no model has.
func.func private @wait()
func.func @several(%n: index, %A: memref<?xf64>) {
  %c = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.store %c, %A[%i] : memref<?xf64>
  }
  func.call @wait() : () -> ()
  // expected-error@+1 {{'several' has several static control parts}}
  affine.for %i = 0 to %n {
    affine.store %c, %A[%i] : memref<?xf64>
  }
  return
}

// -----

// Another name of an array: the part of a rank would be that of a view.
func.func @views(%A: memref<16xf64>) {
  %c = arith.constant 1.0 : f64
  // expected-error@+1 {{the array '%B' comes from 'memref.cast': it may share memory with another}}
  %B = memref.cast %A : memref<16xf64> to memref<?xf64>
  affine.for %i = 0 to 8 {
    affine.store %c, %B[%i] : memref<?xf64>
  }
  return
}

// -----

func.func @extents(%n: index, %A: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %extent = memref.dim %A, %zero : memref<?xf64>
  %c = arith.constant 1.0 : f64
  affine.for %i = 0 to %extent {
    affine.store %c, %A[%i] : memref<?xf64>
  }
  return
}

// -----

// A scop inside a loop that no model has.
func.func private @wait()
func.func @inside(%n: index, %A: memref<?xf64>) {
  %c = arith.constant 1.0 : f64
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %n step %one {
    func.call @wait() : () -> ()
    // expected-error@+1 {{it is inside 'scf.for', and ranks divide what is directly in a function}}
    affine.for %i = 0 to %n {
      affine.store %c, %A[%i] : memref<?xf64>
    }
  }
  return
}

// -----

func.func @layout(%n: index, %A: memref<8x8xf64, affine_map<(i, j) -> (j, i)>>) {
  %c = arith.constant 1.0 : f64
  // expected-error@+1 {{the array '%A' has a layout of its own}}
  affine.for %i = 0 to 8 {
    affine.store %c, %A[%i, %i] : memref<8x8xf64, affine_map<(i, j) -> (j, i)>>
  }
  return
}

// -----

// An extent inside of a loop is one of the array, not of a part of it.
func.func @extent_inside(%n: index, %A: memref<?xindex>) {
  %zero = arith.constant 0 : index
  affine.for %i = 0 to %n {
    // expected-error@+1 {{'memref.dim' takes the array '%A' whole}}
    %extent = memref.dim %A, %zero : memref<?xindex>
    affine.store %extent, %A[%i] : memref<?xindex>
  }
  return
}

// -----

// All that is allocated in the function is divided, and so no rank has an array whole.
func.func @temporary(%n: index, %A: memref<?xf64>) {
  %c = arith.constant 1.0 : f64
  %zero = arith.constant 0 : index
  %T = memref.alloc(%n) : memref<?xf64>
  // expected-error@+1 {{'memref.dim' uses the array '%T' outside of the static control part}}
  %extent = memref.dim %T, %zero : memref<?xf64>
  affine.for %i = 0 to %extent {
    affine.store %c, %T[%i] : memref<?xf64>
    %t = affine.load %T[%i] : memref<?xf64>
    affine.store %t, %A[%i] : memref<?xf64>
  }
  memref.dealloc %T : memref<?xf64>
  return
}
