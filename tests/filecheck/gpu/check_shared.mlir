// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed -e '/filter.*barrier/d' -e '/^    poly.stmt @barrier/,/^    }/d' -e 's/; \[ti, tj\] -> barrier.*}"/ }"/' %s > %t.missing
// RUN: not polyir-opt --check-gpu --emit=none %t.missing 2>&1 | filecheck %s --check-prefix MISSING
// RUN: sed 's/9/7/g' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix PADDING
// RUN: sed 's/memref<72xf64>/memref<70xf64>/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix SMALL
// RUN: sed 's/block \[8, 8\]/block [8, 8] grid [2, 2]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix REUSED

// A block transposes a tile in memory that its threads share, whose rows have 8 elements and one more
// against bank conflicts.

func.func @transpose(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  poly.scop (%n as "n") context "[n] -> {  :  }" {
    %tile = poly.local_array @tile workgroup : memref<72xf64>
    poly.stmt @S domain "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }" (%i, %j) {
      %v = affine.load %A[%j, %i] : memref<?x?xf64>
      affine.store %v, %B[%i, %j] : memref<?x?xf64>
    }
    poly.stmt @copy domain "[n] -> { copy[ti, tj, x, y] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= x < 8 and 0 <= y < 8 and 0 <= ti < n and 0 <= tj < n and tj + x < n and ti + y < n }" (%ti, %tj, %x, %y) {
      %v = affine.load %A[%tj + %x, %ti + %y] : memref<?x?xf64>
      affine.store %v, %tile[%x * 9 + %y] : memref<72xf64>
    }
    poly.stmt @barrier domain "[n] -> { barrier[ti, tj] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= ti < n and 0 <= tj < n }" (%ti, %tj) {
      gpu.barrier
    }
    poly.domain "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }" {
      poly.mark #poly.kernel<block [8, 8]> {
        poly.band "[n] -> [{ S[i, j] -> [(i - i mod 8)] }, { S[i, j] -> [(j - j mod 8)] }]" coincident [false, false] loop_attributes [[#poly.map<block y>], [#poly.map<block x>]] {
          poly.mark #poly.local<@tile "[n] -> { [S[i, j] -> A[a, b]] -> tile[(9 * (a mod 8) + b mod 8)] : a = j and b = i }"> {
            poly.extension "[n] -> { [ti, tj] -> copy[ti, tj, x, y] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= x < 8 and 0 <= y < 8 and 0 <= ti < n and 0 <= tj < n and tj + x < n and ti + y < n; [ti, tj] -> barrier[ti, tj] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= ti < n and 0 <= tj < n }" {
              poly.sequence {
                poly.filter "[n] -> { copy[ti, tj, x, y] }" {
                  poly.band "[n] -> [{ copy[ti, tj, x, y] -> [(x)] }, { copy[ti, tj, x, y] -> [(y)] }]" coincident [false, false] loop_attributes [[#poly.map<thread y>], [#poly.map<thread x>]]
                }
                poly.filter "[n] -> { barrier[ti, tj] }"
                poly.filter "[n] -> { S[i, j] }" {
                  poly.band "[n] -> [{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" coincident [false, false] loop_attributes [[#poly.map<thread y>], [#poly.map<thread x>]]
                }
              }
            }
          }
        }
      }
    }
  }
  return
}

// RIGHT: remark: [check-gpu] the only kernel is right

// MISSING: error: copy[0, 0, 0, 1] writes tile[1], which S[1, 0] reads in another thread of the block, without a barrier between them (n = 2)

// Rows that are 7 elements apart overlap.
// PADDING: error: S[7, 0] reads, for an element of A, what copy[0, 0, 1, 0] wrote for another one (n = 8)

// SMALL: error: @S accesses the local array @tile outside of its extents: S[7, 7] accesses tile[70]

// A block that runs several tiles uses the memory again.
// REUSED: error: copy[0, 16, 0, 1] writes tile[1], which S[1, 0] reads in another thread of the block, without a barrier between them (n = 17)
