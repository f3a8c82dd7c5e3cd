// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's/grid \[4\]/grid [3]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix GRID
// RUN: sed 's/%%i mod 4/%%i mod 3/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix OVERLAP
// RUN: sed '/poly.band.*T\[i\]/s/ loop_attributes.*//' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix UNMAPPED
// RUN: sed 's/%%A\[%%i mod 4\]/%%A[%%i mod 4 + 9]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix BOUNDS

// Four blocks, each of which runs the iterations i with i mod 4 = b and writes one element. Nothing
// orders blocks, so no other one may write it or read it.

func.func @sums(%n: index, %A: memref<8xf64>, %B: memref<?xf64>) {
  poly.scop (%n as "n") context "[n] -> { : n > 9 }" {
    poly.stmt @S domain "[n] -> { S[i] : 0 <= i < n }" (%i) {
      %0 = affine.load %B[%i] : memref<?xf64>
      affine.store %0, %A[%i mod 4] : memref<8xf64>
    }
    poly.stmt @T domain "[n] -> { T[i] : 0 <= i < n }" (%i) {
      %0 = affine.load %A[%i mod 4] : memref<8xf64>
      affine.store %0, %B[%i] : memref<?xf64>
    }
    poly.domain "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }" {
      poly.mark #poly.kernel<block [1] grid [4]> {
        poly.sequence {
          poly.filter "[n] -> { S[i] }" {
            poly.band "[n] -> [{ S[i] -> [((i) mod 4)] }]" coincident [false] loop_attributes [[#poly.map<block x>]] {
              poly.band "[n] -> [{ S[i] -> [(i)] }]" coincident [false]
            }
          }
          poly.filter "[n] -> { T[i] }" {
            poly.band "[n] -> [{ T[i] -> [(i)] }]" coincident [false] loop_attributes [[#poly.map<block x>]]
          }
        }
      }
    }
  }
  return
}

// RIGHT: remark: [check-gpu] the only kernel is right

// GRID:      error: the mapping to GPU kernels has 2 faults:
// GRID-NEXT: :21:7: T[4] writes B[4], which S[4] reads in another block (n = 10)
// GRID-NEXT: :21:7: S[0] writes A[0], which T[4] reads in another block (n = 10)

// That loops over blocks are parallel is checked with the schedule.
// OVERLAP: error: the loop S.0 is not parallel, as #poly.map<block x> requires: it carries the output dependence through A: S[0] must run before S[9] (n = 10)

// UNMAPPED: error: no block runs T[0] (n = 10): no loop around it is mapped to block x, as for other statements

// BOUNDS:      error: the mapping to GPU kernels has 2 faults:
// BOUNDS-NEXT: :21:7: S[0] accesses A[9], which is outside of A (n = 10)
// BOUNDS-NEXT: :21:7: T[0] accesses A[9], which is outside of A (n = 10)
