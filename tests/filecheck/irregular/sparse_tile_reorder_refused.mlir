// RUN: polyir-opt --split-input-file --sparse-tile="reorder=true" %s 2>&1 | filecheck %s

// The order of the unknowns changes only where the loop computes the same with other numbers.

// CHECK: :8:3: warning: [sparse-tile] loop left: it has several inner loops, not one over the unknowns ({{.*}}:14:5)
func.func @several(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>, %y: memref<?xf64>) {
  // A sweep and a copy.
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = memref.load %x[%pi] : memref<?xf64>
      affine.store %v, %y[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %v = affine.load %y[%j] : memref<?xf64>
      affine.store %v, %x[%j] : memref<?xf64>
    }
  }
  return
}

// -----

// The unknown before: there is none in another order.
// CHECK: loop left: the order of the unknowns cannot change: subscript 0 is not the number of an unknown ({{.*}}:31:12)
func.func @neighbour(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = memref.load %x[%pi] : memref<?xf64>
      %w = affine.load %x[%i - 1] : memref<?xf64>
      %z = arith.addf %v, %w : f64
      affine.store %z, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// Only the part of a row below the diagonal: which part that is depends on the order.
// CHECK: loop left: the order of the unknowns cannot change: the number of an unknown is used here ({{.*}}:47:20)
func.func @lower(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %is_before = arith.cmpi slt, %pi, %i : index
      scf.if %is_before {
        %v = memref.load %x[%pi] : memref<?xf64>
        affine.store %v, %x[%i] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// The first unknown is another one in another order.
// CHECK: loop left: the order of the unknowns cannot change: this is an element of no unknown ({{.*}}:67:12)
func.func @first(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %v = memref.load %x[%pi] : memref<?xf64>
      %w = memref.load %x[%c0] : memref<?xf64>
      %z = arith.addf %v, %w : f64
      affine.store %z, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// The number itself is data.
// CHECK: loop left: the order of the unknowns cannot change: the number of an unknown is used here ({{.*}}:84:12)
func.func @numbers(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %number = arith.index_cast %i : index to i64
      %f = arith.sitofp %number : i64 to f64
      %v = memref.load %x[%pi] : memref<?xf64>
      %z = arith.addf %v, %f : f64
      affine.store %z, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// Rows of five elements without a start of their own.
// CHECK: loop left: the order of the unknowns cannot change: subscript 0 is not the number of an unknown ({{.*}}:101:15)
func.func @linear(%t: index, %n: index, %p: memref<?xindex>, %x: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to 5 {
        %pi = affine.load %p[%i * 5 + %k] : memref<?xindex>
        %v = memref.load %x[%pi] : memref<?xf64>
        affine.store %v, %x[%i] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// The part of the row that starts where all rows do.
// CHECK: loop left: the order of the unknowns cannot change: more than a loop depends on where a row is ({{.*}}:120:7)
func.func @no_row(%t: index, %n: index, %rp: memref<?xindex>, %p: memref<?xindex>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %end = affine.load %rp[%i + 1] : memref<?xindex>
      scf.for %k = %c0 to %end step %c1 {
        %pk = memref.load %p[%k] : memref<?xindex>
        %v = memref.load %x[%pk] : memref<?xf64>
        affine.store %v, %x[%i] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// Where an entry of a row is depends on the order.
// CHECK: loop left: the order of the unknowns cannot change: more than elements of a row depend on where it is ({{.*}}:143:19)
func.func @entry(%t: index, %n: index, %rp: memref<?xindex>, %p: memref<?xindex>, %x: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %first = affine.load %rp[%i] : memref<?xindex>
      %end = affine.load %rp[%i + 1] : memref<?xindex>
      scf.for %k = %first to %end step %c1 {
        %pk = memref.load %p[%k] : memref<?xindex>
        %v = memref.load %x[%pk] : memref<?xf64>
        %number = arith.index_cast %k : index to i64
        %f = arith.sitofp %number : i64 to f64
        %w = arith.mulf %v, %f : f64
        affine.store %w, %x[%i] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// The first entry of all is not an entry of the row.
// CHECK: loop left: the order of the unknowns cannot change: this is an element of no row ({{.*}}:164:12)
func.func @first_entry(%t: index, %n: index, %rp: memref<?xindex>, %p: memref<?xindex>, %v: memref<?xf64>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %first = affine.load %rp[%i] : memref<?xindex>
      %end = affine.load %rp[%i + 1] : memref<?xindex>
      %w = memref.load %v[%c0] : memref<?xf64>
      scf.for %k = %first to %end step %c1 {
        %pk = memref.load %p[%k] : memref<?xindex>
        %a = memref.load %v[%k] : memref<?xf64>
        %b = memref.load %x[%pk] : memref<?xf64>
        %c = arith.mulf %a, %b : f64
        %d = arith.addf %c, %w : f64
        affine.store %d, %x[%i] : memref<?xf64>
      }
    }
  }
  return
}
