// RUN: polyir-opt --check-gpu --emit=none %s 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's/ alignment 16//' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix LOCAL
// RUN: sed 's/64x64xf64/64x65xf64/g' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix ROWS
// RUN: sed 's/64x64xf64/?x?xf64/g' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: sed 's/8x8xf64/8x9xf64/g' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix PADDING
// RUN: sed 's/8x8xf64/8x10xf64/g' %s | polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix RIGHT
// RUN: sed 's/%%tile\[%%x, %%y\]/%%tile[%%x, %%y + 1]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix SMALL
// RUN: sed 's/y mod 2 = 0/y mod 4 = 0/g' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix HALF
// RUN: sed 's/%%tj + %%x, %%ti + %%y\]/%%tj + %%x, %%ti - %%y + 6]/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix ORDER
// RUN: sed -e '/filter.*barrier/d' -e '/^    poly.stmt @barrier/,/^    }/d' -e 's/; \[ti, tj\] -> barrier.*}" {/ }" {/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix RACE
// RUN: sed 's/vector<2xf64>/vector<1x2xf64>/' %s | not polyir-opt --check-gpu --emit=none - 2>&1 | filecheck %s --check-prefix SHAPE

// A thread copies two neighbouring elements of a tile at once, which other threads read.

func.func @transpose(%A: memref<64x64xf64>, %B: memref<64x64xf64>) {
  poly.scop () context "{ : }" {
    %tile = poly.local_array @tile workgroup alignment 16 : memref<8x8xf64>
    poly.stmt @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }" (%i, %j) {
      %v = affine.load %A[%j, %i] : memref<64x64xf64>
      affine.store %v, %B[%i, %j] : memref<64x64xf64>
    }
    poly.stmt @copy domain "{ copy[ti, tj, x, y] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= ti < 64 and 0 <= tj < 64 and 0 <= x < 8 and 0 <= y < 8 and y mod 2 = 0 }" (%ti, %tj, %x, %y) {
      %v = affine.vector_load %A[%tj + %x, %ti + %y] : memref<64x64xf64>, vector<2xf64>
      affine.vector_store %v, %tile[%x, %y] : memref<8x8xf64>, vector<2xf64>
    }
    poly.stmt @barrier domain "{ barrier[ti, tj] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= ti < 64 and 0 <= tj < 64 }" (%ti, %tj) {
      gpu.barrier
    }
    poly.domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }" {
      poly.mark #poly.kernel<block [4, 8]> {
        poly.band "[{ S[i, j] -> [(i - i mod 8)] }, { S[i, j] -> [(j - j mod 8)] }]" coincident [false, false] loop_attributes [[#poly.map<block y>], [#poly.map<block x>]] {
          poly.mark #poly.local<@tile "{ [S[i, j] -> A[a, b]] -> tile[(a mod 8), (b mod 8)] : a = j and b = i }"> {
            poly.extension "{ [ti, tj] -> copy[ti, tj, x, y] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= ti < 64 and 0 <= tj < 64 and 0 <= x < 8 and 0 <= y < 8 and y mod 2 = 0; [ti, tj] -> barrier[ti, tj] : ti mod 8 = 0 and tj mod 8 = 0 and 0 <= ti < 64 and 0 <= tj < 64 }" {
              poly.sequence {
                poly.filter "{ copy[ti, tj, x, y] }" {
                  poly.band "[{ copy[ti, tj, x, y] -> [(x)] }, { copy[ti, tj, x, y] -> [(floor(y/2))] }]" coincident [false, false] loop_attributes [[#poly.map<thread y>], [#poly.map<thread x>]]
                }
                poly.filter "{ barrier[ti, tj] }"
                poly.filter "{ S[i, j] }" {
                  poly.band "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]" coincident [false, false] loop_attributes [[#poly.map<thread y>], [#poly.map<thread x>]]
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

// LOCAL: error: @copy accesses 2 elements of tile at once, but @tile is not aligned to 16 bytes

// ROWS: error: @copy accesses 2 elements of A at once, but copy[0, 0, 1, 0] begins at A[1, 0], which is not at a multiple of 16 bytes

// UNKNOWN: error: @copy accesses 2 elements of A at once, but the length of its rows is not known to be a multiple of 16 bytes

// PADDING: error: @copy accesses 2 elements of tile at once, but copy[0, 0, 1, 0] begins at tile[1, 0], which is not at a multiple of 16 bytes

// The second element of the last vector of a row.
// SMALL: error: {{.*}}@copy accesses the local array @tile outside of its extents: copy[0, 0, 0, 6] accesses tile[0, 8]

// HALF: error: {{.*}}S[{{.*}}] reads a cell of a local array that nothing has written

// ORDER: error: {{.*}}reads, for an element of A, what copy[{{.*}}] wrote for another one

// RACE: error: copy[{{.*}}] writes tile[{{.*}}], which S[{{.*}}] reads in another thread of the block, without a barrier between them

// SHAPE: error: {{.*}}@copy must copy an element at affine subscripts, or a vector of a row, from or to A
