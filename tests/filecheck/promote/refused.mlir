// RUN: not polyir-opt --promote="arrays=x loop=S0.0" %s 2>&1 | filecheck %s --check-prefix DATA
// RUN: not polyir-opt --promote="arrays=A loop=S1.0" %s 2>&1 | filecheck %s --check-prefix LARGE
// RUN: not polyir-opt --strip-mine="loop=S2.0 size=8" --promote="arrays=A loop=S2.0" %s 2>&1 | filecheck %s --check-prefix OVERLAP
// RUN: not polyir-opt --promote="arrays=A loop=S0.0" %s 2>&1 | filecheck %s --check-prefix ELSEWHERE
// RUN: not polyir-opt --promote="arrays=Q loop=S0.0" %s 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not polyir-opt --promote="arrays=y loop=S0.0 order=1,0" %s 2>&1 | filecheck %s --check-prefix RANK
// RUN: not polyir-opt --promote="arrays=y loop=S0.0" --promote="arrays=y loop=S0.0" %s 2>&1 | filecheck %s --check-prefix TWICE
// RUN: not polyir-opt --promote="arrays=y loop=S0.0 space=shared" %s 2>&1 | filecheck %s --check-prefix SPACE
// RUN: not polyir-opt --promote="arrays=y loop=S0.0" --apply-schedule="{ S0[i] -> [0, i, 0]; S1[i, j] -> [1, i, j]; S2[i] -> [2, i, 0] }" %s 2>&1 | filecheck %s --check-prefix SCHEDULE
// RUN: polyir-opt --promote="loop=S0.0" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix ALL
// RUN: polyir-opt --promote="loop=S2.0" --remarks --emit=none %s 2>&1 | filecheck %s --check-prefix NONE

func.func @nests(%n: index, %index: memref<?xindex>, %x: memref<?xf64>, %y: memref<?xf64>, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %position = memref.load %index[%i] : memref<?xindex>
    %0 = memref.load %x[%position] : memref<?xf64>
    affine.store %0, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %0 = affine.load %A[%j] : memref<?xf64>
      affine.store %0, %y[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %0 = affine.load %A[2 * %i] : memref<?xf64>
    affine.store %0, %A[%i] : memref<?xf64>
  }
  return
}

// DATA: error: x cannot be promoted: the elements that S0 accesses depend on data, or it accesses vectors

// LARGE: error: A cannot be promoted: the elements that an iteration of S1.0 touches fit in no rectangle of constant size; tile the loops first, or use the heap

// OVERLAP: error: A cannot be promoted: two references, one of which writes, touch common elements of A, and both together fit in no rectangle of constant size

// ELSEWHERE: error: A cannot be promoted: an iteration of S0.0 does not access it

// UNKNOWN: error: there is no array Q (the scop accesses index, x, y, A)

// RANK: error: y cannot be promoted: it has 1 dimension, which does not match the options order and reverse

// TWICE: error: y cannot be promoted: it is already local in an enclosing loop

// SPACE: error: option 'space' of pass 'promote' cannot be 'shared' (one of: auto, heap, stack, register)

// SCHEDULE: error: the scop has local arrays: 'promote' must run after 'apply-schedule'

// ALL: remark: [promote] an iteration of S0.0 keeps one element of index in index_local, copied in
// ALL: remark: [promote] an iteration of S0.0 keeps one element of y in y_local, copied out
// ALL: warning: [promote] x cannot be promoted: the elements that S0 accesses depend on data, or it accesses vectors
// ALL-NOT: cannot be promoted

// NONE: warning: [promote] A cannot be promoted: two references
