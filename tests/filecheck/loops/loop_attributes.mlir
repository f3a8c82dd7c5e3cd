// Loops keep their attributes, those of other dialects too.
// RUN: polyir-opt --split-loops --split-input-file --emit=loops %s 2>/dev/null | filecheck %s --check-prefix=SPLIT
// RUN: polyir-opt --scalar-replacement --remarks --split-input-file --emit=loops %s 2>%t.err | filecheck %s --check-prefix=REPLACED
// RUN: filecheck %s --check-prefix=WHY < %t.err
// RUN: polyir-opt --convert-affine-to-scf --split-loops --scalar-replacement --split-input-file --emit=loops %s 2>/dev/null | filecheck %s --check-prefix=SCF
// RUN: polyir-opt --convert-parallel-to-omp --split-input-file --emit=loops %s 2>/dev/null | filecheck %s --check-prefix=OMP

// Both parts of a loop have its attributes, and so has the loop around.
// SPLIT-LABEL: func.func @parts
// SPLIT: affine.for %{{.*}} = 0 to min
// SPLIT: } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}
// SPLIT-NEXT: affine.for %{{.*}} = 5 to %n
// SPLIT: } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}
// SPLIT-NEXT: } {other.note = "kept"}
// SCF-LABEL: func.func @parts
// SCF: scf.for
// SCF: scf.for
// SCF: } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}
// SCF: scf.for
// SCF: } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}
// SCF-NEXT: } {other.note = "kept"}
func.func @parts(%A: memref<?x?xf64>, %c: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %c[0] : memref<?xf64>
    affine.for %j = 0 to %n {
      affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%j) {
        affine.store %x, %A[%i, %j] : memref<?x?xf64>
      } else {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %y = arith.addf %a, %x : f64
        affine.store %y, %A[%i, %j] : memref<?x?xf64>
      }
    } {poly.vector = #poly.vector<8>, poly.unroll = #poly.unroll<4>}
  } {other.note = "kept"}
  return
}

// -----

// A loop that a test moves out of is there twice.
// SPLIT-LABEL: func.func @moved
// SPLIT-NEXT: affine.if
// SPLIT-NEXT: affine.for
// SPLIT: } {poly.unroll = #poly.unroll<2>}
// SPLIT-NEXT: } else {
// SPLIT-NEXT: affine.for
// SPLIT: } {poly.unroll = #poly.unroll<2>}
func.func @moved(%A: memref<?xf64>, %x: f64, %y: f64, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<()[s0] : (s0 - 5 >= 0)>()[%m] {
      affine.store %x, %A[%i] : memref<?xf64>
    } else {
      affine.store %y, %A[%i] : memref<?xf64>
    }
  } {poly.unroll = #poly.unroll<2>}
  return
}

// -----

// REPLACED-LABEL: func.func @carried
// REPLACED: affine.for {{.*}} iter_args
// REPLACED: } {poly.unroll = #poly.unroll<4>, other.note = "kept"}
// SCF-LABEL: func.func @carried
// SCF: scf.for {{.*}} iter_args
// SCF: } {poly.unroll = #poly.unroll<4>, other.note = "kept"}
func.func @carried(%A: memref<?x?xf64>, %c: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = affine.load %c[%i] : memref<?xf64>
      %y = arith.addf %a, %s : f64
      affine.store %y, %c[%i] : memref<?xf64>
    } {poly.unroll = #poly.unroll<4>, other.note = "kept"}
  }
  return
}

// -----

// The attribute says that the loop is parallel. It would not be if it carried a value.
// WHY: remark: [scalar-replacement] %c[%i] stays in memory in the loop over %j: a loop with #poly.vector<8> must not carry a value
// REPLACED-LABEL: func.func @vectors
// REPLACED: %[[VALUE:.*]] = affine.load %A[%{{.*}}, 0]
// REPLACED-NEXT: affine.for %{{.*}} = 0 to %n {
// REPLACED-NEXT: affine.store %[[VALUE]], %c[%{{.*}}]
// REPLACED-NEXT: } {poly.vector = #poly.vector<8>}
func.func @vectors(%A: memref<?x?xf64>, %c: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %b = affine.load %A[%i, 0] : memref<?x?xf64>
      affine.store %b, %c[%i] : memref<?xf64>
    } {poly.vector = #poly.vector<8>}
  }
  return
}

// -----

// SCF-LABEL: func.func @parallel
// SCF: scf.parallel
// SCF: } {other.note = "kept"}
// OMP-LABEL: func.func @parallel
// OMP: omp.loop_nest
// OMP: } {other.note = "kept"}
func.func @parallel(%A: memref<?xf64>, %x: f64, %n: index) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %A[%i] : memref<?xf64>
  } {other.note = "kept"}
  return
}
