// RUN: not polyir-opt --check-schedule %s 2>&1 | filecheck %s

// An array that has a mark in each part of a loop is allocated in each: the second part reads what it
// has not copied, although the iterations of both parts have the same numbers.

func.func @rows(%A: memref<8xf64>, %B: memref<8x8xf64>) {
  poly.scop () context "{  :  }" dependences <value, [flow "A_local" "{ A_in[t0, a0] -> S0[t0' = t0, j = a0] : 0 <= t0 <= 3 and 0 <= a0 <= 7 }"] order "{ S0[t0, j] -> [t0, j] }"> {
    %A_local = poly.local_array @A_local stack : memref<8xf64>
    poly.stmt @S0 domain "{ S0[t0, j] : 0 <= t0 <= 7 and 0 <= j <= 7 }" (%t0, %j) {
      %0 = affine.load %A[%j] : memref<8xf64>
      affine.store %0, %B[%t0, %j] : memref<8x8xf64>
    }
    poly.stmt @A_in domain "{ A_in[t0, a0] : 0 <= t0 <= 3 and 0 <= a0 <= 7 }" (%t0_1, %a0) {
      %1 = affine.load %A[%a0] : memref<8xf64>
      affine.store %1, %A_local[%a0] : memref<8xf64>
    }
    poly.domain "{ S0[t0, j] : 0 <= t0 <= 7 and 0 <= j <= 7 }" {
      poly.sequence {
        poly.filter "{ S0[t0, j] : t0 <= 3 }" {
          poly.band "[{ S0[t0, j] -> [(t0)] }]" permutable coincident [true] {
            poly.mark #poly.local<@A_local "{ [S0[t0, j] -> A[i2]] -> A_local[(j)] : i2 = j }"> {
              poly.extension "{ [i0] -> A_in[t0 = i0, a0] : 0 <= i0 <= 3 and 0 <= a0 <= 7 }" {
                poly.sequence {
                  poly.filter "{ A_in[t0, a0] }" {
                    poly.band "[{ A_in[t0, a0] -> [(a0)] }]" permutable coincident [true]
                  }
                  poly.filter "{ S0[t0, j] }" {
                    poly.band "[{ S0[t0, j] -> [(j)] }]" permutable coincident [true]
                  }
                }
              }
            }
          }
        }
        poly.filter "{ S0[t0, j] : t0 >= 4 }" {
          poly.band "[{ S0[t0, j] -> [(-4 + t0)] }]" permutable coincident [true] {
            poly.mark #poly.local<@A_local "{ [S0[t0, j] -> A[i2]] -> A_local[(j)] : i2 = j }"> {
              poly.band "[{ S0[t0, j] -> [(j)] }]" permutable coincident [true]
            }
          }
        }
      }
    }
  }
  return
}

// CHECK: error: S0[4, 0] reads a cell of a local array that nothing has written: A_local[1, 0, 0]
