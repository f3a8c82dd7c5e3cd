// isl generates wrong loops for these strides in one loop. That is found out, and loops over all values
// with conditions inside take their place.
// RUN: polyir-opt --lower-poly=check=false %s | filecheck %s

// CHECK: affine.for %i_1 = 12 to affine_map<()[s0] -> (s0 * 6 - 6)>()[%n]
// CHECK: affine.if affine_set<(d0)[s0] : (s0 <= -3, (d0 - 1) mod 6 == 0)>(%i_1)[%m]
// CHECK: affine.for %j = 0 to affine_map<()[s0] -> (s0 * 2 - 2)>()[%m]
// CHECK: affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%j)
func.func @steps(%n: index, %m: index, %A: memref<?xindex>, %B: memref<?x?xindex>) {
  poly.scop (%n as "n", %m as "m") context "[n, m] -> { : }" {
    poly.stmt @P0 domain "[n, m] -> { P0[i] : i = 0 }" (%i) {
      affine.store %i, %A[%i] : memref<?xindex>
    }
    poly.stmt @P1 domain "[n, m] -> { P1[i] : i mod 6 = 0 and 12 <= i <= -12 + 6n }" (%i) {
      affine.store %i, %A[%i] : memref<?xindex>
    }
    poly.stmt @P2 domain "[n, m] -> { P2[i] : i mod 6 = 0 and m >= -2 and 12 <= i <= -12 + 6n }" (%i) {
      affine.store %i, %A[%i] : memref<?xindex>
    }
    poly.stmt @P3 domain "[n, m] -> { P3[i] : (i - 1) mod 6 = 0 and m <= -3 and 13 <= i <= -11 + 6n }" (%i) {
      affine.store %i, %A[%i] : memref<?xindex>
    }
    poly.stmt @P4 domain "[n, m] -> { P4[i, j] : j mod 2 = 0 and 12 <= i <= -7 + 6n and 0 <= j <= -4 + 2m }" (%i, %j) {
      affine.store %j, %B[%i, %j] : memref<?x?xindex>
    }
    poly.stmt @P5 domain "[n, m] -> { P5[i, j] : (1 + j) mod 2 = 0 and 12 <= i <= -7 + 6n and 0 < j <= -3 + 2m }" (%i, %j) {
      affine.store %i, %B[%i, %j] : memref<?x?xindex>
    }
    poly.domain "[n, m] -> { P0[i] : i = 0; P1[i] : i mod 6 = 0 and 12 <= i <= -12 + 6n; P2[i] : i mod 6 = 0 and m >= -2 and 12 <= i <= -12 + 6n; P3[i] : (i - 1) mod 6 = 0 and m <= -3 and 13 <= i <= -11 + 6n; P4[i, j] : j mod 2 = 0 and 12 <= i <= -7 + 6n and 0 <= j <= -4 + 2m; P5[i, j] : (1 + j) mod 2 = 0 and 12 <= i <= -7 + 6n and 0 < j <= -3 + 2m }" {
      poly.band "[n, m] -> [{ P0[i] -> [i]; P1[i] -> [i]; P2[i] -> [i]; P3[i] -> [i]; P4[i, j] -> [i]; P5[i, j] -> [i] }]" coincident [false] {
        poly.sequence {
          poly.filter "[n, m] -> { P0[i] }" { }
          poly.filter "[n, m] -> { P1[i] }" { }
          poly.filter "[n, m] -> { P2[i] }" { }
          poly.filter "[n, m] -> { P3[i] }" { }
          poly.filter "[n, m] -> { P4[i, j]; P5[i, j] }" {
            poly.band "[n, m] -> [{ P4[i, j] -> [j]; P5[i, j] -> [j] }]" coincident [false] {
              poly.sequence {
                poly.filter "[n, m] -> { P4[i, j] }" { }
                poly.filter "[n, m] -> { P5[i, j] }" { }
              }
            }
          }
        }
      }
    }
  }
  return
}
