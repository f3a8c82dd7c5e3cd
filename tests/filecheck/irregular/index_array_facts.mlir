// RUN: polyir-opt --print-dependences --emit=none %s | filecheck %s
// RUN: polyir-opt --poly-raise --emit=none %s 2>&1 | filecheck %s --check-prefix STALE
// RUN: polyir-opt --pluto-schedule --mark-parallel --emit=c %s | filecheck %s --check-prefix PARALLEL
// RUN: polyir-opt --poly-raise=data-loops --mark-parallel --emit=c %s | filecheck %s --check-prefix ROWS
// RUN: polyir-opt --poly-raise=data-loops --mark-parallel --inspect-wavefronts --emit=c %s | filecheck %s --check-prefix SETTLED
// RUN: polyir-opt %s | polyir-opt | filecheck %s --check-prefix TEXT

// TEXT: func.func @scatter(%n: index, %A: memref<?xf64>, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>}) {
// TEXT: func.func @window({{.*}} {poly.index_array = #poly.index_array<range = "[arg0] -> { [x] : 0 < x <= arg0 }">}) {
// TEXT: func.func @rows({{.*}} {poly.index_array = #poly.index_array<nondecreasing>},

// Each element is written once.
// CHECK: // no value-based dependences in @scatter
// PARALLEL: void scatter
// PARALLEL: #pragma omp parallel for
// PARALLEL-NEXT: for (
// PARALLEL-NEXT: A[p[
func.func @scatter(%n: index, %A: memref<?xf64>, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>}) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    memref.store %zero, %A[%pi] : memref<?xf64>
  }
  return
}

// Elements of p and of q may be equal: injective arrays leave the dependences between them.
// CHECK: // value-based dependences in @gather_and_scatter:
// CHECK-NEXT: // flow  A  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : p(i) = q(i') and
// CHECK-NEXT: // anti  A  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : q(i) = p(i') and
// CHECK-NOT: output
func.func @gather_and_scatter(%n: index, %A: memref<?xf64>, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>}, %q: memref<?xindex> {poly.index_array = #poly.index_array<injective>}) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %v = memref.load %A[%qi] : memref<?xf64>
    memref.store %v, %A[%pi] : memref<?xf64>
  }
  return
}

// A range makes the relation of the access smaller: what is written, A[0], is never read.
// CHECK: // value-based dependences in @window:
// CHECK-NEXT: // output  A  S1 -> S1  (1)
func.func @window(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %p: memref<?xindex> {poly.index_array = #poly.index_array<range = "[arg0] -> { [x] : 1 <= x <= arg0 }">}) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    %v = memref.load %A[%pi] : memref<?xf64>
    affine.store %v, %B[%i] : memref<?xf64>
    affine.store %zero, %A[0] : memref<?xf64>
  }
  return
}

// The rows of a sparse matrix are disjoint.
// SETTLED-NOT: rows_inspector
// SETTLED: void rows
// ROWS: void rows
// ROWS: #pragma omp parallel for
// ROWS-NEXT: for (int64_t i = 0; i < n; i++) {
// ROWS-NEXT: rp[i];
func.func @rows(%n: index, %rp: memref<?xindex> {poly.index_array = #poly.index_array<nondecreasing>}, %v: memref<?xf64>, %d: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %lo = affine.load %rp[%i] : memref<?xindex>
    %hi = affine.load %rp[%i + 1] : memref<?xindex>
    %di = affine.load %d[%i] : memref<?xf64>
    scf.for %k = %lo to %hi step %one {
      %vv = memref.load %v[%k] : memref<?xf64>
      %m = arith.mulf %vv, %di : f64
      memref.store %m, %v[%k] : memref<?xf64>
    }
  }
  return
}

// What is said of an array that the function changes may be of the past.
// STALE: index_array_facts.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: [poly-raise] what is said of 'p' is not used: it may be written here
// CHECK: // value-based dependences in @stale:
// CHECK: // output  A  S0 (may) -> S0 (may)  (+)  [n] -> { S0[i] -> S0[i'] : p(i) = p(i') and
func.func private @change(memref<?xindex>)
func.func @stale(%n: index, %A: memref<?xf64>, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>}) {
  func.call @change(%p) : (memref<?xindex>) -> ()
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%i] : memref<?xindex>
    memref.store %zero, %A[%pi] : memref<?xf64>
  }
  return
}
