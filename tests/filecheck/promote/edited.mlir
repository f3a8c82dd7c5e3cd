// RUN: polyir-opt --check-schedule --emit=c %s | filecheck %s
// RUN: sed -e '/stmt @x_in/s/x0 < n }/x0 < n - 1 }/' -e 's/x0 < n;/x0 < n - 1;/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix SMALL
// RUN: sed 's/x_local\[%x0 - %%t0\]/x_local[%x0 - %%t0 + 1]/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix OUTSIDE
// RUN: sed 's/x_local\[%x0_1 - %%t0_1\]/x_local[-%x0_1 + %%t0_1 + 7]/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix OTHER
// RUN: sed 's/8xf64/7xf64/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix EXTENTS
// RUN: sed 's/x_local\[((i) mod 8)\]/x_local[(7 - (i) mod 8)]/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix MARK
// RUN: sed 's/; \[i0\] -> x_out.*"/ }"/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix UNADDED
// RUN: sed 's/affine.load %x\[%x0\]/affine.load %x[%x0 + 1]/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix ELEMENT
// RUN: sed 's/S0\[i\] -> \[(i)\]/S0[i] -> [(-i)]/' %s | polyir-opt --check-schedule --emit=none -
// RUN: sed 's/affine.load %x\[%x0\]/affine.load %x[%x0 mod symbol(%n)]/' %s | not polyir-opt --check-schedule - 2>&1 | filecheck %s --check-prefix UNKNOWN

// A person may write or edit copies in the text. The check believes nothing but the statements and
// the original order.

func.func @scale(%n: index, %x: memref<?xf64>) {
  poly.scop (%n as "n") context "[n] -> {  :  }" dependences <value, [] order "[n] -> { S0[i] -> [i] }"> {
    %x_local = poly.local_array @x_local stack : memref<8xf64>
    poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
      %0 = affine.load %x[%i] : memref<?xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %x[%i] : memref<?xf64>
    }
    poly.stmt @x_in domain "[n] -> { x_in[t0, x0] : (t0) mod 8 = 0 and n > 0 and t0 < n and x0 >= t0 and 0 <= x0 <= 7 + t0 and x0 < n }" (%t0, %x0) {
      %2 = affine.load %x[%x0] : memref<?xf64>
      affine.store %2, %x_local[%x0 - %t0] : memref<8xf64>
    }
    poly.stmt @x_out domain "[n] -> { x_out[t0, x0] : (t0) mod 8 = 0 and x0 >= t0 and 0 <= x0 <= 7 + t0 and x0 < n }" (%t0_1, %x0_1) {
      %3 = affine.load %x_local[%x0_1 - %t0_1] : memref<8xf64>
      affine.store %3, %x[%x0_1] : memref<?xf64>
    }
    poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
      poly.band "[n] -> [{ S0[i] -> [(i - (i) mod 8)] }]" permutable coincident [true] {
        poly.mark #poly.local<@x_local "[n] -> { [S0[i] -> x[i1]] -> x_local[((i) mod 8)] : i1 = i }"> {
          poly.extension "[n] -> { [i0] -> x_in[t0 = i0, x0] : (i0) mod 8 = 0 and x0 >= i0 and 0 <= x0 <= 7 + i0 and x0 < n; [i0] -> x_out[t0 = i0, x0] : (i0) mod 8 = 0 and x0 >= i0 and 0 <= x0 <= 7 + i0 and x0 < n }" {
            poly.sequence {
              poly.filter "[n] -> { x_in[t0, x0] }" {
                poly.band "[n] -> [{ x_in[t0, x0] -> [(x0)] }]" permutable coincident [true]
              }
              poly.filter "[n] -> { S0[i] }" {
                poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]
              }
              poly.filter "[n] -> { x_out[t0, x0] }" {
                poly.band "[n] -> [{ x_out[t0, x0] -> [(x0)] }]" permutable coincident [true]
              }
            }
          }
        }
      }
    }
  }
  return
}

// CHECK: double x_local[8];
// CHECK: x[x0] = x_local[x0 - ti];

// SMALL: error: S0[0] reads a cell of a local array that nothing has written: x_local[0, 0] (n = 1)

// OUTSIDE: error: @x_in accesses the local array @x_local outside of its extents: x_in[0, 7] accesses x_local[8]

// OTHER: error: x_out[0, 0] reads a cell of a local array that nothing has written: x_local[0, 7] (n = 1)

// EXTENTS: error: @S0 accesses the local array @x_local outside of its extents: S0[7] accesses x_local[7]

// MARK: error: S0[0] reads a cell of a local array that nothing has written: x_local[0, 7] (n = 1)

// UNADDED: error: 'poly.scop' op the schedule tree does not cover the statements: it misses [n] -> { x_out[t0, x0]

// ELEMENT: error: S0[0] reads, for an element of x, what x_in[0, 0] wrote for another one (n = 1)

// UNKNOWN: error: @x_in must copy an element at affine subscripts, or a vector of a row, from or to x
